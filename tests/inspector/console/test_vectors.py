import pytest
from django.urls import reverse

from audit.models import AuditEntry
from consolidation.models import Job
from inspector.console import spaces
from memory.models import EmbeddingSpace
from tests.factories import make_ended_session
from tests.inspector.console.rows import full_space, shown


@pytest.fixture
def other(porter) -> EmbeddingSpace:
    """Return an empty space beside the current one."""
    make_ended_session(porter, ["We planted tomatoes."])
    return EmbeddingSpace.objects.create(model="hashing", version="hashing-1", dimension=64)


def test_each_space_shows_what_it_lacks(desk, other):
    page = shown(desk, "console-spaces")

    assert "1 text" in page
    assert "full" in page


def test_what_very_many_texts_lack_is_not_counted_out(desk, other, monkeypatch):
    monkeypatch.setattr(spaces, "MOST_MISSING", 1)

    assert "1 texts or more" in shown(desk, "console-spaces")


def test_without_a_space_nothing_is_embedded(desk, db):
    assert "Nothing is embedded yet" in shown(desk, "console-spaces")


def test_it_says_what_a_switch_means_before_it_is_made(desk, other):
    page = shown(desk, "console-space-switch", other.pk)

    assert "found by their words" in page
    assert EmbeddingSpace.objects.current() != other


def test_nobody_has_asked_anything_to_compare(desk, other):
    answer = desk.post(reverse("console-space-compare", args=[other.pk]))

    assert b"Nobody has asked" in answer.content


def test_the_workers_fill_a_space(desk, other):
    desk.post(reverse("console-space-fill", args=[other.pk]))

    assert Job.objects.filter(kind="reembed", key=str(other.pk)).exists()
    assert AuditEntry.objects.get(action="space.fill").actor == "operator"


def test_without_a_current_space_there_is_nothing_to_compare(desk, porter):
    space = EmbeddingSpace.objects.create(model="hashing", version="1", dimension=64)

    answer = desk.post(reverse("console-space-compare", args=[space.pk]), follow=True)

    assert b"nothing to compare with" in answer.content


@pytest.mark.django_db(transaction=True)
def test_a_space_is_switched_to_and_rolled_back(desk, porter):
    make_ended_session(porter, ["We planted tomatoes."])
    before, space = EmbeddingSpace.objects.current(), full_space()

    desk.post(reverse("console-space-switch", args=[space.pk]))
    switched = EmbeddingSpace.objects.current()
    page = shown(desk, "console-spaces")
    desk.post(reverse("console-space-switch", args=[before.pk]))

    assert switched == space
    assert "Roll back…" in page
    assert EmbeddingSpace.objects.current() == before
    assert AuditEntry.objects.filter(action="space.switch", actor="operator").count() == 2


def test_the_current_space_cannot_be_switched_to(desk, other):
    current = EmbeddingSpace.objects.current()

    assert desk.post(reverse("console-space-switch", args=[current.pk])).status_code == 404
