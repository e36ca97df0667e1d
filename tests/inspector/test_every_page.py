"""Every page of docs/permissions.md in a real browser, opened once, on a phone as well."""

import pytest
from django.conf import settings
from playwright.sync_api import Page, ViewportSize

from knowledge.models import SavedFact
from tests.inspector.axe import serious
from tests.inspector.person.people import HOSTILE
from tests.inspector.test_in_the_browser import page, pytestmark, troubles
from tests.test_permissions import PAGES, report
from tests.walk.people import cookies_of
from tests.walk.routes import filled
from tests.walk.rows import enrich, fill_home, values_of

__all__ = ["page", "pytestmark", "troubles"]

# Not pages, but answers to programs and files; and Django's own admin, in its own colours.
NO_PAGE = ("health/", "metrics", "api/v1/schema", "admin/")
NARROW = ViewportSize(width=320, height=700)
WIDE = ViewportSize(width=1200, height=900)
# What only an act shows: where its button stands, and what the button says.
ACTS = {
    "console/spaces/": "Compare",
    "console/golden/": "Try it on",
    "console/agents/<uuid:agent>/": "Issue",
    "memory/<owner:owner>/<memory_layer:layer>/<uuid:item>/": "Forget …",
}


@pytest.fixture
def home(settings, tmp_path, porter):
    """Return what stands in the addresses, and the cookies of who asks; one word is very long."""
    settings.DATA_DIR = tmp_path
    session = fill_home(porter)
    SavedFact.objects.update(value=HOSTILE + "y" * 280)
    cookies = cookies_of(porter, session.owner.user)
    return enrich(values_of(session), porter), cookies


def become(page: Page, cookie: str, url: str) -> None:
    page.context.clear_cookies()
    if cookie:
        page.context.add_cookies(
            [{"name": settings.SESSION_COOKIE_NAME, "value": cookie, "url": url}]
        )


def faults_of(page: Page, what: str) -> list[str]:
    found = [f"{what}: {one}" for one in serious(page)]
    page.set_viewport_size(NARROW)
    width = page.evaluate("document.documentElement.scrollWidth")
    page.set_viewport_size(WIDE)
    return found + ([f"{what}: {width} pixels wide on a phone"] if width > 320 else [])


def test_every_page_can_be_used_by_everybody(page, troubles, live_server, home):
    values, cookies = home
    faults: list[str] = []
    for who in ("nobody", "alice", "superuser"):
        become(page, cookies[who], live_server.url)
        for row in PAGES:
            lets_in = row.expected[who] == "in" and row.method == "GET"
            # What the person sees of their own, the keeper sees in the same way.
            is_seen = who == "superuser" and row.expected["alice"] == "in"
            is_file = row.path.startswith(NO_PAGE) or row.path.endswith("certificate")
            if (
                not lets_in
                or is_seen
                or is_file
                or (who != "nobody" and row.expected["nobody"] == "in")
            ):
                continue
            page.goto(filled(row.path, values))
            faults += faults_of(page, f"{row.name} to {who}")
            if row.path in ACTS:
                page.get_by_role("button", name=ACTS[row.path]).first.click()
                page.wait_for_load_state()
                faults += faults_of(page, f"{ACTS[row.path]} on {row.name}")
    report(faults)
    assert troubles == []
