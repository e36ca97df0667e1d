import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from accounts.models import User
from consolidation.models import Job
from inspector import overview, paging
from tests.factories import make_ended_session, make_session


def shown(client, **query) -> str:
    return client.get(reverse("sessions"), query).content.decode()


def test_a_stranger_is_asked_to_sign_in(client, db):
    answer = client.get(reverse("sessions"))

    assert answer.status_code == 302
    assert answer.url.startswith(reverse("login"))


def test_it_shows_sessions_with_their_counts(desk, porter):
    make_ended_session(porter, ["one", "two"], external_id="chat-1")

    page = shown(desk)

    assert "chat-1" in page
    assert '<td class="number" data-unit="events">2</td>' in page
    assert '<td class="number" data-unit="chunks">2</td>' in page


def test_a_longer_list_asks_no_more_questions(desk, porter):
    make_session(porter, external_id="first")
    with CaptureQueriesContext(connection) as few:
        shown(desk)
    for number in range(10):
        make_session(porter, user=f"user {number}", external_id=str(number))

    with CaptureQueriesContext(connection) as many:
        shown(desk)

    assert len(many) == len(few)


def test_it_keeps_one_state(desk, porter):
    make_ended_session(porter, ["one"], external_id="ended-chat")
    make_session(porter, external_id="open-chat")

    page = shown(desk, state="open")

    assert "open-chat" in page
    assert "ended-chat" not in page


@pytest.mark.parametrize("words", ["CHAT-1", "alice", "porter", " chat "])
def test_it_finds_a_session_by_name_owner_and_agent(desk, porter, rival, words):
    make_session(porter, user="alice", external_id="chat-1")
    make_session(rival, user="bob", external_id="another")

    page = shown(desk, q=words)

    assert "chat-1" in page
    assert "another" not in page


def test_it_finds_a_session_by_its_id(desk, porter):
    wanted = make_session(porter, external_id="chat-1")
    make_session(porter, external_id="another")

    page = shown(desk, q=str(wanted.pk))

    assert "chat-1" in page
    assert "another" not in page


@pytest.mark.parametrize("words", ["\0", "%", "nobody", "'"])
def test_words_that_nothing_has_are_answered(desk, db, words):
    assert desk.get(reverse("sessions"), {"q": words}).status_code == 200


def test_the_next_page_keeps_what_was_asked_for(desk, porter):
    for number in range(26):
        make_session(porter, external_id=f"chat-{number}")
    make_session(porter, external_id="another")

    page = shown(desk, state="open", q="chat")

    assert 'href="?state=open&amp;q=chat&amp;page=2"' in page
    assert "1–25 of 26" in page
    assert "chat-0<" in shown(desk, state="open", q="chat", page="2")


def test_of_very_many_that_are_found_some_are_counted(desk, porter, monkeypatch):
    monkeypatch.setattr(paging, "MOST_FOUND", 30)
    for number in range(32):
        make_session(porter, external_id=f"chat-{number}")

    page = shown(desk, q="chat")

    assert "1–25 of more than 30" in page
    assert "26–30 of more than 30" in shown(desk, q="chat", page="9")
    assert "1–25 of 32" in shown(desk)


def test_it_finds_what_is_of_many_owners(desk, porter, monkeypatch):
    monkeypatch.setattr(overview, "FEW", 2)
    for name in ("alice", "alicia", "bob"):
        make_session(porter, user=name, external_id=f"talk with {name}")

    page = shown(desk, q="ali")

    assert page.count("talk with ali") == 2
    assert "talk with bob" not in page


def test_an_empty_list_says_how_sessions_come(desk, db):
    assert "POST /api/v1/sessions" in shown(desk)


def test_htmx_gets_the_table_alone(desk, porter):
    page = desk.get(reverse("sessions"), headers={"HX-Request": "true"})

    assert "<html" not in page.content.decode()
    assert 'id="rows"' in page.content.decode()
    assert "HX-Request" in page.headers["Vary"]


def test_the_state_of_the_work_is_shown_to_staff_alone(client, operator, porter):
    Job.objects.create(kind="embed", key="1", max_attempts=3, state="dead")
    make_session(porter, user="alice")

    client.force_login(User.objects.get(external_id="alice"))
    for_alice = shown(client)
    client.force_login(operator)
    for_operator = shown(client)

    assert "<b>1</b> dead" in for_operator
    assert "dead" not in for_alice


@pytest.fixture
def three_tenants(porter, rival):
    make_session(porter, user="alice", external_id="of-alice")
    make_session(porter, user="bob", external_id="of-bob")
    make_session(rival, user="alice", external_id="of-another-alice")


def seen_by(client, person: User) -> set[str]:
    # A later request must not see the rows that an earlier one kept on the person.
    client.force_login(User.objects.get(pk=person.pk))
    page = shown(client)
    return {name for name in ("of-alice", "of-bob", "of-another-alice") if name in page}


def test_a_person_sees_their_own_sessions(client, porter, three_tenants):
    alice = User.objects.get(external_id="alice", organization=porter.organization)

    assert seen_by(client, alice) == {"of-alice"}


def test_staff_see_those_of_their_organization(client, porter, three_tenants):
    staff = User.objects.create_user("charlie", is_staff=True, organization=porter.organization)

    assert seen_by(client, staff) == {"of-alice", "of-bob"}


def test_staff_of_no_organization_see_nothing(client, three_tenants):
    staff = User.objects.create_user("charlie", is_staff=True)

    assert seen_by(client, staff) == set()


def test_a_superuser_of_no_organization_sees_all(client, operator, three_tenants):
    assert seen_by(client, operator) == {"of-alice", "of-bob", "of-another-alice"}
