"""A person at their memory, in a real browser: with a mouse, by keyboard, on a phone."""

import pytest
from django.urls import reverse
from playwright.sync_api import Page, expect

from tests.inspector.conftest import CHROMIUM
from tests.inspector.person.people import make_fact, make_person
from tests.inspector.test_in_the_browser import page  # noqa: F401 - a fixture

pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.skipif(CHROMIUM is None, reason="chromium is not installed; .ci/run installs it"),
]


@pytest.fixture
def alice(page: Page, porter):  # noqa: F811 - the fixture
    """Return alice, signed in at the browser."""
    person, owner = make_person(porter)
    person.set_password("correct horse battery")
    person.save()
    page.goto("/login/")
    page.get_by_label("Login").fill("alice")
    page.get_by_label("Password").fill("correct horse battery")
    page.get_by_role("button", name="Sign in").click()
    return owner


def test_the_list_answers_while_somebody_types(page: Page, alice):  # noqa: F811
    make_fact(alice, "trout")
    make_fact(alice, "figs", "I like figs.")
    page.goto(reverse("memory-items", args=[alice.pk, "facts"]))
    expect(page.locator("article")).to_have_count(2)

    page.get_by_label("Search facts").press_sequentially("figs")

    expect(page.locator("article")).to_have_count(1)
    expect(page.locator("article")).to_contain_text("I like figs.")


def test_recall_is_switched_by_keyboard_alone(page: Page, alice):  # noqa: F811
    page.goto(reverse("memory-overview", args=[alice.pk]))
    switch = page.get_by_role("button", name="Switch on")
    for _ in range(40):
        page.keyboard.press("Tab")
        if switch.evaluate("one => one === document.activeElement"):
            break
    page.keyboard.press("Enter")

    expect(page.get_by_role("button", name="Switch off")).to_be_visible()
