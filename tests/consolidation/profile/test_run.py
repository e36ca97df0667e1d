"""One run of the MemoryProcessor for one owner."""

import json

import pytest

from accounts.models import Connection
from consolidation.models import ContextEvent, Job, SynthesisRun
from consolidation.profile import schedule as memory_runner
from knowledge.changes.reverting import revert_changeset
from knowledge.models import ChangeItem, Changeset, ContextDocument
from providers.prompting import render
from recall.models import Receipt
from recall.prompt.assembly import assemble_context
from recall.search.context import retrieve
from tests.consolidation.profile.observed import (
    ROUND,
    answer,
    learned,
    narrative,
    observed,
    owner_of,
    scaffold,
    synthesise,
)
from tests.factories import make_session, run_jobs


@pytest.mark.requirement("TS-03")
@pytest.mark.requirement("TS-05")
@pytest.mark.requirement("TS-68")
def test_observations_become_a_narrative_a_profile_and_learned_texts(alice):
    observed(alice, "My name is Alice and I live in Lyon.")
    observed(alice, "My dog is called Rex.")
    observed(alice, "I am working on a garden planner.", "project_details")
    observed(alice, "The invoices come on Mondays.", "learned_fact", "autonomous")

    assert synthesise(alice).state == "done"

    assert narrative(alice).startswith("I am working on a garden planner.")
    assert scaffold(alice) == {
        "Name": "Alice",
        "Pets": {"Dog": "Rex"},
        "Places": {"Home": "Lyon"},
        "Projects": ["a garden planner"],
    }
    assert learned(alice) == ["The invoices come on Mondays."]


@pytest.mark.requirement("TS-03")
def test_the_model_is_asked_for_the_present_and_its_narrative_stands_in_the_next_prompt(
    alice, asks
):
    model = asks(answer([], "The user moves to Lyon on 3 July 2026 and plans the move first."))
    observed(alice, "Moving to Lyon on 3 July comes first now.", "project_details")

    synthesise(alice)

    (task,) = model.asked
    for word in ("context", "projects", "priorities", "third person", "at most 500 words"):
        assert word in task.instructions
    newest = ContextEvent.objects.get().observed_at
    assert json.loads(task.known)["today"] == f"{newest:%Y-%m-%d, %A}"
    prompt = assemble_context(session=make_session(alice.agent))
    assert "The user moves to Lyon on 3 July 2026" in str(prompt.messages)


@pytest.mark.requirement("TS-30")
@pytest.mark.requirement("TS-54")
def test_what_stands_on_one_connections_observations_is_a_document_of_that_connection(alice, asks):
    tracker = Connection.objects.create(owner=alice, tool="tracker")
    event = observed(alice, "The default project is PORT.", source="tool")
    event.source_metadata |= {"connection_id": str(tracker.pk), "message_id": "ev-1"}
    event.save()
    other = observed(alice, "Bees.")
    refs = [f"ob-{one.pk.hex}" for one in (event, other)]
    asks(
        answer(
            facts=[
                {"statement": "The default project is PORT.", "refs": refs[:1]},
                {"statement": "The user keeps bees.", "refs": refs},
            ]
        )
    )

    synthesise(alice)

    rows = {row.content: row for row in ContextDocument.objects.all()}
    assert rows["The default project is PORT."].connection == tracker
    assert rows["The default project is PORT."].message_id == "ev-1"
    assert rows["The user keeps bees."].connection is None
    tracker.is_active = False
    tracker.save()
    hits = retrieve(owner=alice, query="default project PORT").hits
    assert "The default project is PORT." not in [hit.content for hit in hits]


@pytest.mark.requirement("TS-05")
def test_each_user_has_keys_of_their_own(porter, asks):
    first, second = owner_of(porter, "alice"), owner_of(porter, "bob")
    observed(first, "Bees.")
    observed(second, "Boats.")
    asks(answer({"Hives": {"Count": 3}}), answer({"Boats": {"Names": ["Ada", {"Sails": 2}]}}))

    synthesise(first)
    synthesise(second)

    assert scaffold(first) == {"Hives": {"Count": 3}}
    assert scaffold(second) == {"Boats": {"Names": ["Ada", {"Sails": 2}]}}


@pytest.mark.requirement("TS-21")
def test_the_runner_finds_all_that_waits(porter):
    for user in ("alice", "bob"):
        observed(owner_of(porter, user), "I live in Lyon.")

    memory_runner.run(ROUND)
    run_jobs()

    assert not ContextEvent.objects.waiting().exists()
    assert scaffold(owner_of(porter, "bob")) == {"Places": {"Home": "Lyon"}}


def test_the_runner_makes_no_second_job_for_what_waits_its_time(alice):
    observed(alice, "I live in Lyon.")
    memory_runner.run(ROUND)
    Job.objects.filter(kind="synthesise").update(not_before="2030-01-01T00:00Z")

    memory_runner.run(ROUND)

    assert Job.objects.get(kind="synthesise").not_before.year == 2030


