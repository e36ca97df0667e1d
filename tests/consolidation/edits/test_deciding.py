"""What a person says of what waits, is held back, or is never to be remembered."""

import pytest

from audit.models import AuditEntry
from consolidation.edits.approvals import decide_candidate, never_again, release
from consolidation.errors import CandidateNotHeld
from knowledge.changes.approval import policies_for
from knowledge.errors import ItemUnknown
from knowledge.models import ApprovalPolicy, Changeset
from tests.factories import make_session
from tests.inspector.person.people import make_fact
from tests.inspector.person.remembered import make_held

pytestmark = pytest.mark.django_db


@pytest.fixture
def alice(porter):
    return make_session(porter).owner


def acts() -> list[tuple[str, str]]:
    found = AuditEntry.objects.filter(action__startswith="memory.").order_by("pk")
    return list(found.values_list("actor", "action"))


def test_what_is_kept_is_let_in_at_the_end_with_its_words(alice):
    held = make_held(alice, "a boat", "I want a boat.")

    decide_candidate(owner=alice, candidate=held.pk, keep=True, actor="alice")

    held.refresh_from_db()
    assert (held.state, held.action) == ("held", "commit_now")
    assert held.payload["quote"] == "I want a boat."
    assert acts() == [("alice", "memory.keep_candidate")]


def test_what_is_dropped_loses_its_words_and_is_not_asked_again(alice):
    held = make_held(alice, "a boat", "I want a boat.")
    held.reason = "a boat"
    held.save()

    decide_candidate(owner=alice, candidate=held.pk, keep=False, actor="alice")

    held.refresh_from_db()
    assert (held.state, held.outcome, held.payload, held.reason) == (
        "skipped",
        "person.dropped",
        {},
        "",
    )
    assert held.decided_at is not None
    with pytest.raises(CandidateNotHeld):
        decide_candidate(owner=alice, candidate=held.pk, keep=True, actor="alice")
    assert acts() == [("alice", "memory.drop_candidate")]


def test_nobody_decides_for_another(alice, porter):
    bob = make_session(porter, "bob").owner
    held = make_held(alice, "a boat", "I want a boat.")

    with pytest.raises(CandidateNotHeld):
        decide_candidate(owner=bob, candidate=held.pk, keep=False, actor="bob")

    held.refresh_from_db()
    assert held.payload
    assert acts() == []


def test_what_is_held_back_counts_once_it_is_let_in(alice, porter):
    fact = make_fact(alice, "nuts", is_quarantined=True)
    bob = make_session(porter, "bob").owner
    with pytest.raises(ItemUnknown):
        release(owner=bob, kind="fact", target=fact.pk, actor="bob")

    release(owner=alice, kind="fact", target=fact.pk, actor="alice")

    fact.refresh_from_db()
    assert (fact.is_quarantined, fact.is_active, fact.version) == (False, True, 2)
    made = Changeset.objects.get(owner=alice, origin="person")
    assert (made.actor, made.items.get().code) == ("alice", "person.release")
    assert acts() == [("alice", "memory.release_fact")]
    with pytest.raises(ItemUnknown):
        release(owner=alice, kind="fact", target=fact.pk, actor="alice")


def test_never_again_is_of_one_kind_and_one_person(alice, porter):
    bob = make_session(porter, "bob").owner
    ApprovalPolicy.objects.create(agent=porter, owner=alice, category="loss", mode="approved")
    ApprovalPolicy.objects.create(agent=porter, owner=alice, category="goal", mode="above")
    fact = make_fact(alice, "a boat", category="goal")

    never_again(owner=alice, category="goal", actor="alice")

    modes = {name: one.mode for name, one in policies_for(alice).items()}
    assert modes == {"loss": "approved", "goal": "never"}
    assert policies_for(bob) == {}
    fact.refresh_from_db()
    assert fact.is_active
