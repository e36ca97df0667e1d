"""What a person does to their memory, form by form, without any script."""

import pytest
from django.test import Client
from django.urls import reverse

from audit.models import AuditEntry
from consolidation.models import Candidate
from knowledge.changes.apply import Evidence, ItemChange, apply_changes
from knowledge.models import (
    ApprovalPolicy,
    ChangeItem,
    Changeset,
    Fact,
    Forgetting,
    ProceduralProfile,
)
from knowledge.notes.entries.operations import Add
from knowledge.notes.store import apply_operation
from tests.factories import make_session
from tests.inspector.person.people import make_fact, make_person


@pytest.fixture
def alice(porter, client):
    person, owner = make_person(porter)
    client.force_login(person)
    return owner


def post(client, name, owner, *args, **fields):
    return client.post(reverse(name, args=[owner.pk, *args]), fields, follow=True)


def correct(client, owner, fact, **fields):
    body = {
        "version": fact.version,
        "object": "salmon",
        "category": "preference",
        "confidence": "medium",
        **fields,
    }
    return post(client, "memory-correct", owner, "facts", fact.pk, **body)


@pytest.mark.requirement("OC-71")
def test_a_fact_is_corrected(client, alice):
    fact = make_fact(alice)

    page = correct(client, alice, fact).content.decode()

    fact.refresh_from_db()
    assert (fact.object, fact.category, fact.confidence, fact.version) == (
        "salmon",
        "preference",
        "medium",
        2,
    )
    assert "Corrected." in page
    assert "Changed by you" in page


def test_a_change_in_between_is_shown_and_one_s_words_are_kept(client, alice):
    fact = make_fact(alice)
    Fact.objects.filter(pk=fact.pk).update(object="tuna", version=2)

    answer = correct(client, alice, fact)

    assert answer.status_code == 409
    page = answer.content.decode()
    assert "Knows tuna" in page
    assert 'value="salmon"' in page
    assert 'name="version" value="2"' in page
    assert Fact.objects.get().object == "tuna"


@pytest.mark.parametrize(
    "fields",
    [
        {"object": ""},
        {"object": "x" * 201},
        {"category": "nonsense"},
        {"version": "0"},
        {"object": "a\0b"},
    ],
)
def test_what_cannot_be_is_said_beside_its_field(client, alice, fields):
    fact = make_fact(alice)

    page = correct(client, alice, fact, **fields)

    assert page.status_code == 200
    fact.refresh_from_db()
    assert fact.version == 1


def test_a_correction_can_be_taken_back(client, alice):
    fact = make_fact(alice)
    correct(client, alice, fact)
    made = Changeset.objects.get(origin="person")

    page = post(client, "memory-undo", alice, made.pk, layer="facts", item=fact.pk).content.decode()

    fact.refresh_from_db()
    assert fact.object == "trout"
    assert "Taken back." in page


def test_what_others_did_cannot_be_taken_back_here(client, alice):
    make_fact(alice)

    assert post(client, "memory-undo", alice, Changeset.objects.get().pk).status_code == 404


@pytest.mark.requirement("OC-71")
def test_forgetting_shows_first_what_goes(client, alice):
    facts = [make_fact(alice, name) for name in ("trout", "figs")]
    chosen = [f"{one.pk}:{one.version}" for one in facts]

    preview = post(client, "memory-forget", alice, "facts", item=chosen).content.decode()
    assert Fact.objects.count() == 2
    assert "Knows trout" in preview

    done = post(
        client, "memory-forget", alice, "facts", item=chosen, confirm="yes"
    ).content.decode()
    assert not Fact.objects.exists()
    assert "Forgotten: 2. Until" in done


def test_what_was_forgotten_is_shown_with_its_words_and_taken_back(client, alice):
    fact = make_fact(alice)
    chosen = {"item": f"{fact.pk}:{fact.version}", "confirm": "yes"}
    post(client, "memory-forget", alice, "facts", **chosen)
    shown = client.get(reverse("memory-forgotten", args=[alice.pk])).content.decode()
    assert "Knows trout" in shown
    assert "1 message no longer shown" in shown
    log = client.get(reverse("session", args=[fact.source_session])).content.decode()
    assert log.count("no prompt is shown this") == 1
    act = Forgetting.objects.get().pk

    page = post(client, "memory-take-back", alice, act).content.decode()
    assert "It is remembered again." in page
    assert Fact.objects.filter(pk=fact.pk).exists()
    assert "taken back already" in post(client, "memory-take-back", alice, act).content.decode()


