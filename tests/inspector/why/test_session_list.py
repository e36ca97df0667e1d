from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from tests.factories import make_ended_session, make_session


def shown(client, **query) -> str:
    return client.get(reverse("console-sessions"), query).content.decode()


def test_it_lists_sessions_with_their_counts(desk, porter):
    session = make_ended_session(porter, ["one", "two"], external_id="chat-1")

    page = shown(desk)

    assert reverse("console-session", args=[session.pk]) in page
    assert '<td class="number">2<small class="unit"> events</small></td>' in page


def test_it_keeps_one_agent_one_state_and_some_words(desk, porter, rival):
    make_ended_session(porter, ["one"], external_id="ended-chat")
    make_session(porter, external_id="open-chat")
    make_session(rival, external_id="another-chat")

    of_porter, open_ones = shown(desk, agent=str(porter.pk)), shown(desk, state="open")

    assert ("another-chat" in of_porter, "open-chat" in of_porter) == (False, True)
    assert ("another-chat" in open_ones, "ended-chat" in open_ones) == (True, False)
    assert "ended-chat" not in shown(desk, q="open-")
    assert "No session matches." in shown(desk, q="nothing-of-that-name")


def test_it_goes_on_where_a_page_ends(desk, porter):
    for number in range(27):
        make_session(porter, external_id=f"chat-{number:02}")

    first = desk.get(reverse("console-sessions"))
    before = first.context["listed"].next
    second = shown(desk, before=before)

    assert first.content.decode().count('class="state open"') == 25
    assert second.count('class="state open"') == 2
    assert "chat-00" in second


def test_a_longer_list_asks_no_more_questions(desk, porter):
    make_session(porter, external_id="first")
    with CaptureQueriesContext(connection) as few:
        shown(desk)
    for number in range(10):
        make_session(porter, user=f"user {number}", external_id=str(number))

    with CaptureQueriesContext(connection) as many:
        shown(desk)

    assert len(many) == len(few)
