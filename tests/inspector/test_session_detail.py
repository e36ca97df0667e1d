import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from accounts.models import User
from consolidation.intake.accept import accept_events
from memory.messages import draft_of
from memory.models import Chunk, Event
from tests.factories import make_ended_session, make_session, said


def shown(client, session, headers=None, **query) -> str:
    answer = client.get(reverse("session", args=[session.pk]), query, headers=headers)
    return answer.content.decode()


def test_it_shows_how_far_the_end_has_come(desk, porter):
    session = make_ended_session(porter, ["My cat only eats trout."])

    page = shown(desk, session)

    assert "Step: chunk" in page
    assert "Step: embed" in page
    assert page.count('<span class="state done">done</span>') == 6


def test_it_shows_each_event_with_its_hash(desk, porter):
    session = make_ended_session(porter, ["My cat only eats trout."])

    page = shown(desk, session)

    assert "My cat only eats trout." in page
    assert Event.objects.get().reference in page
    assert "Verify the chain" in page


def test_it_shows_the_tools_that_were_called(desk, porter):
    session = make_session(porter)
    function = {"name": "forecast", "arguments": '{"place": "Lisbon"}'}
    call = {"id": "call_1", "type": "function", "function": function}
    asks = draft_of({"role": "assistant", "tool_calls": [call]})
    accept_events(agent=porter, session=session, drafts=[asks])

    page = shown(desk, session)

    assert "forecast({&quot;place&quot;: &quot;Lisbon&quot;})" in page


def test_it_shows_the_chunks(desk, porter):
    session = make_ended_session(porter, ["My cat only eats trout.", "The sun shines."])

    page = shown(desk, session, show="chunks")

    assert page.count('<article class="panel chunk">') == 2
    assert "My cat only eats trout." in page
    assert "vector done" in page


def test_a_long_log_is_shown_in_pages(desk, porter):
    session = make_session(porter)
    drafts = [said(f"remark {number}.") for number in range(30)]
    accept_events(agent=porter, session=session, drafts=drafts)

    first, second = shown(desk, session), shown(desk, session, page="2")

    assert "remark 24." in first
    assert "remark 25." not in first
    assert "remark 25." in second


def test_of_a_very_long_event_the_page_shows_the_beginning(desk, porter):
    session = make_session(porter)
    accept_events(agent=porter, session=session, drafts=[said("x" * 5000)])

    page = shown(desk, session)

    assert "x" * 4000 in page
    assert "x" * 4001 not in page
    assert "1000 more characters" in page


@pytest.mark.parametrize("show", ["events", "chunks"])
def test_a_longer_session_asks_no_more_questions(desk, porter, show):
    short = make_ended_session(porter, ["one"])
    long = make_ended_session(porter, [f"remark {number}" for number in range(12)], user="bob")
    with CaptureQueriesContext(connection) as few:
        shown(desk, short, show=show)

    with CaptureQueriesContext(connection) as many:
        shown(desk, long, show=show)

    assert len(many) == len(few)


@pytest.mark.parametrize("show", ["events", "chunks"])
def test_stored_markup_is_shown_and_not_run(desk, porter, show):
    hostile = "<script>alert(1)</script><img src=x onerror=alert(2)>"
    session = make_ended_session(porter, [hostile], external_id=hostile)

    page = shown(desk, session, show=show)

    assert "&lt;script&gt;alert" in page
    assert "<script>alert" not in page
    assert "<img src=x" not in page


def test_an_erased_event_says_so(desk, porter):
    session = make_ended_session(porter, ["one"])
    Event.objects.update(payload=None, salt=None)

    assert "Erased" in shown(desk, session)


def test_an_open_session_says_that_chunks_come_later(desk, porter):
    session = make_session(porter)

    assert "once it has ended" in shown(desk, session, show="chunks")
    assert not Chunk.objects.exists()


def test_htmx_gets_the_state_alone(desk, porter):
    page = shown(desk, make_session(porter), headers={"HX-Request": "true"})

    assert "<html" not in page
    assert 'id="state"' in page


def test_a_session_that_is_closed_is_asked_after_no_more(desk, porter):
    running, closed = make_session(porter, user="bob"), make_ended_session(porter, ["one"])

    assert "hx-trigger" in shown(desk, running)
    assert "hx-trigger" not in shown(desk, closed)


def test_another_persons_session_does_not_exist(client, porter):
    of_alice = make_session(porter, user="alice")
    of_bob = make_session(porter, user="bob")
    client.force_login(User.objects.get(external_id="bob"))

    assert client.get(reverse("session", args=[of_bob.pk])).status_code == 200
    assert client.get(reverse("session", args=[of_alice.pk])).status_code == 404


def test_staff_do_not_reach_the_session_of_another_organization(client, porter, rival):
    session = make_session(rival)
    staff = User.objects.create_user("charlie", is_staff=True, organization=porter.organization)
    client.force_login(staff)

    assert client.get(reverse("session", args=[session.pk])).status_code == 404
