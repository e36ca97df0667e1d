"""A link lets one person in, once, for a while."""

from datetime import timedelta

import pytest
from django.test import Client
from django.utils import timezone

from accounts.errors import PageLinkRefused, PageLinkSpent
from accounts.page_links import make_page_link, person_of_link, use_page_link
from audit.models import AuditEntry
from tests.factories import make_agent, make_session

pytestmark = pytest.mark.django_db


def link(person, seconds: int = 60) -> str:
    return f"/enter/{make_page_link(person=person, seconds=seconds, actor='test')}/"


def test_looking_at_it_uses_nothing_up(client, alice):
    where = link(alice.user)

    for _ in range(2):
        shown = client.get(where)
        assert shown.status_code == 200
        assert b"Open my pages" in shown.content
        assert shown["Referrer-Policy"] == "same-origin"
    assert "_auth_user_id" not in client.session


def test_pressing_the_button_signs_in_once(client, alice):
    where = link(alice.user)

    first = client.post(where)
    second = Client().post(where)

    assert (first.status_code, first.url) == (302, "/memory/")
    assert client.session["_auth_user_id"] == str(alice.user_id)
    assert second.status_code == 410
    assert Client().get(where).status_code == 410
    assert AuditEntry.objects.filter(action="page_link.use").count() == 1


def test_every_other_link_ends_with_the_sign_in(client, alice):
    first, second = link(alice.user), link(alice.user)
    client.post(first)

    assert Client().post(second).status_code == 410


def test_it_leads_nowhere_else(client, alice):
    answer = client.post(link(alice.user) + "?next=https://elsewhere.example/", {"next": "//x"})

    assert answer.url == "/memory/"


@pytest.mark.parametrize(("late", "status"), [(50, 200), (61, 410)])
def test_it_ends_after_its_time(client, alice, monkeypatch, late, status):
    where = link(alice.user, seconds=60)
    then = timezone.now() + timedelta(seconds=late)
    monkeypatch.setattr("accounts.page_links.timezone.now", lambda: then)

    assert client.get(where).status_code == status


@pytest.mark.parametrize("token", ["x", "a:b:c", "9" * 5_000, "%00", "💩"])
def test_what_is_no_link_lets_nobody_in(client, db, token):
    assert client.get(f"/enter/{token}/").status_code == 410


def test_a_changed_link_is_none(client, alice):
    where = link(alice.user)

    assert client.post(where[:-3] + "x/").status_code == 410


def test_it_shows_alice_her_own_and_nobody_else_s(client, alice, rival):
    other = make_session(rival, "alice")
    client.post(link(alice.user))

    assert client.get(f"/memory/{alice.pk}/privacy/").status_code == 200
    assert client.get(f"/memory/{other.owner_id}/privacy/").status_code == 404


@pytest.mark.parametrize("field", ["is_staff", "is_superuser"])
def test_nobody_with_rights_gets_in_by_it(alice, field):
    token = make_page_link(person=alice.user, seconds=60, actor="test")
    setattr(alice.user, field, True)
    alice.user.save()

    with pytest.raises(PageLinkSpent):
        person_of_link(token)
    with pytest.raises(PageLinkRefused):
        make_page_link(person=alice.user, seconds=60, actor="test")


def test_whoever_has_a_password_signs_in_with_it(alice):
    token = make_page_link(person=alice.user, seconds=60, actor="test")
    alice.user.set_password("correct horse battery")
    alice.user.save()

    with pytest.raises(PageLinkSpent):
        use_page_link(token)


def test_an_agent_s_link_opens_what_that_agent_knows(client, alice):
    other = make_session(make_agent("baker"), alice.key).owner
    token = make_page_link(person=alice.user, seconds=60, actor="test", agent=alice.agent_id)

    client.post(f"/enter/{token}/")

    assert client.get(f"/memory/{alice.pk}/").status_code == 200
    assert client.get(f"/memory/{other.pk}/").status_code == 404


def test_a_link_without_an_agent_opens_all_of_the_person_s(client, alice):
    other = make_session(make_agent("baker"), alice.key).owner

    client.post(f"/enter/{make_page_link(person=alice.user, seconds=60, actor='test')}/")

    assert client.get(f"/memory/{other.pk}/").status_code == 200
