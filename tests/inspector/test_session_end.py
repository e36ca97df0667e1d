from django.test import Client
from django.urls import reverse

from accounts.models import User
from memory.models import Session
from tests.factories import make_session


def end(client, session):
    return client.post(reverse("session-end", args=[session.pk]))


def test_a_session_is_ended_from_its_page(desk, porter):
    session = make_session(porter)

    answer = end(desk, session)

    session.refresh_from_db()
    assert (session.state, session.end_reason) == ("closing", "web")
    assert answer.url == reverse("session", args=[session.pk])


def test_a_session_that_was_ended_already_keeps_its_reason(desk, porter):
    session = make_session(porter)
    Session.objects.update(state="closing", end_reason="explicit")

    end(desk, session)

    session.refresh_from_db()
    assert session.end_reason == "explicit"


def test_nobody_ends_what_is_not_theirs(client, porter):
    of_alice = make_session(porter, user="alice")
    make_session(porter, user="bob")
    client.force_login(User.objects.get(external_id="bob"))

    answer = end(client, of_alice)

    assert answer.status_code == 404
    assert Session.objects.get(pk=of_alice.pk).is_open


def test_looking_ends_nothing(desk, porter):
    session = make_session(porter)

    assert desk.get(reverse("session-end", args=[session.pk])).status_code == 405


def test_another_site_cannot_end_a_session_for_its_visitor(operator, porter):
    session = make_session(porter)
    visitor = Client(enforce_csrf_checks=True)
    visitor.force_login(operator)

    answer = end(visitor, session)

    assert answer.status_code == 403
    assert "<h1>This page is older than your sign-in</h1>" in answer.content.decode()
    assert Session.objects.get(pk=session.pk).is_open
