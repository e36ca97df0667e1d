import pytest
from django.db import connection
from hypothesis import given, settings

from memory.deltas import (
    DeltaInvalid,
    DeltaMode,
    SummaryContent,
    SummaryDelta,
    SummaryFact,
    checked,
)
from memory.errors import SummaryChanged
from memory.models import ReferenceSummary
from memory.summaries import apply_delta, read_summary, render_summary
from tests.factories import make_session
from tests.memory.test_checked_delta import EVENT, JSON, NEARLY

FIRST = SummaryDelta(
    DeltaMode.APPEND,
    update="Alice bakes.",
    add_references=(EVENT, "s-1"),
    add_facts=(SummaryFact("city", "Graz", EVENT),),
)


@pytest.fixture
def window(porter):
    return make_session(porter).windows.get(lane="edge")


def stored(window) -> tuple[object, ...]:
    """Return every column of the summary, as the database has it."""
    with connection.cursor() as cursor:
        cursor.execute(
            "select row_to_json(s)::text from memory_referencesummary s where window_id = %s",
            (window.pk,),
        )
        return tuple(cursor.fetchall())


def test_before_the_first_delta_the_summary_is_empty(window):
    assert read_summary(window) == SummaryContent()
    assert not ReferenceSummary.objects.exists()


@pytest.mark.requirement("CH-23")
@pytest.mark.requirement("CH-24")
def test_what_is_stored_is_what_was_returned(window):
    changed = apply_delta(window=window, delta=FIRST, version=0, sessions={"s-1"})

    assert read_summary(window) == changed
    row = ReferenceSummary.objects.get()
    assert (row.text, row.version) == ("Alice bakes.", 1)
    assert row.facts == [{"key": "city", "value": "Graz", "source_event": EVENT}]
    assert (row.referenced_sessions, row.referenced_events) == (["s-1"], [EVENT])


def test_a_delta_for_an_older_version_changes_no_byte(window):
    apply_delta(window=window, delta=FIRST, version=0)
    before = stored(window)

    with pytest.raises(SummaryChanged):
        apply_delta(window=window, delta=FIRST, version=0)

    assert stored(window) == before


def test_each_lane_has_its_own(window):
    apply_delta(window=window, delta=FIRST, version=0)

    assert read_summary(window.session.windows.get(lane="core")) == SummaryContent()


@pytest.mark.requirement("CH-30")
@settings(max_examples=60)
@given(reply=JSON | NEARLY)
def test_a_broken_delta_changes_no_byte(window, reply):
    if not stored(window):
        apply_delta(window=window, delta=FIRST, version=0)
    before, version = stored(window), read_summary(window).version

    try:
        delta = checked({"memory_delta": reply}, events={EVENT})
    except DeltaInvalid:
        assert stored(window) == before
        return
    changed = apply_delta(window=window, delta=delta, version=version)
    assert read_summary(window) == changed


@pytest.mark.requirement("CH-15")
def test_the_prompt_shows_text_facts_and_the_hashes_by_which_to_look_them_up():
    fact = SummaryFact("city", "Graz", EVENT)

    assert render_summary(SummaryContent()) == ""
    assert render_summary(SummaryContent(text="Alice bakes.")) == "Alice bakes."
    assert render_summary(SummaryContent(facts=(fact,))) == f"Facts:\n- city: Graz ({EVENT})"
    links = SummaryContent(text="Alice bakes.", events=(EVENT,), sessions=("s1",))
    assert render_summary(links) == f"Events: {EVENT}\nSessions: s1\n\nAlice bakes."
    shown = render_summary(SummaryContent(text="Alice bakes.", facts=(fact,)))
    assert shown == f"Facts:\n- city: Graz ({EVENT})\n\nAlice bakes."
