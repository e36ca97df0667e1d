"""manage.py crisis and manage.py feedback."""

import io
import json
from datetime import UTC, date, datetime, timedelta
from uuid import uuid4

import pytest
from django.contrib import admin
from django.core.management import CommandError, call_command

from accounts.sealed.custody import purge_records
from audit.models import AuditEntry
from crisis.log import NAME, STORED, Detection, report_crisis
from crisis.models import CrisisDay, CrisisRecord
from feedback.models import FeedbackRecord
from feedback.record import STORED as LABELS
from feedback.record import record_feedback
from memory.models import Session
from tests.factories import make_session

pytestmark = pytest.mark.usefixtures("auditor")


@pytest.fixture
def session(porter) -> Session:
    """Return a session with a record in each ledger."""
    session = make_session(porter)
    report(session, level=3, resource_count=1)
    record_feedback(session=session.pk, owner=session.owner, label="negative", turns=3)
    return session


def report(session, level: int = 2, **fields):
    detection = Detection(level=level, classifier_path="llm_primary", **fields)
    report_crisis(session=session.pk, owner=session.owner, detection=detection)


def run(*words: str) -> str:
    out = io.StringIO()
    call_command(*words, stdout=out)
    return out.getvalue()


def today() -> date:
    return datetime.now(UTC).date()


def age(days: int) -> None:
    for model in (CrisisRecord, FeedbackRecord):
        model.objects.update(at=datetime.now(UTC) - timedelta(days=days))


@pytest.mark.parametrize(("name", "told"), [("crisis", "imminent"), ("feedback", "negative")])
def test_a_list_is_audited_with_its_reason_and_shows_no_person(session, name, told):
    (line,) = run(name, "list", "--reason", "incident_7").splitlines()

    shown = json.loads(line)
    assert shown.get("label", "imminent" if shown.get("level") == 3 else "") == told
    assert shown["at"].endswith("Z")
    assert session.owner.key not in line
    entry = AuditEntry.objects.get(action=f"{name}.read")
    assert entry.detail == {"reason": "incident_7"}
    assert entry.actor.startswith("command ")


@pytest.mark.parametrize(
    "words",
    [
        ["list"],
        ["list", "--reason", "she said so"],
        ["list", "--reason", "x", "--since", "monday"],
        ["hold", str(uuid4()), "--reason", "court"],
    ],
)
def test_without_a_code_or_a_day_nothing_is_done(session, words):
    with pytest.raises(CommandError):
        run("crisis", *words)
    assert not AuditEntry.objects.filter(action__startswith="crisis").exists()


@pytest.mark.requirement("OC-64")
@pytest.mark.parametrize(
    ("name", "model", "days"), [("crisis", CrisisRecord, 90), ("feedback", FeedbackRecord, 180)]
)
def test_a_purge_deletes_what_is_older_and_keeps_the_cutoff_day(session, name, model, days):
    age(days)
    assert run(name, "purge", "--confirm", "purge") == "0 deleted\n"
    assert model.objects.count() == 1

    age(days + 1)
    assert run(name, "purge", "--confirm", "purge") == "1 deleted\n"
    assert AuditEntry.objects.filter(action=f"{name}.purge").count() == 2


@pytest.mark.requirement("OC-64")
def test_the_cutoff_day_is_kept_to_its_first_moment(porter):
    session, day = make_session(porter), date(2026, 5, 8)
    report(session)
    report(session)
    first, second = CrisisRecord.objects.all()
    midnight = datetime(2026, 2, 7, tzinfo=UTC)
    for record, at in ((first, midnight), (second, midnight - timedelta(microseconds=1))):
        CrisisRecord.objects.filter(pk=record.pk).update(at=at)

    assert purge_records(name=NAME, ledger=STORED, days=90, actor="test", today=day) == 1
    assert CrisisRecord.objects.get().pk == first.pk


@pytest.mark.parametrize("word", ["yes", "Purge", ""])
def test_without_the_typed_word_nothing_is_deleted(session, monkeypatch, word):
    age(900)
    monkeypatch.setattr("builtins.input", lambda prompt: word)

    with pytest.raises(CommandError, match="nothing was deleted"):
        run("crisis", "purge")
    assert CrisisRecord.objects.count() == 1


def test_the_typed_word_purges(session, monkeypatch):
    age(900)
    monkeypatch.setattr("builtins.input", lambda prompt: "purge")

    assert run("feedback", "purge") == "1 deleted\n"


@pytest.mark.parametrize("name", ["crisis", "feedback"])
def test_a_hold_keeps_a_session_s_records_from_the_purge(session, name):
    until = str(today() + timedelta(3))

    assert run(name, "hold", str(session.pk), "--until", until, "--reason", "court") == "1 held\n"
    with pytest.raises(CommandError, match="nothing is held"):
        run(name, "hold", str(uuid4()), "--until", until, "--reason", "court")
    age(900)

    assert run(name, "purge", "--confirm", "purge") == "0 deleted\n"
    held = AuditEntry.objects.filter(action=f"{name}.hold", detail__held=1).get()
    assert held.detail["reason"] == "court"
    assert str(session.pk) not in held.subject


@pytest.mark.parametrize(("name", "ledger"), [("crisis", STORED), ("feedback", LABELS)])
def test_a_person_is_cut_from_their_records(session, porter, name, ledger):
    thread = make_session(porter, user=None, external_id="t")

    assert run(name, "anonymise", str(session.owner_id)) == "1 anonymised\n"
    assert run(name, "anonymise", str(thread.owner_id)) == "0 anonymised\n"
    with pytest.raises(CommandError, match="no owner"):
        run(name, "anonymise", "999999")

    (record,) = ledger.between(today(), today())
    assert record.person_opaque is None


def test_the_year_s_numbers_name_nobody_and_outlive_the_records(session, porter):
    report(make_session(porter, "bob"), level=2)
    report(make_session(porter, "bob"), level=2, resource_count=1)
    CrisisRecord.objects.all().delete()

    assert run("crisis", "count").splitlines() == [
        "level 0: 0",
        "level 1: 0",
        "level 2: 2",
        "level 3: 1",
        "referrals: 2",
    ]
    assert run("crisis", "count", "--year", "1999").splitlines()[-1] == "referrals: 0"
    assert {field.name for field in CrisisDay._meta.get_fields()} == {
        "id",
        "day",
        "level",
        "is_referral",
        "count",
    }


def test_the_year_s_labels_are_counted(session):
    assert run("feedback", "count").split("\n")[:3] == ["positive: 0", "negative: 1", "skip: 0"]


@pytest.mark.parametrize("year", ["0", "99999", "-1", "next"])
def test_a_year_that_is_none_is_refused(session, year):
    with pytest.raises(CommandError, match="a year is a number"):
        run("feedback", "count", f"--year={year}")


def test_the_admin_shows_none_of_them():
    shown = {model._meta.app_label for model in admin.site._registry}

    assert not shown & {"crisis", "feedback"}
