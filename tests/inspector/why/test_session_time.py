import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from consolidation.intake.accept import accept_events
from memory.models import Event
from tests.factories import make_session, said
from tests.inspector.why.story import HOSTILE, answer_to, call_of, make_talk


def answer(client, session, **query):
    return client.get(reverse("console-session", args=[session.pk]), query)


def shown(client, session, **query) -> str:
    return answer(client, session, **query).content.decode()


def test_both_lanes_stand_on_one_time_line(desk, talk):
    rows = answer(desk, talk).context["line"].rows

    assert {row.lane for row in rows} == {"edge", "core"}
    assert [row.at for row in rows] == sorted(row.at for row in rows)
    page = shown(desk, talk)
    assert '<li class="core">' in page
    assert "Compare the rents of three shops." in page


def test_a_call_stands_with_its_result(desk, talk):
    page = shown(desk, talk)

    call, result = page.index("find_rents("), page.index("Three shops: 900")
    assert call < result
    assert "</article>" not in page[call:result]
    assert page.count("Three shops: 900") == 1
    assert "on another page" not in page


def test_a_call_without_a_result_says_so(desk, porter):
    session = make_session(porter)
    accept_events(agent=porter, session=session, drafts=[call_of("call_1", "look", "{}")])

    assert "A call waits for its result." in shown(desk, session)


def test_a_result_is_shown_with_its_call_and_marked_on_a_later_page(desk, porter):
    session = make_session(porter)
    between = [said(f"remark {number}") for number in range(30)]
    drafts = [call_of("call_1", "look", "{}"), *between, answer_to("call_1", "a late result")]
    accept_events(agent=porter, session=session, drafts=drafts)

    first, second = shown(desk, session), shown(desk, session, page="2")

    assert "a late result" in first
    assert "a late result" in second
    assert "which is on another page" in second


def test_folds_markers_and_the_summary_stand_where_they_happened(desk, talk):
    rows = answer(desk, talk).context["line"].rows
    kinds = [row.kind for row in rows]
    page = shown(desk, talk)

    assert [kinds.count(kind) for kind in ("run", "marker", "summary")] == [1, 1, 1]
    assert kinds.index("run") < kinds.index("marker") < len(kinds) - 1
    assert "Fold applied" in page
    assert "Marker 1" in page
    assert "Summary, version" in page
    assert '<span class="state">folded</span>' in page


def test_a_sign_stands_on_one_page_only(desk, talk, porter):
    drafts = [said(f"remark {number}") for number in range(30)]
    accept_events(agent=porter, session=talk, drafts=drafts)

    first, second = shown(desk, talk), shown(desk, talk, page="2")

    assert first.count("Marker 1") + second.count("Marker 1") == 1
    assert "remark 29" in second


def test_the_pages_of_both_lanes_are_the_session_in_the_order_of_its_commits(desk, porter):
    session = make_session(porter)
    for lane, count in (("edge", 40), ("core", 3), ("edge", 2), ("core", 45), ("edge", 7)):
        for number in range(count):
            draft = said(f"{lane} {number}", "assistant" if lane == "core" else "user", lane=lane)
            accept_events(agent=porter, session=session, drafts=[draft])
    wanted = [event.pk for event in Event.objects.filter(session=session).as_committed()]

    pages = [answer(desk, session, page=str(page)).context["line"] for page in (1, 2, 3, 4)]

    shown_on = [[row.line.event.pk for row in page.rows] for page in pages]
    assert [len(page) for page in shown_on] == [25, 25, 25, 22]
    assert [id for page in shown_on for id in page] == wanted


def test_an_empty_session_says_so(desk, porter):
    assert "Nothing was said yet." in shown(desk, make_session(porter))


def test_an_erased_event_says_so(desk, talk):
    Event.objects.filter(session=talk).update(payload=None, salt=None)

    assert "<i>Erased</i>" in shown(desk, talk)


@pytest.mark.parametrize("words", HOSTILE)
def test_stored_markup_is_shown_and_not_run(desk, porter, words):
    session = make_session(porter, external_id=words)
    drafts = [said(words), call_of("call_1", words, words), answer_to("call_1", words)]
    accept_events(agent=porter, session=session, drafts=drafts)

    page = shown(desk, session)

    for live in ("<script>alert", "<img src=x", "<svg onload", 'href="javascript:'):
        assert live not in page
    assert "alert(" in page or "{{ 7" in page


def test_a_longer_session_asks_no_more_questions(desk, porter):
    short = make_talk(porter)
    long = make_session(porter, user="bob")
    calls = []
    for number in range(12):
        calls += [call_of(f"c{number}", "look", "{}"), answer_to(f"c{number}", "seen")]
    accept_events(agent=porter, session=long, drafts=[*calls, said("thanks")])
    shown(desk, short), shown(desk, long)  # the looks are noted
    with CaptureQueriesContext(connection) as few:
        shown(desk, short)

    with CaptureQueriesContext(connection) as many:
        shown(desk, long)

    assert len(many) == len(few)
