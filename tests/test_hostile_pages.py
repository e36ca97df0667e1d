"""No stored text and no parameter runs on any page, and no page lets anything run but our files."""

from html.parser import HTMLParser
from urllib.parse import urlencode

import pytest
from django.db import transaction
from django.http import HttpResponse

from tests.test_permissions import PAGES, Row, report
from tests.walk.hostile_rows import hostile, poison
from tests.walk.people import browser, cookies_of
from tests.walk.routes import filled
from tests.walk.rows import enrich, fill_home, values_of

ASKED = hostile("asked", None, 7)
# Every parameter and every field of a form that a page of ours reads, and what some want to be.
FIELDS = ("q", "user", "state", "kind", "agent", "code", "by", "lane", "from", "to", "days",
          "before", "page", "show", "scope", "item", "part", "name", "says", "value", "content",
          "category", "dollars", "profile", "space", "expected", "note", "confirm", "username",
          "password", "next", "object", "text")  # fmt: skip
CHOSEN = {"replay": "yes", "part": "narrative", "scope": "everywhere"}
POLICY = ("default-src 'none'", "script-src 'self'", "style-src 'self'", "base-uri 'none'")
# A script of this kind is none: a browser takes it for data.
DATA = "application/json"
# What must have been seen on some page, or the test shows nothing.
SEEN = {
    "Fact.object", "Fact.evidence_quote", "Arc.summary", "Rule.text", "Session.external_id",
    "Event.payload", "Chunk.text", "UserNarrative.text", "Scaffold.data", "LearnedInfo.items",
    "SavedFact.value", "Entry.content", "Connection.name", "Candidate.payload", "ChangeItem.after",
    "Receipt.query", "GoldenQuestion.query", "GoldenQuestion.note", "ReferenceSummary.text",
    "Pattern.text", "Contradiction.kept", "User.username", "Agent.name", "Owner.key",
}  # fmt: skip


class Reader(HTMLParser):
    """Notes what a page would run, or fetch from elsewhere."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.faults: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        is_ours = given.get("src", "").startswith(("/static/", "/admin/jsi18n/"))
        if tag == "style" or (tag == "script" and not (is_ours or given.get("type") == DATA)):
            self.faults.append(f"<{tag}>")
        for name, value in given.items():
            if name.startswith(("on", "hx-on")) or name == "style":
                self.faults.append(f"<{tag} {name}>")
            if value.strip().lower().startswith(("javascript:", "vbscript:", "data:text")):
                self.faults.append(f"<{tag} {name}={value[:40]}>")
        if tag == "img" and given.get("src") == "x":
            self.faults.append("<img src=x>")


@pytest.fixture
def home(settings, tmp_path, porter):
    """Return what stands in the addresses, the cookies of who asks, and what a table refused."""
    settings.DATA_DIR = tmp_path
    session = fill_home(porter)
    cookies = cookies_of(porter, session.owner.user)
    values = enrich(values_of(session), porter)
    return values, cookies, poison()


def faults_of(answer: HttpResponse, what: str) -> list[str]:
    text = answer.content.decode()
    reader = Reader()
    reader.feed(text)
    found = [f"{what}: {one}" for one in reader.faults]
    policy = answer.headers.get("Content-Security-Policy", "")
    if "unsafe" in policy or not all(one in policy for one in POLICY):
        found.append(f"{what}: the policy is {policy!r}")
    return found + ([f"{what}: {answer.status_code}"] if answer.status_code >= 500 else [])


def asked(cookie: str, row: Row, values, query: dict[str, str]):
    address, client = filled(row.path, values), browser(cookie)
    with transaction.atomic():
        if row.method == "GET":
            answer = client.get(address, query)
        else:
            answer = client.post(
                address, urlencode(query), content_type="application/x-www-form-urlencoded"
            )
        if answer.streaming:
            list(answer)
        transaction.set_rollback(True)
    return answer


def test_no_text_runs_on_any_page(home):
    values, cookies, refused = home
    assert refused == set()
    faults: list[str] = []
    shown = ""
    hostile_query = dict.fromkeys(FIELDS, ASKED) | CHOSEN
    for row in PAGES:
        for who, query in (("superuser", {}), ("alice", {}), ("superuser", hostile_query)):
            is_let_in = row.expected[who] == "in" and (query or row.method == "GET")
            if not is_let_in or row.path.startswith(("health/", "metrics")):
                continue
            answer = asked(cookies[who], row, values, query)
            if (
                answer.headers.get("Content-Type", "").startswith("text/html")
                and not answer.streaming
            ):
                faults += faults_of(answer, f"{row.name} to {who}{' asked' if query else ''}")
                shown += answer.content.decode()
            elif answer.status_code >= 500:
                faults.append(f"{row.name}: {answer.status_code}")
    report(faults)
    unseen = {one for one in SEEN if f"&lt;script&gt;alert(&#x27;{one}&#x27;)" not in shown}
    assert unseen == set()
