"""The history in a real browser: one change approved, a run taken back, a memory rewound."""

import re

import pytest
from django.conf import settings
from django.test import Client
from django.urls import reverse

from knowledge.models import ChangeItem, Fact
from tests.inspector.axe import accessible
from tests.inspector.conftest import CHROMIUM
from tests.inspector.history.pasts import make_past
from tests.inspector.test_in_the_browser import page, troubles  # noqa: F401

# ruff: noqa: F811 - fixtures of the other module are arguments here

pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.skipif(CHROMIUM is None, reason="chromium is not installed; .ci/run installs it"),
]
LONG = " with a balcony over the river" + "y" * 60


def come_in(page, live_server, operator) -> None:
    client = Client()
    client.force_login(operator)
    name = settings.SESSION_COOKIE_NAME
    page.context.add_cookies(
        [{"name": name, "value": client.cookies[name].value, "url": live_server.url}]
    )


def fits_a_phone(page) -> None:
    page.set_viewport_size({"width": 320, "height": 640})
    width = page.evaluate("document.documentElement.scrollWidth")
    page.set_viewport_size({"width": 1200, "height": 900})
    assert width <= 320, page.url


def test_one_is_approved_a_run_is_taken_back_and_a_memory_is_rewound(
    page, live_server, troubles, operator, porter
):
    past = make_past(porter)
    make_past(porter, "bob", LONG)
    come_in(page, live_server, operator)

    page.goto(reverse("console-history"))
    accessible(page, "changes")
    fits_a_phone(page)
    page.get_by_label("State").select_option("waiting")
    page.get_by_role("searchbox", name="User").fill("alice")
    page.get_by_role("button", name="Show").click()
    page.locator("tbody a").first.click()
    page.get_by_role("button", name="Approve change 0").click()
    assert page.get_by_role("status").inner_text() == "Approved: it is remembered now."
    assert ChangeItem.objects.get(changeset=past.waiting).state == "applied"

    page.goto(reverse("console-change", args=[past.moved.pk]))
    accessible(page, "change")
    fits_a_phone(page)
    page.get_by_role("link", name="Revert this run").click()
    accessible(page, "change-revert")
    page.get_by_role("button", name="Revert this run").click()
    assert "The run is taken back" in page.get_by_role("status").inner_text()
    assert Fact.objects.active().filter(owner=past.owner, object="Lyon").exists()

    page.goto(reverse("console-rewind", args=[past.owner.pk]))
    slider = page.get_by_role("slider")
    moment = page.locator("#moment")
    assert moment.inner_text().startswith("As it is now")
    slider.focus()
    for key, words in (("Home", "before anything was known"), ("ArrowRight", "a turn of")):
        with page.expect_response(re.compile("step=")):
            page.keyboard.press(key)
        page.wait_for_function(
            "words => document.querySelector('#moment').innerText.includes(words)", arg=words
        )
    assert "Experienced Lyon" in page.locator("#then").inner_text()
    page.get_by_role("link", name="Changed since").click()
    assert "Learned" in page.locator(".since").inner_text()
    accessible(page, "rewind")
    fits_a_phone(page)
    page.goto(f"{reverse('console-rewind', args=[past.owner.pk])}?show=profile")
    accessible(page, "rewind-profile")
    assert troubles == []


def test_everything_works_without_javascript(page, live_server, operator, porter):
    past = make_past(porter)
    bare = page.context.browser.new_context(java_script_enabled=False, base_url=live_server.url)
    plain = bare.new_page()
    come_in(plain, live_server, operator)

    plain.goto(reverse("console-change", args=[past.waiting.pk]))
    plain.get_by_role("button", name="Reject change 0").click()
    assert "nothing was changed" in plain.content()
    plain.goto(reverse("console-rewind", args=[past.owner.pk]))
    at = past.first.created_at
    plain.get_by_label("Date and time").fill(f"{at:%Y-%m-%dT}00:00:00")
    plain.get_by_role("button", name="Go", exact=True).click()
    assert "before anything was known" in plain.content()
    plain.get_by_role("link", name="a turn of a conversation").first.click()
    assert "Experienced Lyon" in plain.content()
