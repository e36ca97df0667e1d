import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from accounts.models import User
from consolidation.intake.accept import accept_events
from memory.models import Event
from tests.factories import make_session, said


@pytest.fixture
def session(porter):
    opened = make_session(porter)
    accept_events(agent=porter, session=opened, drafts=[said("one"), said("two")])
    return opened


def asked(client, session, headers=None) -> str:
    return client.get(reverse("session-chain", args=[session.pk]), headers=headers).content.decode()


def test_a_whole_chain_is_verified(desk, session):
    page = asked(desk, session)

    assert "every event is as it was committed" in page
    assert reverse("session", args=[session.pk]) in page


def test_it_names_a_broken_event(desk, session):
    Event.objects.filter(seq=2).update(payload={"content": "changed"})

    page = asked(desk, session)

    assert "broken: edge 2, the payload is not the one committed to" in page
    assert "is verified" not in page


def test_htmx_gets_the_verdict_alone(desk, session):
    page = asked(desk, session, headers={"HX-Request": "true"})

    assert "<html" not in page
    assert 'id="chain"' in page


def test_the_session_s_page_reads_no_more_events_than_it_shows(desk, session, porter):
    drafts = [said(f"remark {number}") for number in range(60)]
    accept_events(agent=porter, session=session, drafts=drafts)

    with CaptureQueriesContext(connection) as asked:
        desk.get(reverse("session", args=[session.pk]))

    reads = [q["sql"] for q in asked if 'SELECT "memory_event"."id"' in q["sql"]]
    assert len(reads) == 1
    assert "LIMIT 25" in reads[0]


def test_another_persons_chain_does_not_exist(client, session, porter):
    make_session(porter, user="bob")
    client.force_login(User.objects.get(external_id="bob"))

    assert client.get(reverse("session-chain", args=[session.pk])).status_code == 404