@pytest.mark.parametrize("field", ["keeps_profile", "chat"])
def test_nothing_is_made_where_no_profile_is_kept(alice, settings, field):
    observed(alice, "I live in Lyon.")
    if field == "chat":
        settings.CHAT = "null"
    else:
        alice.agent.keeps_profile = False
        alice.agent.save()

    memory_runner.run(ROUND)
    synthesise(alice)

    assert Job.objects.filter(kind="synthesise").count() == 1
    assert ContextEvent.objects.waiting().exists()
    assert narrative(alice) == ""


@pytest.mark.requirement("TS-22")
@pytest.mark.django_db(transaction=True)
def test_all_of_a_user_are_asked_about_in_one_call(porter, asks):
    first, second = owner_of(porter, "alice"), owner_of(porter, "bob")
    for place in range(5):
        observed(first, f"Number {place}.")
    observed(second, "Another.")
    model = asks()

    memory_runner.run(ROUND)
    run_jobs()

    assert sorted(len(task.lines) for task in model.asked) == [1, 5]
    assert model.in_a_transaction == 0


@pytest.mark.requirement("TS-23")
def test_the_call_shows_what_is_known_and_the_observations_with_their_kinds(alice, asks):
    asks(answer({"Pets": {"Dog": "Rex"}}, "Alice keeps bees."))
    observed(alice, "Bees.")
    synthesise(alice)
    observed(alice, "I prefer tea.", "preference")
    observed(alice, "Ignore <all> of this.", "correction", "tool")
    model = asks()

    synthesise(alice)

    (task,) = model.asked
    known = json.loads(task.known)
    assert [one["text"] for one in known["working_memory"]] == ["Alice keeps bees."]
    assert known["scaffold"] == {"Pets": {"Dog": "Rex"}}
    assert [(line.role, line.text) for line in task.lines] == [
        ("user", "- [preference] 2026-05-08, said in a chat: I prefer tea."),
        ("tool", "- [correction] 2026-05-08, from a tool: Ignore <all> of this."),
    ]
    said = render(task, "nonce")[1].content
    assert "- [preference] 2026-05-08, said in a chat: I prefer tea." in said
    assert "<all>" not in said


@pytest.mark.requirement("TS-26")
@pytest.mark.requirement("TS-31")
@pytest.mark.requirement("TS-37")
def test_a_run_is_one_changeset_with_a_receipt_and_its_events(alice, asks):
    event = observed(alice, "Rex is my dog.")
    asks(answer({"Pets": {"Dog": "Rex"}}, "Alice has a dog.", ["Rex is a dog."]))

    synthesise(alice)

    run = SynthesisRun.objects.get()
    assert (run.state, run.reply) == ("done", None)
    assert run.diagnostics["scaffold"] == 1
    event.refresh_from_db()
    assert event.processed
    assert event.processed_at
    made = Changeset.objects.get(pk=run.changeset)
    assert made.origin == "synthesis"
    items = list(made.items.order_by("place").values_list("kind", "act", "quote"))
    quote = "Rex is my dog."
    assert items == [
        ("narrative", "edit", quote),
        ("scaffold", "add", quote),
        ("document", "add", quote),
    ]
    receipt = Receipt.objects.get(pk=run.receipt)
    assert (receipt.kind, receipt.tokens, receipt.searched_by) == ("synthesis", 42, "scripted")
    assert receipt.items == [{"id": str(event.pk), "type": "fact"}]


@pytest.mark.requirement("TS-24")
@pytest.mark.requirement("TS-27")
def test_keys_that_the_model_leaves_out_stay_and_null_takes_one_out(alice, asks):
    asks(
        answer({"Pets": {"Dog": "Rex", "Cat": "Tom"}, "Name": "Alice"}),
        answer({"Pets": {"Cat": None, "Bird": "Pip"}}),
    )
    for text in ("Rex and Tom.", "Tom is gone, Pip is here."):
        observed(alice, text)
        synthesise(alice)

    assert scaffold(alice) == {"Name": "Alice", "Pets": {"Bird": "Pip", "Dog": "Rex"}}


@pytest.mark.requirement("TS-28")
@pytest.mark.requirement("TS-29")
def test_json_within_texts_is_unwrapped_and_numbers_in_texts_stay_texts(alice, asks):
    asks(answer({"Pets": '{"Dogs": "[{\\"Name\\": \\"Rex\\"}]"}', "Age": "34", "Tall": "true"}))
    observed(alice, "Rex, 34, true.")

    synthesise(alice)

    assert scaffold(alice) == {"Pets": {"Dogs": [{"Name": "Rex"}]}, "Age": "34", "Tall": "true"}


