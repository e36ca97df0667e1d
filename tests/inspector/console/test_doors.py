"""Every route of the console, and who may open it."""

from uuid import UUID

import pytest
from django.test import Client
from django.urls import get_resolver, reverse

from accounts.models import User
from inspector.console.urls import urlpatterns

ID = UUID("01a1fc16-b108-7283-92fb-dd5eeee93618")
# What each answers to staff of an organization, to the keeper of the installation: with ids of nothing.
TABLE = {
    "console": ("get", (), 200, 200),
    "console-event-put-back": ("post", (ID,), 403, 404),
    "console-jobs": ("get", (), 404, 200),
    "console-job-retry": ("post", (7,), 404, 404),
    "console-job-cancel": ("post", (7,), 404, 404),
    "console-spaces": ("get", (), 404, 200),
    "console-space-compare": ("post", (7,), 404, 404),
    "console-space-fill": ("post", (7,), 404, 404),
    "console-space-switch": ("post", (7,), 404, 404),
    "console-agents": ("get", (), 200, 200),
    "console-agent": ("get", (ID,), 404, 404),
    "console-key-issue": ("post", (ID,), 403, 404),
    "console-key-revoke": ("post", (ID, ID), 403, 404),
    "console-agent-stop": ("post", (ID,), 403, 404),
    "console-costs": ("get", (), 200, 200),
    "console-budget": ("post", (), 403, 302),
    "console-balance": ("post", (), 403, 404),
    "console-candidates": ("get", (), 200, 200),
    "console-rules": ("get", (), 200, 200),
    "console-policies": ("get", (), 200, 200),
    "console-policy": ("get", (ID,), 404, 404),
    "console-sealed": ("get", (), 404, 200),
}


def ask(client: Client, name: str) -> int:
    method, ids, *_ = TABLE[name]
    answer = getattr(client, method)(
        reverse(name, args=ids), {"dollars": "x"} if "budget" in name else {}
    )
    return int(answer.status_code)


def test_the_table_names_every_route():
    assert set(TABLE) == {one.name for one in urlpatterns}


@pytest.mark.parametrize("name", TABLE)
def test_a_stranger_is_asked_to_sign_in(client, db, name):
    method, ids, *_ = TABLE[name]

    answer = getattr(client, method)(reverse(name, args=ids))

    assert answer.url.startswith(reverse("login"))


@pytest.mark.parametrize("name", TABLE)
def test_a_person_finds_nothing(client, porter, name):
    client.force_login(User.objects.create_user("alice", organization=porter.organization))

    assert ask(client, name) == 404


@pytest.mark.parametrize("name", TABLE)
def test_staff_of_an_organization(staff, name):
    assert ask(staff, name) == TABLE[name][2]


@pytest.mark.parametrize("name", TABLE)
def test_the_keeper_of_the_installation(desk, porter, name):
    assert ask(desk, name) == TABLE[name][3]


@pytest.mark.parametrize("name", [name for name in TABLE if TABLE[name][0] == "post"])
def test_no_act_is_done_without_the_token(operator, name):
    strict = Client(enforce_csrf_checks=True)
    strict.force_login(operator)

    assert ask(strict, name) == 403


@pytest.mark.parametrize("name", [name for name in TABLE if TABLE[name][0] == "post"])
def test_every_act_that_is_followed_as_a_link_changes_nothing(desk, name):
    answer = desk.get(reverse(name, args=TABLE[name][1]))

    assert answer.status_code in {404, 405}


def test_no_route_of_the_console_is_elsewhere():
    names = {str(one) for one in get_resolver().reverse_dict if str(one).startswith("console")}

    assert set(TABLE) <= names
