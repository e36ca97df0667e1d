"""What every ledger does, in the database and in memory, of crises and of feedback."""

from datetime import UTC, date, datetime, timedelta
from uuid import UUID, uuid4

import pytest

from accounts.pseudonyms import session_pseudonym
from accounts.sealed.ledgers import Ledger, LedgerClosed, MemoryLedger, RecordExists
from accounts.sealed.stored import StoredLedger
from crisis.models import CrisisRecord
from feedback.models import FeedbackRecord

pytestmark = pytest.mark.usefixtures("auditor")

DAY = date(2026, 5, 8)
SESSION = UUID("01a1fc16-b108-7283-92fb-dd5eeee93618")
KINDS = {
    CrisisRecord: {"level": 2, "classifier_path": "llm_primary"},
    FeedbackRecord: {"label": "positive", "turn_count_at_end": 3, "source": "api_end"},
}


@pytest.fixture(params=[CrisisRecord, FeedbackRecord], ids=["crisis", "feedback"])
def model(request):
    return request.param


@pytest.fixture(params=["stored", "memory"])
def ledger(request, model) -> Ledger:
    return StoredLedger(model) if request.param == "stored" else MemoryLedger()


@pytest.fixture
def made(model):
    """Return a maker of records at a time, of a person."""

    def make(at: datetime, person: str | None = "p", **fields):
        opaque = {"session_opaque": session_pseudonym(SESSION), "person_opaque": person}
        return model(at=at, **opaque, **KINDS[model], **fields)

    return make


def at(day: date, hour: int = 12, **more) -> datetime:
    return datetime(day.year, day.month, day.day, hour, tzinfo=UTC, **more)


def test_a_record_is_appended_and_listed_by_its_day(ledger, made):
    late, early = made(at(DAY, 23)), made(at(DAY, 0))
    for one in (late, early, made(at(DAY + timedelta(1), 0)), made(at(DAY - timedelta(1), 23))):
        ledger.append(one)

    assert [one.pk for one in ledger.between(DAY, DAY)] == [early.pk, late.pk]
    assert len(ledger.between(DAY - timedelta(1), DAY)) == 3


def test_an_id_is_taken_once(ledger, made):
    first, twin = made(at(DAY), id=uuid4()), made(at(DAY), person="q")
    twin.pk = first.pk

    assert ledger.append_once(first)
    assert not ledger.append_once(twin)
    with pytest.raises(RecordExists):
        ledger.append(twin)

    assert [one.person_opaque for one in ledger.between(DAY, DAY)] == ["p"]


def test_it_counts_all_and_one_person_s(ledger, made):
    for person in ("p", "p", "q", None):
        ledger.append(made(at(DAY), person))

    assert (ledger.count(), ledger.count(person="p"), ledger.count(person="x")) == (4, 2, 0)


def test_a_purge_keeps_the_cutoff_day(ledger, made):
    ledger.append(made(at(DAY - timedelta(1), 23)))
    kept = made(at(DAY, 0))
    ledger.append(kept)

    assert ledger.purge_before(DAY, on=DAY + timedelta(90)) == 1
    assert [one.pk for one in ledger.between(DAY - timedelta(9), DAY)] == [kept.pk]


def test_a_held_record_outlives_the_purge_until_its_last_day_is_over(ledger, made):
    ledger.append(made(at(DAY)))
    until = DAY + timedelta(200)

    assert ledger.hold(session=session_pseudonym(SESSION), until=until, reason="court", by="bob")
    assert not ledger.hold(session=session_pseudonym(uuid4()), until=until, reason="x", by="bob")
    assert ledger.purge_before(DAY + timedelta(9), on=until) == 0
    (held,) = ledger.between(DAY, DAY)
    assert (held.retention_extended_reason, held.retention_extended_by) == ("court", "bob")
    assert ledger.purge_before(DAY + timedelta(9), on=until + timedelta(1)) == 1


def test_a_person_is_cut_from_their_records_unless_they_are_held(ledger, made):
    ledger.append(made(at(DAY)))
    ledger.append(made(at(DAY), "q"))

    assert ledger.anonymise(person="p", on=DAY) == 1
    assert ledger.count(person="p") == 0
    assert session_pseudonym(None) in [one.session_opaque for one in ledger.between(DAY, DAY)]

    ledger.hold(session=session_pseudonym(SESSION), until=DAY, reason="court", by="bob")
    assert ledger.anonymise(person="q", on=DAY) == 0
    assert ledger.count(person="q") == 1


def test_a_closed_ledger_takes_and_tells_nothing(ledger, made):
    ledger.append(made(at(DAY)))
    ledger.close()

    with pytest.raises(LedgerClosed):
        ledger.append(made(at(DAY)))
    with pytest.raises(LedgerClosed):
        ledger.count()


def test_a_ledger_in_memory_is_bounded(model, made, monkeypatch):
    monkeypatch.setattr("accounts.sealed.ledgers.MOST", 2)
    ledger: MemoryLedger = MemoryLedger()

    for _ in range(3):
        ledger.append(made(at(DAY)))

    assert ledger.count() == 2


def test_what_is_wrong_with_a_record_is_not_taken_for_a_repetition(made, model):
    record = made(None)

    with pytest.raises(Exception, match="null value"):
        StoredLedger(model).append_once(record)