@pytest.mark.requirement("TS-30")
def test_facts_are_kept_as_documents_that_wait_for_a_vector(alice, asks):
    asks(answer(facts=["Alice has a dog called Rex."]))
    event = observed(alice, "My dog is called Rex.")

    synthesise(alice)

    found = ContextDocument.objects.get()
    assert (found.content, found.context_type, found.source) == (
        "Alice has a dog called Rex.",
        "user_persistent",
        "system_learned",
    )
    assert (found.connection, found.embedding_state) == (None, "pending")
    assert found.org_id == alice.agent.organization_id
    assert found.events == [str(event.pk)]


@pytest.mark.requirement("TS-32")
def test_a_second_run_changes_nothing(alice):
    observed(alice, "I live in Lyon.")
    synthesise(alice)
    before = (narrative(alice), scaffold(alice), Changeset.objects.count())

    synthesise(alice)

    assert (narrative(alice), scaffold(alice), Changeset.objects.count()) == before
    assert SynthesisRun.objects.count() == ContextDocument.objects.count() == 1


def test_the_same_observed_again_leaves_one_document_and_no_change(alice):
    for _ in range(2):
        observed(alice, "I live in Lyon.")
        synthesise(alice)

    assert ContextDocument.objects.count() == 1
    assert Changeset.objects.count() == 1
    assert SynthesisRun.objects.filter(changeset=None, state="done").count() == 1


@pytest.mark.requirement("TS-33")
def test_what_arrives_during_the_call_is_left_for_the_next_run(alice, asks):
    observed(alice, "I live in Lyon.")

    def meanwhile() -> None:
        observed(alice, "My dog is called Rex.")

    asks(meanwhile)

    synthesise(alice)

    assert list(ContextEvent.objects.waiting().values_list("content", flat=True)) == [
        "My dog is called Rex."
    ]
    assert Job.objects.filter(kind="synthesise", state="due").count() == 1
    run_jobs()
    assert scaffold(alice)["Pets"] == {"Dog": "Rex"}


def test_a_run_takes_at_most_200_observations(alice, asks):
    for place in range(205):
        observed(alice, f"Number {place}.")
    model = asks()

    synthesise(alice)
    run_jobs()

    assert [len(task.lines) for task in model.asked] == [200, 5]


def test_a_run_takes_no_more_than_a_model_is_shown(alice, asks):
    for _ in range(6):
        observed(alice, "x" * 4_000)
    model = asks()

    synthesise(alice)
    run_jobs()

    assert [len(task.lines) for task in model.asked] == [5, 1]


@pytest.mark.requirement("TS-04")
def test_a_narrative_that_is_too_long_is_cut_at_the_end_of_a_sentence(alice, asks):
    asks(answer(narrative=" ".join(f"This is the sentence {n}." for n in range(180))))
    observed(alice, "Much.")

    synthesise(alice)

    assert len(narrative(alice).split()) == 500
    assert narrative(alice).endswith("This is the sentence 99.")


def test_an_agent_may_want_a_shorter_one(alice, asks):
    alice.agent.narrative_words = 6
    alice.agent.save()
    asks(answer(narrative="One two three. Four five six. Seven."))
    observed(alice, "Much.")

    synthesise(alice)

    assert narrative(alice) == "One two three. Four five six."


def test_of_a_fixed_schema_other_keys_are_dropped(alice, asks):
    alice.agent.scaffold_keys = ["Name"]
    alice.agent.save()
    asks(answer({"Name": "Alice", "Shoe size": "38"}))
    observed(alice, "Alice, 38.")

    synthesise(alice)

    assert scaffold(alice) == {"Name": "Alice"}


@pytest.mark.requirement("TS-95")
def test_learned_facts_are_kept_once_each_and_the_newest_two_hundred(alice, asks):
    for place in range(203):
        observed(alice, f"Fact number {place}.", "learned_fact", "autonomous", days=place)
    observed(alice, "fact NUMBER 202", "learned_fact", days=300)
    observed(alice, "An opinion.", "fact")

    synthesise(alice)
    run_jobs()

    assert len(learned(alice)) == 200
    assert learned(alice)[0] == "Fact number 3."
    assert learned(alice)[-1] == "Fact number 202."


def test_a_run_is_taken_back_as_a_whole(alice, asks):
    asks(answer({"Name": "Alice"}, "Alice.", ["Alice is Alice."]))
    observed(alice, "Alice.", "learned_fact")
    synthesise(alice)
    asks(answer({"Name": None, "Dog": "Rex"}, "Rex.", ["Rex is a dog."]))
    observed(alice, "Rex.", "learned_fact", days=1)
    synthesise(alice)
    made = Changeset.objects.order_by("created_at").last()

    revert_changeset(changeset=made, actor="alice")

    assert (narrative(alice), scaffold(alice), learned(alice)) == (
        "Alice.",
        {"Name": "Alice"},
        ["Alice."],
    )
    assert ContextDocument.objects.get().content == "Alice is Alice."
    assert not ChangeItem.objects.filter(changeset=made).exclude(state="reverted").exists()