def test_what_was_forgotten_goes_for_good_when_the_person_says_so(client, alice):
    fact = make_fact(alice)
    post(client, "memory-forget", alice, "facts", item=f"{fact.pk}:1", confirm="yes")

    page = post(client, "memory-finish", alice, Forgetting.objects.get().pk).content.decode()

    assert "It is gone for good." in page
    assert "trout" not in page
    assert Forgetting.objects.get().contents is None
    assert "Take back" not in page


def test_at_once_and_where_nothing_is_kept_there_is_nothing_to_take_back(client, alice, settings):
    for number, days in enumerate((7, 0)):
        settings.FORGOTTEN_DAYS = days
        fact = make_fact(alice, f"trout {number}")
        item = f"{fact.pk}:{fact.version}"
        preview = post(client, "memory-forget", alice, "facts", item=item).content.decode()
        assert ("you can take it back until" in preview) is bool(days)
        done = post(client, "memory-forget", alice, "facts", item=item, confirm="final")
        assert "Nothing brings it back." in done.content.decode()
    assert not Forgetting.objects.exclude(contents=None).exists()


def test_staff_see_that_something_was_forgotten_and_not_what(client, alice, operator):
    fact = make_fact(alice)
    post(client, "memory-forget", alice, "facts", item=f"{fact.pk}:1", confirm="yes")
    client.force_login(operator)

    shown = client.get(reverse("memory-forgotten", args=[alice.pk])).content.decode()

    assert "forgotten" in shown
    assert "trout" not in shown
    assert AuditEntry.objects.filter(subject=f"{alice.pk}:forgotten").exists()


def test_the_preview_names_notes_that_tell_the_same_and_stay(client, alice):
    fact = make_fact(alice)
    apply_operation(owner=alice, operation=Add("pets", "She feeds her cat trout."))

    preview = post(client, "memory-forget", alice, "facts", item=f"{fact.pk}:1").content.decode()

    assert "<li>pets</li>" in preview
    assert "<li>My cat only eats trout.</li>" in preview


def test_one_that_changed_since_stops_all(client, alice):
    facts = [make_fact(alice, name) for name in ("trout", "figs")]

    page = post(
        client,
        "memory-forget",
        alice,
        "facts",
        confirm="yes",
        item=[f"{facts[0].pk}:1", f"{facts[1].pk}:9"],
    )

    assert Fact.objects.count() == 2
    assert "Nothing was forgotten" in page.content.decode()


@pytest.mark.parametrize(
    "item", ["", "nonsense", "nonsense:1", "01a1fc16-b108-7283-92fb-dd5eeee93618:x"]
)
def test_nothing_chosen_forgets_nothing(client, alice, item):
    make_fact(alice)

    page = post(client, "memory-forget", alice, "facts", item=item, confirm="yes").content.decode()

    assert Fact.objects.count() == 1
    assert "Choose what is to be forgotten first." in page


def test_what_is_gone_already_is_not_said_to_be_forgotten(client, alice):
    fact = make_fact(alice)
    chosen = {"item": f"{fact.pk}:{fact.version}", "confirm": "yes"}

    first = post(client, "memory-forget", alice, "facts", **chosen).content.decode()
    second = post(client, "memory-forget", alice, "facts", **chosen).content.decode()

    assert "Forgotten: 1." in first
    assert "Forgotten:" not in second
    assert "What was chosen is gone already. Nothing was forgotten." in second


def test_a_fact_is_pinned_and_unpinned(client, alice):
    fact = make_fact(alice)
    for pinned in (True, False):
        post(client, "memory-pin", alice, "facts", fact.pk)
        fact.refresh_from_db()
        assert fact.is_pinned is pinned


