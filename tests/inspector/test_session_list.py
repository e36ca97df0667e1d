import pytest
from django.urls import reverse

from accounts.models import User
from tests.factories import make_ended_session, make_session


@pytest.fixture
def desk(client, operator):
    client.force_login(operator)
    return client


def test_a_stranger_is_asked_to_sign_in(client, db):
    answer = client.get(reverse("sessions"))

    assert answer.status_code == 302
    assert answer.url.startswith(reverse("login"))


def test_it_shows_sessions_with_their_counts(desk, porter):
    make_ended_session(porter, ["one", "two"], external_id="chat-1")

    page = desk.get(reverse("sessions")).content.decode()

    assert "chat-1" in page
    assert page.count('<td class="number">2</td>') == 2


def test_a_longer_list_asks_no_more_questions(desk, porter, django_assert_max_num_queries):
    for number in range(10):
        make_session(porter, external_id=str(number))

    with django_assert_max_num_queries(9):
        desk.get(reverse("sessions"))


def test_it_keeps_one_state(desk, porter):
    make_ended_session(porter, ["one"], external_id="ended")
    make_session(porter, external_id="running")

    page = desk.get(reverse("sessions"), {"state": "open"}).content.decode()

    assert "running" in page
    assert "ended" not in page


def test_htmx_gets_the_table_alone(desk, porter):
    page = desk.get(reverse("sessions"), headers={"HX-Request": "true"}).content.decode()

    assert "<html" not in page
    assert 'id="rows"' in page


def test_people_see_their_own_sessions_and_staff_those_of_their_organization(client, porter, rival):
    make_session(porter, user="alice", external_id="of-alice")
    make_session(porter, user="bob", external_id="of-bob")
    make_session(rival, user="alice", external_id="of-another-alice")
    alice = User.objects.get(external_id="alice", organization=porter.organization)
    staff = User.objects.create_user("charlie", is_staff=True)
    User.objects.filter(pk=staff.pk).update(organization=porter.organization)

    def seen_by(person):
        client.force_login(User.objects.get(pk=person.pk))
        page = client.get(reverse("sessions")).content.decode()
        return {name for name in ("of-alice", "of-bob", "of-another-alice") if name in page}

    assert seen_by(alice) == {"of-alice"}
    assert seen_by(staff) == {"of-alice", "of-bob"}
