"""The playground in a real browser."""

import pytest
from django.urls import reverse
from playwright.sync_api import Page, expect

from tests.factories import run_jobs
from tests.inspector.axe import accessible
from tests.inspector.conftest import CHROMIUM
from tests.inspector.test_in_the_browser import (  # noqa: F401 - fixtures
    page,
    sign_in,
    troubles,
)

pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.skipif(CHROMIUM is None, reason="chromium is not installed; .ci/run installs it"),
]
LONG = "W" * 300


def begin(shown: Page) -> None:
    shown.get_by_role("link", name="Playground", exact=True).click()
    shown.get_by_role("button", name="Start a session").click()


def send(shown: Page, text: str) -> None:
    shown.get_by_label("Your message").fill(text)
    shown.get_by_role("button", name="Send").click()


def test_what_is_said_is_watched_until_the_next_session_finds_it(
    page: Page,  # noqa: F811
    troubles,  # noqa: F811
    operator,
    porter,
    live_server,
):
    porter.synthesises_at_once = True
    porter.save()
    sign_in(page)
    page.goto(reverse("console-playground"))
    accessible(page, "playground-start")
    begin(page)
    send(page, "My cat is called Minka.")
    expect(page.locator("#watched")).to_contain_text("learning")
    run_jobs()
    # Nobody reloads: the panel follows, says so, and asks no more.
    expect(page.locator("#watched q").first).to_contain_text("called Minka", timeout=10_000)
    expect(page.locator("#heard")).to_contain_text("1 extracted")
    assert page.locator("#watched[hx-get]").count() == 0
    send(page, f"I keep <b>bees</b> {LONG}")
    accessible(page)
    run_jobs()
    page.get_by_role("button", name="End session").click()
    run_jobs()
    expect(page.locator("#watched .steps .due")).to_have_count(0, timeout=10_000)
    begin(page)
    accessible(page)
    send(page, "My sister Ana lives in Lyon. I am afraid of dogs.")
    send(page, "What is my cat called?")

    expect(page.locator("#watched .found").first).to_contain_text("Minka")
    expect(page.locator(".talk .rules").last).to_contain_text("Minka")
    run_jobs()
    expect(page.locator("#heard")).to_contain_text("Nothing is due", timeout=10_000)
    accessible(page, "playground")
    page.set_viewport_size({"width": 320, "height": 640})
    assert page.evaluate("document.documentElement.scrollWidth") <= 320
    plain = page.context.browser.new_page(java_script_enabled=False, base_url=live_server.url)
    sign_in(plain)
    plain.goto(reverse("console"))
    begin(plain)
    send(plain, "Hello there.")
    expect(plain.locator(".talk .user")).to_contain_text("Hello there.")
    plain.get_by_role("button", name="End session").click()
    expect(plain.locator("#message")).to_contain_text("This session has ended.")
    assert troubles == []
