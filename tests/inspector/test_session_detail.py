import pytest
from django.urls import reverse

from accounts.models import User
from memory.models import Event, Session
from tests.factories import make_ended_session, make_session


@pytest.fixture
def desk(client, operator):
    client.force_login(operator)
    return client


def page_of(desk, session, **headers) -> str:
    return desk.get(reverse("session", args=[session.pk]), headers=headers).content.decode()


def test_it_shows_steps_events_and_chunks(desk, porter):
    session = make_ended_session(porter, ["My cat only eats trout."])

    page = page_of(desk, session)

    assert page.count("My cat only eats trout.") == 2
    assert "Step: chunk" in page
    assert "The event chain holds" in page


def test_stored_markup_is_shown_and_not_run(desk, porter):
    session = make_ended_session(porter, ["<script>alert(1)</script><img src=x onerror=alert(2)>"])

    page = page_of(desk, session)

    assert "<script>alert" not in page
    assert "<img src=x" not in page


def test_it_names_a_broken_event(desk, porter):
    session = make_ended_session(porter, ["one", "two"])
    Event.objects.filter(seq=2).update(payload={"content": "changed"})

    assert "broken at edge 2" in page_of(desk, session)


def test_an_erased_event_says_so(desk, porter):
    session = make_ended_session(porter, ["one"])
    Event.objects.update(payload=None, salt=None)

    assert "erased" in page_of(desk, session)


def test_htmx_gets_the_state_alone(desk, porter):
    page = page_of(desk, make_session(porter), **{"HX-Request": "true"})

    assert "<html" not in page
    assert 'id="state"' in page


def test_a_session_is_ended_from_the_page(desk, porter):
    session = make_session(porter)

    desk.post(reverse("session-end", args=[session.pk]))

    session.refresh_from_db()
    assert (session.state, session.end_reason) == ("closing", "web")


def test_nobody_opens_or_ends_what_is_not_theirs(client, porter):
    session = make_session(porter, user="alice")
    make_session(porter, user="bob")
    client.force_login(User.objects.get(external_id="bob"))

    assert client.get(reverse("session", args=[session.pk])).status_code == 404
    assert client.post(reverse("session-end", args=[session.pk])).status_code == 404
    assert Session.objects.get(pk=session.pk).is_open
