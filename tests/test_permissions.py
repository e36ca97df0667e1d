"""Who may open each route: docs/permissions.md, cell by cell, by real requests to real rows."""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlencode

import pytest
from django.db import transaction
from django.http import HttpResponseBase
from django.test import Client

from tests.walk.people import BROWSERS, KEYS, browser, cookies_of, keys_of
from tests.walk.routes import filled, routes
from tests.walk.rows import BODIES, OF_ALICE, fill_home, values_of

PAGE = Path(__file__).resolve().parent.parent / "docs" / "permissions.md"
METHODS = ("GET", "POST", "PUT", "PATCH", "DELETE")
# It says so where no worker lives, as in a test.
READY = "health/ready"
OF_HER = "?user=alice&at=2026-05-08T00:00:00Z"
LOGINS = ("/login/", "/admin/login/")
ROW = re.compile(r"^\| `([A-Z]+) /(.*)` \|(.*)\|$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Row:
    """One method of a route, and what becomes of it by who asks."""

    method: str
    path: str
    expected: dict[str, str]

    @property
    def name(self) -> str:
        return f"{self.method} /{self.path}"


def table() -> list[Row]:
    """Read the page: a row with as many cells as there are browsers is a page's, else the API's."""
    rows = []
    for method, path, rest in ROW.findall(PAGE.read_text()):
        cells = [cell.strip() for cell in rest.split("|")]
        who = BROWSERS if len(cells) == len(BROWSERS) else KEYS
        rows.append(Row(method, path, dict(zip(who, cells, strict=True))))
    return rows


ROWS = table()
PAGES = [row for row in ROWS if "alice" in row.expected]
API = [row for row in ROWS if "porter" in row.expected]


@pytest.fixture
def home(settings, tmp_path, porter, rival):
    """Return the row of each address, and the credentials of everybody."""
    settings.REQUESTS_PER_SECOND, settings.DATA_DIR = 0, tmp_path
    settings.WORKSPACE = str(tmp_path / "workspace")
    session = fill_home(porter)
    cookies = cookies_of(porter, session.owner.user)
    return values_of(session), cookies, keys_of(porter, rival)


def asked(client: Client, row: Row, values, method: str = "", key: str = "") -> HttpResponseBase:
    """Ask with an empty body, unless BODIES has one, and take back whatever that changed."""
    is_api = "porter" in row.expected
    body = BODIES.get(f"{method or row.method} {row.path}", {})
    with transaction.atomic():
        answer = client.generic(
            method or row.method,
            filled(row.path, values) + (OF_HER if row.path.startswith(OF_ALICE) else ""),
            (json.dumps(body) if is_api else urlencode(body)) if body else "",
            content_type="application/json" if is_api else "application/x-www-form-urlencoded",
            headers={"Authorization": key, "If-Match": '"1"'} if key else {},
        )
        if answer.streaming:
            list(answer)  # what is read to its end is closed
        transaction.set_rollback(True)
    return answer


def outcome(answer: HttpResponseBase, row: Row) -> str:
    """Return `in` for who is let in, though an empty body may be refused; else what kept them out."""
    where = answer.headers.get("Location", "")
    if where.startswith(LOGINS) and "?next=" in where:
        return "login"
    if where == "/admin/" and "<path:object_id>" in row.path:
        return "404"  # so the admin says that there is no such row
    if answer.status_code in {401, 403, 404, 405} or (
        answer.status_code >= 500 and row.path != READY
    ):
        return str(answer.status_code)
    return "in"


def report(faults: list[str]) -> None:
    assert not faults, f"{len(faults)} faults:\n" + "\n".join(faults)


def differing(rows: list[Row], found: dict[str, dict[str, str]]) -> Iterator[str]:
    """Tell of each row that is not as found, with a row for the page to be judged by its reader."""
    for row in rows:
        if row.expected != found[row.name]:
            yield f"| `{row.name}` | {' | '.join(found[row.name].values())} |"


def test_every_route_is_in_the_table():
    known = {row.path for row in ROWS}

    missing, gone = set(routes()) - known, known - set(routes())
    report([*(f"no row: {one}" for one in sorted(missing)), *(f"no route: {one}" for one in gone)])


def test_every_row_lets_somebody_in():
    closed = [row.name for row in ROWS if "in" not in row.expected.values()]

    # Django's admin answers some of its own addresses to nobody; a talk is whose it is.
    nobodys = (" /admin/", " /console/playground/<uuid:agent>")
    report([name for name in closed if not any(one in name for one in nobodys)])


def test_the_pages_open_to_whom_they_should(home):
    values, cookies, _ = home
    found: dict[str, dict[str, str]] = {}
    for row in PAGES:
        # What is open to nobody in particular is not asked for by everybody.
        is_open = set(row.expected.values()) == {"in"}
        asks = ("nobody", "superuser") if is_open else BROWSERS
        found[row.name] = row.expected | {
            who: outcome(asked(browser(cookies[who]), row, values), row) for who in asks
        }
    report(list(differing(PAGES, found)))


def test_a_key_opens_no_page(home):
    values, _, keys = home
    report(
        [
            f"{row.name}: {who}"
            for row in PAGES
            for who in ("porter", "operator")
            if outcome(asked(browser(""), row, values, key=keys[who]), row)
            != row.expected["nobody"]
        ]
    )


def test_the_api_answers_whom_it_should(home):
    values, _, keys = home
    client = browser("")
    found = {
        row.name: {who: outcome(asked(client, row, values, key=keys[who]), row) for who in KEYS}
        for row in API
    }
    report(list(differing(API, found)))


def test_a_sign_in_opens_nothing_of_the_api(home):
    values, cookies, _ = home
    report(
        [
            f"{row.name}: {who}"
            for row in API
            for who in ("alice", "superuser")
            if outcome(asked(browser(cookies[who]), row, values), row) != row.expected["no key"]
        ]
    )


def test_whoever_may_read_gets_an_answer(home):
    """A page that is found by nobody would pass for a closed one."""
    values, cookies, keys = home
    faults = []
    for row in ROWS:
        if row.method != "GET" or row.path == READY or "in" not in row.expected.values():
            continue
        who = [name for name, what in row.expected.items() if what == "in"][-1]
        is_page = row in PAGES
        client = browser(cookies[who] if is_page else "")
        answer = asked(client, row, values, key="" if is_page else keys[who])
        if answer.status_code >= 400 or (row in API and answer.status_code != 200):
            faults.append(f"{row.name}: {answer.status_code} to {who}")
    report(faults)


def test_no_page_acts_without_the_token(home):
    values, cookies, _ = home
    report(
        [
            f"{row.name}: {who} {answer.status_code}"
            for row in PAGES
            if row.method != "GET"
            for who, what in row.expected.items()
            if what == "in"
            for answer in [asked(browser(cookies[who], is_strict=True), row, values)]
            if answer.status_code != 403
        ]
    )


def test_no_route_answers_a_method_that_is_not_in_the_table(home):
    values, cookies, keys = home
    named = {(row.path, row.method) for row in ROWS}
    faults = []
    for row in {row.path: row for row in ROWS}.values():
        # The admin takes any method for a question, and nothing but POST for an act.
        for method in () if row.path.startswith("admin/") else METHODS:
            if (row.path, method) in named:
                continue
            is_page, is_open = row in PAGES, row.expected.get("nobody") == "in"
            client = browser(cookies["nobody" if is_open else "superuser"] if is_page else "")
            for key in [""] if is_page else [keys["porter"], keys["operator"]]:
                answer = asked(client, row, values, method, key)
                if answer.status_code not in {403, 404, 405}:
                    faults.append(f"{method} /{row.path}: {answer.status_code}")
    report(sorted(set(faults)))
