"""The structure of a profile, tidied alone."""

import pytest

from consolidation.job_kinds import run_job
from consolidation.jobs.queue import enqueue
from consolidation.models import Job
from consolidation.profile.tidying import job as tidying
from knowledge.changes.reverting import revert_changeset
from knowledge.models import Changeset, ScaffoldEntry
from knowledge.profile.edit import edit_profile
from providers.chat import Completion
from providers.errors import ReplyMalformed
from tests.consolidation.profile.observed import answer, change, observed, scaffold, synthesise


@pytest.fixture
def tidies(monkeypatch):
    def use(*renames: tuple[str, str], failure: Exception | None = None) -> None:
        class Model:
            name = model = "scripted"

            def complete(self, task, *, seconds=None):
                if failure:
                    raise failure
                said = {"renames": [{"path": path, "to": to} for path, to in renames]}
                return Completion(task.answer.model_validate(said), "scripted", 3, 4)

        monkeypatch.setattr(
            "consolidation.profile.tidying.job.chat_model_named", lambda name: Model()
        )

    return use


def tidy(owner) -> Job:
    job = enqueue(kind=tidying.KIND, key=str(owner.pk), subject=f"profile:{owner.pk}")
    run_job(job)
    return Job.objects.get(pk=job)


@pytest.mark.requirement("TS-05")
def test_keys_are_renamed_and_joined_and_no_value_changes(alice, asks, tidies):
    event = observed(alice, "Lyon, tea, figs.", "correction")
    asks(
        answer(
            [
                change("set", "/home_town", "Lyon", event),
                change("add", "/Likes", "tea", event),
                change("add", "/Likings", "figs", event),
            ]
        )
    )
    synthesise(alice)
    tidies(("/home_town", "/Places/Home"), ("/Likings", "/Likes"), ("/Nowhere", "/Somewhere"))

    assert tidy(alice).state == "done"

    assert scaffold(alice) == {"Places": {"Home": "Lyon"}, "Likes": ["tea", "figs"]}
    entry = ScaffoldEntry.objects.get(path="/Places/Home")
    assert (entry.confidence, entry.is_correction, entry.evidence) == (0.85, True, [event.pk])

    revert_changeset(changeset=Changeset.objects.get(run_key__startswith="tidying"), actor="alice")
    assert scaffold(alice) == {"home_town": "Lyon", "Likes": ["tea"], "Likings": ["figs"]}


def test_a_malformed_reply_changes_nothing_and_is_asked_for_again(alice, asks, tidies):
    asks(answer({"Name": "Alice"}))
    observed(alice, "Alice.")
    synthesise(alice)
    tidies(failure=ReplyMalformed("prose"))

    job = tidy(alice)

    assert (job.state, job.attempts, job.last_error_code) == ("due", 1, "reply_malformed")
    assert scaffold(alice) == {"Name": "Alice"}


def test_it_is_asked_for_once_in_many_runs(alice, asks, monkeypatch):
    monkeypatch.setattr(tidying, "EVERY_RUNS", 2)
    leaves = {f"/Key {place}": str(place) for place in range(12)}
    edit_profile(owner=alice, part="scaffold", fields=leaves, actor="alice")
    asked = []
    for day in range(3):
        observed(alice, "Bees.", days=day)
        synthesise(alice)
        asked.append(Job.objects.filter(kind=tidying.KIND, state="due").exists())

    assert asked == [False, True, True]