def test_recall_is_switched(client, alice):
    for word, enabled in (("yes", True), ("no", False)):
        post(client, "memory-recall", alice, enabled=word)
        assert ProceduralProfile.objects.get(owner=alice).proactive_recall_enabled is enabled


def test_what_is_held_back_is_let_in(client, alice):
    fact = make_fact(alice, is_quarantined=True)

    post(client, "memory-release", alice, "facts", fact.pk)

    fact.refresh_from_db()
    assert fact.is_active
    assert (
        "no fact in quarantine"
        in post(client, "memory-release", alice, "facts", fact.pk).content.decode()
    )


def candidate(owner) -> Candidate:
    return Candidate.objects.create(
        session=make_session(owner.agent, owner.key),
        lane="semantic",
        turn=1,
        place=0,
        source_event="ev-1",
        payload={"predicate": "WANTS", "object": "a boat", "quote": "I want a boat."},
        action="commit_at_session_end",
        code="llm_policy",
        policy_version="1",
        state="held",
    )


def test_a_candidate_is_kept_or_dropped_with_its_words(client, alice):
    kept = candidate(alice)
    post(client, "memory-candidate", alice, kept.pk, keep="yes")
    kept.refresh_from_db()
    assert (kept.state, kept.action) == ("held", "commit_now")

    post(client, "memory-candidate", alice, kept.pk, keep="no")
    kept.refresh_from_db()
    assert (kept.state, kept.payload) == ("skipped", {})
    assert (
        "waits no more"
        in post(client, "memory-candidate", alice, kept.pk, keep="no").content.decode()
    )


def test_another_s_candidate_is_not_decided(client, alice, porter):
    _, bob = make_person(porter, "bob")
    one = candidate(bob)

    post(client, "memory-candidate", alice, one.pk, keep="no")

    one.refresh_from_db()
    assert one.state == "held"


@pytest.mark.parametrize(("keep", "count"), [("yes", 1), ("no", 0)])
def test_a_change_that_waits_is_approved_or_rejected(client, alice, keep, count):
    ApprovalPolicy.objects.create(
        agent=alice.agent, owner=alice, category="relationship", mode="approved"
    )
    from_rows = make_waiting(alice)

    post(client, "memory-change", alice, from_rows.pk, keep=keep)

    assert Fact.objects.count() == count


def make_waiting(owner) -> ChangeItem:
    fields = {
        "category": "relationship",
        "subject_type": "User",
        "subject": "user",
        "predicate": "KNOWS",
        "object_type": "Concern",
        "object": "trout",
        "evidence_quote": "x",
        "confidence": "high",
        "write_timing": "immediate",
        "write_reason": "x",
        "policy_version": "1",
    }
    change = ItemChange(
        "fact", "add", None, fields, Evidence("x", "", "high"), "llm_policy", "", "1"
    )
    made = apply_changes(owner=owner, origin="turn", run_key="1", changes=[change])
    return made.items.get(state="waiting")


def test_a_kind_is_never_remembered_again(client, alice):
    fact = make_fact(alice)
    ApprovalPolicy.objects.create(agent=alice.agent, owner=alice, category="goal", mode="approved")

    post(client, "memory-never", alice, category="relationship", layer="facts", item=fact.pk)
    post(client, "memory-never", alice, category="nonsense")

    modes = dict(ApprovalPolicy.objects.filter(owner=alice).values_list("category", "mode"))
    assert modes == {"goal": "approved", "relationship": "never"}


@pytest.mark.parametrize("name", ["memory-recall", "memory-never", "memory-forget"])
def test_nothing_is_done_to_another_s_memory(client, alice, porter, name):
    _, bob = make_person(porter, "bob")
    args = ["facts"] if name == "memory-forget" else []

    assert post(client, name, bob, *args, enabled="yes", category="goal").status_code == 404


@pytest.mark.parametrize("name", ["memory-recall", "memory-never"])
def test_a_form_without_its_token_is_refused(alice, name):
    outside = Client(enforce_csrf_checks=True)
    outside.force_login(alice.user)

    assert outside.post(reverse(name, args=[alice.pk]), {"enabled": "yes"}).status_code == 403
    assert outside.get(reverse(name, args=[alice.pk])).status_code == 405
