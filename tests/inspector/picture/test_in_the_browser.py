"""A person at their picture, in a real browser."""

import pytest
from django.urls import reverse
from playwright.sync_api import Page, expect

from tests.factories import make_ended_session
from tests.inspector.axe import accessible
from tests.inspector.conftest import CHROMIUM
from tests.inspector.person.people import make_fact, make_person
from tests.inspector.picture.test_pages import learn
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


@pytest.mark.requirement("TS-81")
def test_a_corrected_entry_of_the_profile_is_what_the_agent_sees(page: Page, alice):  # noqa: F811
    learn(alice, "User lives in Porto.")
    make_fact(alice, "Ada", "My cat Ada is at home.")
    make_ended_session(alice.agent, ["In my home town it rains a lot."], user=alice.key)
    page.goto(reverse("memory-profile", args=[alice.pk]))
    leaf = page.locator(".leaf").filter(has_text="Porto").first
    leaf.get_by_text("Change").click()
    leaf.locator("textarea").fill("Braga")
    leaf.get_by_role("button", name="Save").click()
    expect(page.locator(".leaf").first).to_contain_text("Braga")

    page.get_by_role("link", name="What it sees").click()
    page.get_by_label("If I asked").fill("Which town is my home?")
    page.get_by_role("button", name="Show").click()

    # What was once said may still be quoted; the entry itself is the new one.
    expect(page.locator(".given", has_text="Braga").first).to_be_visible()
    assert '"Home": "Porto"' not in " ".join(page.locator(".given").all_inner_texts())

    # Its receipt opens part by part, by the keyboard alone, and fits a phone.
    expect(page.get_by_role("row", name="Profile")).to_be_visible()
    for part in ("What was found,", "What was found and left out", "What the numbers mean"):
        page.locator("summary", has_text=part).press("Enter")
    expect(page.get_by_text("A rare word counts more")).to_be_visible()
    accessible(page, "preview")
    page.set_viewport_size({"width": 320, "height": 700})
    assert page.evaluate("document.documentElement.scrollWidth") <= 320
