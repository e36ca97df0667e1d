import pytest

from knowledge.notes.archives import write_archive
from memory.deltas import DeltaMode, SummaryDelta
from memory.models import CompactMarker
from memory.summaries import apply_delta
from recall.prompt.summary import replayed
from tests.factories import WHEN, make_session


def mark(session, number: int, name: str) -> None:
    CompactMarker.objects.create(
        session=session,
        lane="edge",
        number=number,
        seq=number,
        folded=[number],
        archive_name=name,
        archived_at=WHEN,
    )


@pytest.mark.parametrize("strategy", ["reference_summary", "summarize_tail", "archive"])
def test_before_the_first_fold_there_is_nothing(porter, strategy):
    session = make_session(porter, strategy=strategy)

    assert replayed(session, session.windows.get(lane="edge")) == ""


def test_a_reference_summary_is_rendered(porter):
    session = make_session(porter)
    window = session.windows.get(lane="edge")
    apply_delta(
        window=window, delta=SummaryDelta(DeltaMode.APPEND, update="Alice bakes."), version=0
    )

    assert replayed(session, window) == "Alice bakes."
    assert replayed(session, session.windows.get(lane="core")) == ""


def test_the_latest_marker_names_the_archive(porter):
    session = make_session(porter, strategy="archive")
    for number, content in ((1, "The first."), (2, "The second.")):
        archive = write_archive(owner=session.owner, session_name="trip", content=content)
        mark(session, number, archive.name)

    assert replayed(session, session.windows.get(lane="edge")) == "The second."
    assert replayed(session, session.windows.get(lane="core")) == ""


def test_an_archive_that_is_gone_is_named(porter):
    session = make_session(porter, strategy="archive")
    mark(session, 1, "trip-1")

    assert replayed(session, session.windows.get(lane="edge")) == (
        "[The archive trip-1 is missing.]"
    )
