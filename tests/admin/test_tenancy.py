import pytest
from django.contrib import admin
from django.contrib.auth.models import Group, Permission
from django.test import Client

from accounts.models import Agent, ApiKey, Connection, Organization, User
from audit.models import AuditEntry
from audit.tenancy import TenantAdmin
from consolidation.models import Job, WorkerHeartbeat
from memory.models import EmbeddingSpace, Session
from tests.admin.addresses import address
from tests.admin.rows import fill
from tests.factories import OrganizationFactory, make_session

MODELS = sorted(admin.site._registry, key=lambda model: model._meta.label)
# These belong to the installation and to no organization.
COMMON = {AuditEntry, EmbeddingSpace, Group, Job, WorkerHeartbeat}


@pytest.fixture
def staff(db) -> User:
    """Return one of home's staff who may do everything, and is no superuser."""
    staff = User.objects.create_user("charlie", is_staff=True, organization=OrganizationFactory())
    staff.user_permissions.set(Permission.objects.all())
    return staff


@pytest.fixture
def room(client: Client, staff: User) -> Client:
    """Return the browser of home's staff."""
    client.force_login(staff)
    return client


@pytest.fixture
def elsewhere(db) -> Organization:
    return Organization.objects.create(slug="elsewhere", name="Elsewhere")


def listed(client: Client, model) -> set[object]:
    return {row.pk for row in client.get(address(model, "changelist")).context["cl"].queryset}


def stored(model) -> set[object]:
    return set(model._default_manager.values_list("pk", flat=True))


@pytest.mark.parametrize("model", MODELS, ids=lambda model: model._meta.label)
def test_every_admin_is_limited(model):
    assert isinstance(admin.site._registry[model], TenantAdmin)


def test_staff_see_the_rows_of_their_organization_and_no_others(room, staff, elsewhere):
    fill(0, 1)
    own = {model: stored(model) for model in MODELS}
    own[Organization] = {staff.organization_id}
    fill(1, 2, organization=elsewhere)

    for model in MODELS:
        assert listed(room, model) == (set() if model in COMMON else own[model]), model


@pytest.mark.parametrize("page", ["change", "history", "delete"])
def test_the_pages_of_others_rows_do_not_exist(room, elsewhere, page):
    fill(0, 1, organization=elsewhere)

    for model in MODELS:
        for pk in stored(model) - listed(room, model):
            answer = room.get(address(model, page, pk))
            # The admin sends home, with a message, whoever asks for what is not there.
            assert answer.status_code in (302, 403), model


def test_staff_without_an_organization_see_nothing(client, staff):
    fill(0, 1)
    staff.organization = None
    staff.save()
    client.force_login(staff)

    assert {model for model in MODELS if listed(client, model)} == set()


def test_a_superuser_sees_all(desk, elsewhere):
    fill(0, 1, organization=elsewhere)

    for model in MODELS:
        assert listed(desk, model) == stored(model), model


def test_no_form_offers_what_belongs_to_others(room, elsewhere):
    fill(0, 1)
    fill(1, 2, organization=elsewhere)
    stranger = User.objects.get(external_id="user 1")

    for model in (Agent, ApiKey, Connection, User):
        pages = [address(model, "change", pk) for pk in listed(room, model)]
        for page in (address(model, "add"), *pages):
            text = room.get(page).content.decode()
            assert "elsewhere" not in text
            assert "agent_1" not in text
            assert f">{stranger.username}<" not in text


def test_no_filter_names_what_belongs_to_others(room, elsewhere):
    fill(0, 1)
    fill(1, 2, organization=elsewhere)

    for model in MODELS:
        page = room.get(address(model, "changelist")).content.decode()
        assert "elsewhere" not in page, model
        assert "agent_1" not in page, model


def test_an_agent_cannot_be_given_to_another_organization(room, porter, elsewhere):
    form = {"organization": elsewhere.pk, "slug": "taken"}

    page = room.post(address(Agent, "add"), form).content.decode()

    assert "Select a valid choice" in page
    assert not Agent.objects.filter(slug="taken").exists()


def test_an_act_on_others_rows_does_nothing(room, rival):
    session = make_session(rival)

    room.post(address(Session, "changelist"), {"action": "end", "_selected_action": [session.pk]})

    session.refresh_from_db()
    assert session.is_open


def test_whom_staff_add_belongs_to_their_organization(room, staff):
    password = "correct horse battery"
    form = {
        "username": "alice",
        "usable_password": "true",
        "password1": password,
        "password2": password,
    }

    room.post(address(User, "add"), form)

    assert User.objects.get(username="alice").organization == staff.organization


def test_staff_cannot_make_themselves_more_than_they_are(room, staff, operator):
    operator.organization = staff.organization
    operator.save()
    form = {"username": "charlie", "is_staff": "on", "is_active": "on", "is_superuser": "on"}
    form |= {"date_joined_0": "2026-05-08", "date_joined_1": "09:30:00"}
    form |= {"organization": staff.organization_id}

    saved = room.post(address(User, "change", staff.pk), form)
    of_a_superuser = room.post(address(User, "change", operator.pk), form)

    staff.refresh_from_db()
    assert saved.status_code == 302
    assert not staff.is_superuser
    assert of_a_superuser.status_code == 403
    password = room.get(f"/admin/accounts/user/{operator.pk}/password/")
    assert password.status_code == 403
