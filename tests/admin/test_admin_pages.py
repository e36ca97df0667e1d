import pytest
from django.contrib import admin
from django.urls import reverse

from accounts.models import ApiKey
from audit.models import AuditEntry
from consolidation.models import Job
from tests.factories import make_ended_session

MODELS = sorted(admin.site._registry, key=lambda model: model._meta.label)


@pytest.fixture
def desk(client, operator):
    client.force_login(operator)
    return client


def address(model, page: str, *arguments) -> str:
    return reverse(f"admin:{model._meta.app_label}_{model._meta.model_name}_{page}", args=arguments)


@pytest.mark.parametrize("model", MODELS, ids=lambda model: model._meta.label)
def test_every_list_and_page_opens(desk, porter, model):
    make_ended_session(porter, ["one thing"])

    assert desk.get(address(model, "changelist")).status_code == 200
    row = model._default_manager.first()
    if row is not None:
        assert desk.get(address(model, "change", row.pk)).status_code == 200


@pytest.mark.parametrize(
    "label", ["memory.Session", "memory.Event", "memory.Chunk", "accounts.Owner"]
)
def test_a_longer_list_asks_no_more_questions(desk, porter, label, django_assert_max_num_queries):
    model = next(model for model in MODELS if model._meta.label == label)
    for number in range(12):
        make_ended_session(porter, ["one", "two"], user=f"user {number}")

    with django_assert_max_num_queries(12):
        desk.get(address(model, "changelist"))


@pytest.mark.parametrize("label", ["memory.Event", "memory.Chunk", "recall.Receipt"])
def test_no_list_shows_what_was_said(desk, porter, label):
    make_ended_session(porter, ["the secret trout"])
    model = next(model for model in MODELS if model._meta.label == label)

    assert b"secret trout" not in desk.get(address(model, "changelist")).content


def test_an_event_cannot_be_changed(desk, porter):
    make_ended_session(porter, ["one thing"])
    model = next(model for model in MODELS if model._meta.label == "memory.Event")

    event = model._default_manager.first()

    assert desk.post(address(model, "change", event.pk), {"type": "x"}).status_code == 403
    assert desk.post(address(model, "delete", event.pk)).status_code == 403


def test_a_key_is_issued_shown_once_and_revoked(desk, porter):
    form = {"organization": porter.organization_id, "agent": porter.pk, "name": "laptop"}

    page = desk.post(address(ApiKey, "add"), form, follow=True)

    key = ApiKey.objects.get()
    assert f"rk_{key.prefix}_" in page.content.decode()
    assert f"rk_{key.prefix}_" not in desk.get(address(ApiKey, "changelist")).content.decode()
    desk.post(address(ApiKey, "changelist"), {"action": "revoke", "_selected_action": [key.pk]})
    key.refresh_from_db()
    assert key.revoked_at is not None


def test_jobs_are_retried_and_cancelled_and_both_are_recorded(desk):
    dead = Job.objects.create(kind="embed", key="1", max_attempts=3, state="dead")
    waiting = Job.objects.create(kind="embed", key="2", max_attempts=3)

    for job, action in ((dead, "retry"), (waiting, "cancel"), (waiting, "cancel")):
        desk.post(address(Job, "changelist"), {"action": action, "_selected_action": [job.pk]})

    assert dict(Job.objects.values_list("key", "state")) == {"1": "due", "2": "cancelled"}
    assert set(AuditEntry.objects.values_list("action", flat=True)) == {"job.retry", "job.cancel"}


def test_no_key_is_issued_for_another_organization_s_agent(desk, porter, rival):
    form = {"organization": porter.organization_id, "agent": rival.pk, "name": "laptop"}

    page = desk.post(address(ApiKey, "add"), form, follow=True)

    assert "belongs to another organization" in page.content.decode()
    assert not ApiKey.objects.exists()
