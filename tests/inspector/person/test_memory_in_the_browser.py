"""A person and their memory in a real browser: with a script, without one, with keys alone."""

import pytest
from django.conf import settings
from django.test import Client
from django.urls import reverse

from consolidation.intake.accept import accept_events
from knowledge.models import Fact, ProceduralProfile
from recall.prompt.assembly import assemble_context
from tests.factories import make_session, said
from tests.inspector.conftest import CHROMIUM
from tests.inspector.person.people import make_fact, make_person
from tests.inspector.test_in_the_browser import page, troubles  # noqa: F401

# ruff: noqa: F811 - fixtures of the other module are arguments here

pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.skipif(CHROMIUM is None, reason="chromium is not installed; .ci/run installs it"),
]
MOST_TABS = 60
FOCUSED = "(document.activeElement.innerText || document.activeElement.name || '').trim()"


@pytest.fixture
def alice(porter):
    return make_person(porter)[1]


@pytest.fixture
def hers(page, live_server, alice):
    """Return the browser with alice signed in."""
    page.context.add_cookies([_cookie(alice, live_server.url)])
    return page


@pytest.fixture
def plain(page, live_server, alice):
    """Return a browser without scripts, with alice signed in."""
    context = page.context.browser.new_context(java_script_enabled=False, base_url=live_server.url)
    context.add_cookies([_cookie(alice, live_server.url)])
    return context.new_page()


def _cookie(owner, url):
    client = Client()
    client.force_login(owner.user)
    name = settings.SESSION_COOKIE_NAME
    return {"name": name, "value": client.cookies[name].value, "url": url}


def prompt_of(owner) -> str:
    """Return the prompt of the next question about what the cat eats."""
    session = make_session(owner.agent, owner.key)
    accept_events(agent=owner.agent, session=session, drafts=[said("What does my cat only eat?")])
    return str(assemble_context(session=session).messages)


def tab_to(page, words: str) -> None:
    """Go on by the tabulator until something with the words has the focus."""
    for _ in range(MOST_TABS):
        page.keyboard.press("Tab")
        if page.evaluate(FOCUSED).startswith(words):
            return
    pytest.fail(f"the tabulator does not come to {words}")


def correct_and_forget(page, owner) -> None:
    """Correct the fact of the trout to salmon, then forget it, by what a page offers."""
    page.goto(reverse("memory", args=[]))
    page.click("nav >> text=Facts")
    page.click("text=Knows trout")
    page.click("text=Correct")
    page.get_by_label("What is so").fill("salmon")
    page.click("text=Save")
    assert page.locator("h1").inner_text() == "Knows salmon"
    assert "salmon" in prompt_of(owner)

    page.click("text=Forget …")
    assert page.locator("h1").inner_text() == "Forget 1 of your facts?"
    page.click("text=Forget for good at once")
    assert page.locator("text=Forgotten: 1").is_visible()
    assert "salmon" not in prompt_of(owner)


@pytest.mark.requirement("OC-69")
@pytest.mark.requirement("OC-71")
def test_a_fact_is_found_followed_to_its_source_corrected_and_forgotten(hers, troubles, alice):
    fact = make_fact(alice)
    make_fact(alice, "a dog named Rex", "There is also Rex, a dog.")

    hers.goto(reverse("memory-items", args=[alice.pk, "facts"]))
    hers.get_by_label("Search facts").press_sequentially("trout", delay=20)
    hers.locator("#list article", has_text="Rex").wait_for(state="detached")
    hers.wait_for_url("**q=trout")
    hers.click("nav.filters >> text=All")
    hers.wait_for_url("**state=all**")
    assert hers.get_by_label("Search facts").input_value() == "trout"
    assert hers.locator("#list article").count() == 1
    hers.goto(reverse("memory-search", args=[alice.pk]))
    hers.get_by_label("Search everything that is remembered").press_sequentially("trout", delay=20)
    hers.wait_for_url("**q=trout")
    hers.reload()
    hers.click("text=Knows trout")

    assert "My cat only eats trout." in hers.locator("article.source").inner_text()
    correct_and_forget(hers, alice)
    assert not Fact.objects.filter(pk=fact.pk).exists()
    assert Fact.objects.filter(owner=alice).count() == 1
    assert troubles == []


def test_it_works_without_a_script(plain, alice):
    make_fact(alice)

    correct_and_forget(plain, alice)
    plain.goto(reverse("memory-overview", args=[alice.pk]))
    plain.click("text=Switch on")

    assert plain.locator("text=Switch off").is_visible()
    assert ProceduralProfile.objects.get(owner=alice).proactive_recall_enabled


def test_several_are_chosen_and_forgotten_without_a_script(plain, alice):
    for name in ("trout", "tea", "jam"):
        make_fact(alice, name)

    plain.goto(reverse("memory-items", args=[alice.pk, "facts"]))
    plain.get_by_label("Choose: Knows tea").check()
    plain.get_by_label("Choose: Knows jam").check()
    plain.click("text=Forget the chosen ones")
    plain.click("text=Forget for good at once")

    assert [one.object for one in Fact.objects.filter(owner=alice)] == ["trout"]


def test_it_works_by_keys_alone(hers, troubles, alice):
    make_fact(alice)
    hers.goto(reverse("memory-overview", args=[alice.pk]))

    tab_to(hers, "Switch on")
    hers.keyboard.press("Enter")
    hers.wait_for_selector("text=Switch off")
    tab_to(hers, "Facts")
    hers.keyboard.press("Enter")
    hers.wait_for_selector("h1:has-text('Facts')")
    tab_to(hers, "Knows trout")
    hers.keyboard.press("Enter")
    hers.wait_for_selector("h1:has-text('Knows trout')")
    tab_to(hers, "Correct")
    hers.keyboard.press("Enter")
    hers.wait_for_selector("h1:has-text('Correct')")
    tab_to(hers, "object")
    hers.keyboard.press("Control+A")
    hers.keyboard.type("salmon")
    hers.keyboard.press("Enter")
    hers.wait_for_selector("h1:has-text('Knows salmon')")
    tab_to(hers, "Forget …")
    hers.keyboard.press("Enter")
    hers.wait_for_selector("h1:has-text('Forget 1')")
    tab_to(hers, "Forget for good at once")
    hers.keyboard.press("Enter")
    hers.wait_for_selector("text=Forgotten: 1")

    assert not Fact.objects.filter(owner=alice).exists()
    assert ProceduralProfile.objects.get(owner=alice).proactive_recall_enabled
    assert troubles == []
