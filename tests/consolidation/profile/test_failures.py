"""Answers of no use, providers that are down, and what becomes of the observations."""

import pytest
from django.core.management import call_command

from accounts.billing import current
from consolidation.models import ContextEvent, Job, SynthesisRun
from consolidation.profile import schedule as memory_runner
from consolidation.profile.failure import put_back
from extraction.rules.model import OfflineChat
from knowledge.models import Changeset, ContextDocument
from providers.errors import (
    InputTooLong,
    OutOfCredit,
    ProviderRefused,
    ProviderUnavailable,
    ReplyMalformed,
    ReplyRefused,
)
from tests.consolidation.profile.observed import (
    ROUND,
    answer,
    narrative,
    observed,
    owner_of,
    scaffold,
    synthesise,
)
from tests.factories import run_jobs
from tests.providers.fake_openai import running

DOWN = [
    ProviderUnavailable("down"),
    ProviderUnavailable("429", retry_after=9.0, counts_as_attempt=False),
    ProviderRefused("401"),
]


@pytest.mark.requirement("TS-25")
@pytest.mark.parametrize(
    "failure",
    [
        ReplyMalformed("prose"),
        ReplyRefused("no"),
        InputTooLong("long"),
        answer(narrative=""),
        answer({"Dog": "Rex"}, narrative=" "),
    ],
)
def test_an_answer_of_no_use_changes_nothing_and_is_an_attempt(alice, asks, failure):
    asks(answer({"Name": "Alice"}, "Alice."), failure)
    observed(alice, "Alice.")
    synthesise(alice)
    event = observed(alice, "Rex.")

    job = synthesise(alice)

    assert (narrative(alice), scaffold(alice)) == ("Alice.", {"Name": "Alice"})
    event.refresh_from_db()
    assert (event.processed, event.attempts, event.set_aside_at, event.run) == (
        False,
        1,
        None,
        None,
    )
    assert event.error_code
    assert job.state == "due"
    assert Changeset.objects.count() == 1


@pytest.mark.requirement("TS-25")
@pytest.mark.parametrize(
    "reply",
    [
        "{}",
        "[1]",
        '{"updated_scaffold": "{}", "updated_working_memory": "A.", "facts_to_embed": []}',
        '{"updated_scaffold": {}, "updated_working_memory": 7, "facts_to_embed": []}',
        '{"updated_scaffold": {}, "updated_working_memory": "A.", "facts_to_embed": "one"}',
        '{"updated_scaffold": {}, "updated_working_memory": "A."}',
    ],
)
def test_an_endpoint_whose_answer_has_another_shape_changes_nothing(alice, settings, reply):
    event = observed(alice, "Rex.")
    with running() as server:
        server.script = [reply] * 3
        settings.CHAT, settings.OPENAI_BASE_URL = "openai", server.url
        synthesise(alice)

    event.refresh_from_db()
    assert (event.processed, event.attempts, event.error_code) == (False, 1, "reply_malformed")
    assert scaffold(alice) == {}


@pytest.mark.requirement("TS-32")
def test_after_three_attempts_observations_are_set_aside_and_can_be_put_back(alice, asks):
    bad = observed(alice, "Rex.")
    asks(*[ReplyMalformed("prose")] * 3)

    for _ in range(3):
        synthesise(alice)
    memory_runner.run(ROUND)
    run_jobs()

    bad.refresh_from_db()
    assert (bad.processed, bad.attempts, bad.error_code) == (False, 3, "reply_malformed")
    assert bad.set_aside_at
    assert SynthesisRun.objects.filter(state="failed").count() == 3
    assert put_back([bad.pk]) == 1
    assert put_back([bad.pk]) == 0
    run_jobs()
    bad.refresh_from_db()
    assert bad.processed


def test_what_came_later_has_its_own_attempts(alice, asks):
    first = observed(alice, "Rex.")
    asks(*[ReplyMalformed("prose")] * 3)
    synthesise(alice)
    synthesise(alice)
    second = observed(alice, "Tom.")

    synthesise(alice)

    run_jobs()
    first.refresh_from_db()
    second.refresh_from_db()
    assert first.set_aside_at
    assert (second.processed, second.attempts) == (True, 0)


@pytest.mark.requirement("TS-32")
@pytest.mark.parametrize("failure", DOWN)
def test_a_provider_that_is_down_is_no_attempt(alice, asks, failure):
    event = observed(alice, "I live in Lyon.")
    asks(*[failure] * 9)

    for _ in range(9):
        job = synthesise(alice)
        assert (job.state, job.attempts) == ("due", 0)

    event.refresh_from_db()
    assert (event.attempts, event.set_aside_at) == (0, None)
    assert SynthesisRun.objects.get().error_code == failure.code
    synthesise(alice)
    assert scaffold(alice) == {"Places": {"Home": "Lyon"}}
    assert SynthesisRun.objects.get().state == "done"


@pytest.mark.requirement("TS-35")
def test_one_users_failure_does_not_stop_the_others(porter, monkeypatch):
    users = ("alice", "bob", "charlie")
    owners = [owner_of(porter, user) for user in users]
    for owner in owners:
        observed(owner, f"My name is {owner.key.capitalize()}.")

    class Stumbles:
        name = model = "stumbles"

        def complete(self, task, *, seconds=None):
            if "Bob" in task.lines[0].text:
                raise ZeroDivisionError
            return OfflineChat().complete(task)

    monkeypatch.setattr("consolidation.profile.job.chat_model_named", lambda name: Stumbles())
    memory_runner.run(ROUND)
    run_jobs()

    assert [scaffold(owner) for owner in owners] == [{"Name": "Alice"}, {}, {"Name": "Charlie"}]
    assert Job.objects.get(key=str(owners[1].pk)).last_error_code == "ZeroDivisionError"


