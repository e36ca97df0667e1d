"""The pages as a person meets them, in a real browser."""

import os
import shutil
from collections.abc import Iterator

import pytest
from django.db import connections
from playwright.sync_api import Dialog, Page, sync_playwright

from tests.factories import make_ended_session

CHROMIUM = shutil.which("chromium")
FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-dev-shm-usage",
]

pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.skipif(CHROMIUM is None, reason="chromium is not installed; .ci/run installs it"),
]


@pytest.fixture
def page(monkeypatch) -> Iterator[Page]:
    # The server answers each request in a thread that ends with its connection still open.
    monkeypatch.setitem(connections.databases["default"], "CONN_MAX_AGE", 0)
    # The driver runs a loop in this thread, and Django would take its queries for async ones.
    monkeypatch.setitem(os.environ, "DJANGO_ALLOW_ASYNC_UNSAFE", "true")
    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        yield browser.new_page(viewport={"width": 1200, "height": 900})
        browser.close()


def test_a_person_signs_in_and_opens_a_session(page, live_server, operator, porter):
    troubles: list[str] = []

    def refuse(dialog: Dialog) -> None:
        troubles.append("a stored script ran")
        dialog.dismiss()

    page.on("console", lambda message: troubles.extend([message.text] * (message.type == "error")))
    page.on("pageerror", lambda error: troubles.append(str(error)))
    page.on("dialog", refuse)
    hostile = "<script>alert(1)</script><img src=x onerror=alert(2)> My cat eats trout."
    make_ended_session(porter, [hostile, "The weather is fine."], external_id="first chat")

    page.goto(live_server.url)
    page.fill("input[name=username]", "operator")
    page.fill("input[name=password]", "correct horse battery")
    page.click("main button")
    page.click("text=first chat")

    assert page.locator("article.event").count() == 2
    assert page.locator("section table tbody tr").count() == 2
    assert "My cat eats trout." in page.locator("article.event").first.inner_text()
    page.click("text=Sessions >> nth=0")
    page.wait_for_selector("#rows table")
    page.click("header button")
    assert page.locator("h1").inner_text() == "Sign in"
    assert troubles == []
