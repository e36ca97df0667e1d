"""Every page of a person's memory, and who may open it."""

import re

import pytest
from django.urls import get_resolver

from tests.factories import make_session
from tests.inspector.person.people import make_person
from tests.test_architecture import routes

ID = "01a1fc16-b108-7283-92fb-dd5eeee93618"
MINE = sorted(path for path, _ in routes(get_resolver().url_patterns) if path.startswith("memory/"))


def filled(path: str, owner: int) -> str:
    """Return an address with a value of each kind in its place."""
    path = path.replace("<owner:owner>", str(owner)).replace("<memory_layer:layer>", "facts")
    return "/" + re.sub(r"<int:\w+>", "1", re.sub(r"<uuid:\w+>", ID, path))


@pytest.mark.parametrize("path", MINE)
def test_nobody_comes_in_without_signing_in(client, db, path):
    for ask in (client.get, client.post):
        answer = ask(filled(path, 1))
        assert answer.status_code in {302, 405}
        assert answer.status_code == 405 or answer.url.startswith("/login/")


@pytest.mark.parametrize("path", [path for path in MINE if "<owner" in path])
def test_nobody_comes_into_another_s(client, porter, path):
    person, _ = make_person(porter)
    client.force_login(person)
    bob = make_session(porter, "bob").owner

    assert {
        client.get(filled(path, bob.pk)).status_code,
        client.post(filled(path, bob.pk)).status_code,
    } <= {404, 405}