def test_an_item_that_cannot_be_stored_costs_itself_alone(alice, asks):
    event = observed(alice, "Rex is a dog.")
    changes = [
        {"op": "set", "path": "/Dog", "value": "Rex\0"},
        {"op": "set", "path": "/Age", "value": "1" * 20_001},
        {"op": "teleport", "path": "/Home", "value": "Lyon"},
        "prose",
        {"op": "set", "path": "/Pets/Dog", "value": "Rex", "refs": [f"ob-{event.pk.hex}"]},
    ]
    said = answer(narrative="Alice has a dog.", facts=["", 7, "x" * 2_001, "Rex is a dog."])
    asks(said | {"updated_scaffold": changes, "retire": [{"id": "d9"}, 3]})

    synthesise(alice)

    event.refresh_from_db()
    assert event.processed
    assert scaffold(alice) == {"Pets": {"Dog": "Rex"}}
    assert ContextDocument.objects.get().content == "Rex is a dog."
    assert SynthesisRun.objects.get().diagnostics["unfit"] == 9


def test_an_observation_that_no_model_can_work_in_costs_itself_alone(alice, monkeypatch):
    bad = [observed(alice, "Poison.")]
    good = [observed(alice, f"Number {place}.") for place in range(30)]
    asked = []

    class Chokes:
        name = model = "chokes"

        def complete(self, task, *, seconds=None):
            asked.append(len(task.lines))
            if any("Poison" in line.text for line in task.lines):
                raise ReplyMalformed("prose")
            return OfflineChat().complete(task)

    monkeypatch.setattr("consolidation.profile.job.chat_model_named", lambda name: Chokes())
    for _ in range(3):
        synthesise(alice)
    run_jobs()

    assert [event.content for event in ContextEvent.objects.filter(processed=False)] == ["Poison."]
    assert ContextEvent.objects.get(pk=bad[0].pk).set_aside_at
    assert ContextEvent.objects.filter(processed=True).count() == len(good)
    assert asked[:3] == [31, 14, 1]


def test_a_reply_to_what_was_erased_meanwhile_is_asked_for_anew(alice, asks):
    observed(alice, "I live in Lyon.")
    secret = observed(alice, "My dog is called Rex.")
    model = asks(lambda: secret.delete() and None)

    synthesise(alice)

    assert len(model.asked) == 2
    assert scaffold(alice) == {"Places": {"Home": "Lyon"}}


def test_a_run_whose_observations_are_all_erased_ends(alice, asks):
    event = observed(alice, "My dog is called Rex.")
    asks(lambda: event.delete() and None)

    synthesise(alice)

    assert (narrative(alice), scaffold(alice)) == ("", {})
    assert SynthesisRun.objects.get().state == "done"


def test_the_command_works_in_what_waits_and_may_run_again(porter, capsys):
    for user in ("alice", "bob"):
        observed(owner_of(porter, user), "I live in Lyon.")

    call_command("process_events", "--dry-run")
    assert "2 wait" in capsys.readouterr().out
    assert ContextEvent.objects.waiting().count() == 2
    call_command("process_events", "--user", "bob")
    assert "1 worked in, 0 wait" in capsys.readouterr().out
    assert scaffold(owner_of(porter, "alice")) == {}
    call_command("process_events")
    call_command("process_events")
    assert "0 worked in, 0 wait" in capsys.readouterr().out
    assert scaffold(owner_of(porter, "alice")) == {"Places": {"Home": "Lyon"}}
    assert SynthesisRun.objects.count() == 2


def test_the_command_tries_again_what_was_set_aside(alice, asks, capsys):
    observed(alice, "I live in Lyon.")
    asks(*[ReplyMalformed("prose")] * 3)
    for _ in range(3):
        synthesise(alice)

    call_command("process_events")
    assert "0 worked in, 0 wait, 1 set aside" in capsys.readouterr().out
    call_command("process_events", "--put-back")

    assert "1 worked in, 0 wait, 0 set aside" in capsys.readouterr().out


@pytest.mark.requirement("TS-48")
def test_without_vectors_the_picture_is_written_and_facts_wait(alice, settings):
    settings.EMBEDDER = "null"
    observed(alice, "I live in Lyon.")

    synthesise(alice)
    run_jobs()

    assert scaffold(alice) == {"Places": {"Home": "Lyon"}}
    assert narrative(alice) == "I live in Lyon."
    assert ContextDocument.objects.get().embedding_state == "pending"


def test_who_cannot_pay_waits_and_loses_nothing(alice, asks):
    event = observed(alice, "I live in Lyon.")
    asks(OutOfCredit("spent", retry_after=60.0))

    job = synthesise(alice)

    event.refresh_from_db()
    assert (job.state, job.last_error_code, event.attempts) == ("due", "out_of_budget", 0)


def test_the_call_is_charged_to_the_user(alice, asks):
    charged = []
    asks(lambda: charged.append(current().owner))
    observed(alice, "I live in Lyon.")

    synthesise(alice)

    assert charged == [alice.pk]
