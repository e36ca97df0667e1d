"""Sessions and receipts as an operator meets them, in a real browser."""

import os
from pathlib import Path

import pytest
from django.urls import reverse
from playwright.sync_api import Browser, Page, expect

from consolidation.deletion.forget import forget_item
from knowledge.models import Fact
from tests.contracts.stores import fact
from tests.inspector.conftest import CHROMIUM
from tests.inspector.test_in_the_browser import (  # noqa: F401 - fixtures
    page,
    sign_in,
    troubles,
)
from tests.inspector.why.story import QUESTION, make_receipt, make_talk
from tests.recall.learned import keep

PICTURES = Path(__file__).parents[3] / "docs" / "pages"
pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.skipif(CHROMIUM is None, reason="chromium is not installed; .ci/run installs it"),
]


@pytest.fixture
def receipt(operator, porter):
    return make_receipt(porter, make_talk(porter))


def picture(page: Page, name: str) -> None:  # noqa: F811
    """Keep a picture for the documentation, where somebody asked for them."""
    if os.environ.get("RECOLLECT_PICTURES"):
        page.emulate_media(color_scheme="light")
        PICTURES.mkdir(exist_ok=True)
        page.screenshot(path=PICTURES / f"{name}.png", full_page=True)


def forget(receipt) -> None:
    gone = Fact.objects.get(evidence_quote="my boss is terrible")
    forget_item(owner=receipt.owner, kind="fact", target=gone.pk, actor="alice")


def test_a_forgotten_fact_is_seen_as_gone(page: Page, troubles, receipt):  # noqa: F811
    sign_in(page)
    page.goto(reverse("console-receipts"))
    page.get_by_role("link", name="my boss called").click()
    expect(page.get_by_text("my boss is terrible")).to_be_visible()

    forget(receipt)
    keep(receipt.owner, fact("my boss called again"))
    page.get_by_role("button", name="Replay against today's memory").click()

    expect(page.locator("tr.gone")).to_contain_text("forgotten since")
    expect(page.locator("tr.added")).to_contain_text("my boss called again")
    assert page.get_by_text("my boss is terrible").count() == 0
    assert troubles == []
    picture(page, "receipt")


def test_a_session_is_read_from_its_time_line_to_its_prompt(
    page: Page,  # noqa: F811
    troubles,  # noqa: F811
    receipt,
):
    sign_in(page)
    page.goto(reverse("console-sessions"))
    page.get_by_role("link", name="bakery plan").click()
    expect(page.locator(".result")).to_contain_text("Three shops")
    picture(page, "session")

    page.get_by_role("link", name="Prompt now").click()
    page.get_by_label("Question").fill(QUESTION)
    page.get_by_role("button", name="Show").click()

    expect(page.locator(".blocks")).to_contain_text("Facts")
    expect(page.locator("main")).to_contain_text("my boss is terrible")
    picture(page, "prompt")
    assert troubles == []


def test_a_receipt_is_replayed_without_javascript(page: Page, live_server, receipt):  # noqa: F811
    forget(receipt)
    browser = page.context.browser
    assert isinstance(browser, Browser)
    plain = browser.new_page(java_script_enabled=False, base_url=live_server.url)
    sign_in(plain)

    plain.goto(reverse("console-receipt", args=[receipt.pk]))
    plain.get_by_role("button", name="Replay against today's memory").click()

    expect(plain.locator("tr.gone")).to_contain_text("forgotten since")
