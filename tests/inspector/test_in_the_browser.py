"""The pages as a person meets them, in a real browser."""

import time
from collections.abc import Iterator

import pytest
from django.contrib import admin
from django.db import connection
from django.urls import reverse
from playwright.sync_api import Browser, ConsoleMessage, Dialog, Page

from tests.factories import make_ended_session
from tests.inspector.conftest import CHROMIUM

HOSTILE = "<script>alert(1)</script><img src=x onerror=alert(2)> My cat eats trout."
OTHERS = """
select count(*) from pg_stat_activity
where datname = current_database() and pid <> pg_backend_pid()
"""

pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.skipif(CHROMIUM is None, reason="chromium is not installed; .ci/run installs it"),
]


@pytest.fixture
def page(browser: Browser, live_server) -> Iterator[Page]:
    context = browser.new_context(viewport={"width": 1200, "height": 900}, base_url=live_server.url)
    yield context.new_page()
    for context in browser.contexts:
        context.close()
    _wait_for_the_last_answer()


def _wait_for_the_last_answer() -> None:
    """Wait for requests under way when the browser closed: they would keep the database in use."""
    deadline = time.monotonic() + 30
    while time.monotonic() < deadline:
        with connection.cursor() as cursor:
            cursor.execute(OTHERS)
            if cursor.fetchone() == (0,):
                return
        time.sleep(0.05)


@pytest.fixture
def troubles(page: Page) -> list[str]:
    """Return what the browser complains of, as it comes."""
    found: list[str] = []

    def hear(message: ConsoleMessage) -> None:
        if message.type == "error":
            found.append(f"{message.text} {message.location['url']}")

    def close(dialog: Dialog) -> None:
        found.append("a stored script ran")
        dialog.dismiss()

    page.on("console", hear)
    page.on("pageerror", lambda error: found.append(str(error)))
    page.on("dialog", close)
    return found


def sign_in(page: Page) -> None:
    page.goto("/")
    page.fill("input[name=username]", "operator")
    page.fill("input[name=password]", "correct horse battery")
    page.click("main button")


def test_a_person_signs_in_reads_a_session_and_signs_out(page, troubles, operator, porter):
    make_ended_session(porter, [HOSTILE, "The weather is fine."], external_id="first chat")

    sign_in(page)
    page.click("text=first chat")
    events = page.locator("article.event").all_inner_texts()
    page.click("text=Verify the chain")
    page.wait_for_selector("text=The chain is verified")
    page.click("nav >> text=Chunks")
    chunks = page.locator("article.chunk").all_inner_texts()
    page.click("text=Sign out")

    assert [len(events), len(chunks)] == [2, 2]
    assert HOSTILE in events[0]
    assert HOSTILE in chunks[0]
    assert page.locator("h1").inner_text() == "Sign in"
    assert troubles == []


def test_the_api_is_described_on_a_page(page, troubles, operator):
    page.goto("/api/v1/docs")

    page.click("text=Append 1 to 100 events")

    assert page.locator("details[open]").get_by_text("Idempotency-Key").is_visible()
    assert troubles == []


def test_the_list_follows_what_happens(page, troubles, operator, porter):
    sign_in(page)
    page.wait_for_selector("text=No sessions yet")

    make_ended_session(porter, ["one thing"], external_id="first chat")

    page.wait_for_selector("text=first chat")
    assert troubles == []


def test_the_pages_of_the_admin_keep_to_the_policy(page, troubles, operator, porter):
    make_ended_session(porter, [HOSTILE])
    sign_in(page)

    for model in admin.site._registry:
        page.goto(reverse(f"admin:{model._meta.app_label}_{model._meta.model_name}_changelist"))
        row = page.locator("#result_list tbody th a").first
        if row.count():
            row.click()

    assert troubles == []
