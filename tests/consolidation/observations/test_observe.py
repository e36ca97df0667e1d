"""Every observation waits on one bus, and changes nothing by itself."""

from datetime import UTC, datetime

import pytest
from django.db import IntegrityError, transaction

from accounts.models import Connection
from accounts.owners import resolve_owner
from consolidation.errors import CategoryUnknown, ObservationUnfit, ProfileOff
from consolidation.models import ContextEvent, Job
from consolidation.observations.record import Observed, observe, record_observation
from knowledge.models import LearnedInfo, Scaffold, UserNarrative
from tests.factories import make_agent, make_session

WHEN = datetime(2026, 5, 8, tzinfo=UTC)


@pytest.fixture
def alice(porter):
    return resolve_owner(agent=porter, user="alice")


def see(owner, content="Alice bakes bread.", event_type="fact", source="interactive", **fields):
    return observe(owner=owner, event_type=event_type, content=content, source=source, **fields)


@pytest.mark.requirement("TS-69")
@pytest.mark.requirement("TS-12")
def test_an_observation_waits_with_its_words(porter, alice):
    made = see(alice, observed_at=WHEN)

    found = ContextEvent.objects.get(pk=made.pk)
    assert (found.event_type, found.content, found.processed) == (
        "fact",
        "Alice bakes bread.",
        False,
    )
    assert (found.organization_id, found.user.external_id) == (porter.organization_id, "alice")
    assert found.observed_at == WHEN
    assert found.created_at.tzinfo is not None
    assert ContextEvent.objects.waiting().get() == found


@pytest.mark.requirement("TS-70")
def test_its_metadata_name_where_it_came_from(porter, alice):
    session = make_session(porter)
    tool = Connection.objects.create(owner=alice, tool="mail")

    bare = see(alice, source="autonomous", item="m1")
    full = see(alice, session=session, connection=tool)
    by_id = see(alice, session=session.pk, connection=tool.pk)

    assert bare.source_metadata == {"source": "autonomous", "item_id": "m1"}
    named = {"source": "interactive", "session_id": str(session.pk), "connection_id": str(tool.pk)}
    assert full.source_metadata == by_id.source_metadata == named


def test_a_source_that_there_is_not_is_no_observation(alice):
    with pytest.raises(ValueError, match="somebody"):
        see(alice, source="somebody")


@pytest.mark.requirement("TS-07")
@pytest.mark.requirement("TS-08")
def test_nothing_of_the_picture_changes_at_once(alice):
    see(alice)

    assert not UserNarrative.objects.exists()
    assert not Scaffold.objects.exists()
    assert not LearnedInfo.objects.exists()
    assert not Job.objects.filter(kind="synthesise").exists()


def test_an_agent_that_wants_it_has_it_worked_in_at_once(porter, alice):
    porter.synthesises_at_once = True
    alice.agent = porter
    see(alice)
    see(alice, "Alice has a cat.")

    (job,) = Job.objects.filter(kind="synthesise")
    assert (job.key, job.subject) == (str(alice.pk), f"profile:{alice.pk}")


def test_a_key_makes_a_repetition_write_once(porter, alice):
    bob = resolve_owner(agent=porter, user="bob")

    first = see(alice, key="fact:1")
    again = see(alice, "Other words.", key="fact:1")
    other = see(bob, key="fact:1")

    assert again.pk == first.pk
    assert again.content == "Alice bakes bread."
    assert ContextEvent.objects.count() == 2
    assert other.owner == bob


def test_a_repetition_gives_no_second_nudge(porter, alice):
    see(alice, key="fact:1")
    porter.synthesises_at_once = True
    alice.agent = porter
    see(alice, key="fact:1")

    assert not Job.objects.filter(kind="synthesise").exists()


def test_the_database_keeps_one_of_a_key(alice):
    first = see(alice, key="fact:1")
    first.pk = None

    with pytest.raises(IntegrityError), transaction.atomic():
        ContextEvent.objects.bulk_create([first])


@pytest.mark.parametrize("content", ["", "  \n", "a\0b", "x" * 4_001])
def test_what_cannot_be_kept_is_refused(alice, content):
    with pytest.raises(ObservationUnfit):
        see(alice, content)
    assert not ContextEvent.objects.exists()


def test_the_longest_text_is_kept_whole(alice):
    assert see(alice, "x" * 4_000).content == "x" * 4_000


def test_secrets_go_before_anything_is_written(alice):
    made = see(alice, "Alice's password: Tr0ut-2026!")

    assert "Tr0ut" not in made.content
    assert "[redacted:password]" in made.content


def test_an_agent_without_profiles_observes_nothing(db):
    owner = resolve_owner(agent=make_agent("quiet", keeps_profile=False), user="alice")

    with pytest.raises(ProfileOff):
        see(owner)


@pytest.mark.requirement("TS-11")
@pytest.mark.parametrize("category", ["fact", "preference", "project_details", "correction"])
def test_each_category_becomes_the_type(alice, category):
    made, _ = record_observation(owner=alice, observed=Observed(category, "She bakes."))

    assert made.event_type == category


@pytest.mark.requirement("TS-11")
@pytest.mark.parametrize("category", ["scaffold_update", "learned_fact", "Fact", "", "gossip"])
def test_other_categories_are_refused(alice, category):
    with pytest.raises(CategoryUnknown):
        record_observation(owner=alice, observed=Observed(category, "She bakes."))
    assert not ContextEvent.objects.exists()
