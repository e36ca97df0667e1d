"""A person at what is kept about them, in a real browser: a newer note, a learned text, a correction."""

import pytest
from playwright.sync_api import Page, expect

from knowledge.documents.context import NewDocument, put_documents
from knowledge.models import ContextDocument, Entry, LearnedInfo
from knowledge.notes.write import put_note
from tests.consolidation.profile.observed import observed
from tests.inspector.axe import accessible
from tests.inspector.person.people import make_fact, make_person
from tests.inspector.test_every_page import become
from tests.inspector.test_in_the_browser import page, pytestmark, troubles
from tests.walk.people import cookies_of

__all__ = ["page", "pytestmark", "troubles"]
LONG = "Donaudampfschifffahrtsgesellschaft" * 4


@pytest.fixture
def alice(page: Page, porter, live_server, settings, tmp_path):
    """Return alice, of whom something of each kind is kept, signed in at the browser."""
    settings.DATA_DIR = tmp_path
    person, owner = make_person(porter)
    become(page, cookies_of(porter, person)["alice"], live_server.url)
    put_note(owner=owner, actor="porter", name="trip to Porto", content="Wants to go in May.")
    put_note(owner=owner, actor="porter", name="cat", content="Eats trout.", aliases=["Minka"])
    said = (str(observed(owner, "Window seats are the best.").pk),)
    texts = ("Prefers window seats.", f"Worked on a ship of the {LONG}.")
    put_documents(owner=owner, documents=[NewDocument(one, events=said) for one in texts])
    return owner


def test_nothing_newer_is_lost_and_what_goes_is_shown_before(page, troubles, alice):
    page.goto(f"/memory/{alice.pk}/notes/")
    accessible(page, "notes")
    cat = page.locator("article", has_text="Eats trout.")
    cat.locator("summary").click()
    cat.locator("textarea").fill("Eats nothing but salmon.")
    put_note(owner=alice, actor="porter", name="cat", content="Eats figs since May.")
    cat.get_by_role("button", name="Save").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Which of the two?")
    expect(page.get_by_text("Eats figs since May.")).to_be_visible()
    accessible(page, "note-newer")
    page.get_by_role("button", name="Save mine").click()
    expect(page.get_by_text("Saved.")).to_be_visible()
    assert Entry.objects.get(name="cat").content == "Eats nothing but salmon."

    page.locator("article", has_text="salmon").locator("summary").click()
    page.get_by_role("button", name="Forget … cat").click()
    expect(page.get_by_text("Its other name: Minka")).to_be_visible()
    accessible(page, "note-forget")
    page.get_by_role("button", name="Forget for good").click()
    expect(page.get_by_text("Forgotten.")).to_be_visible()

    page.get_by_role("link", name="Learned").click()
    text = page.locator("article", has_text="Prefers window seats.")
    text.get_by_role("link", name="Correct").click()
    page.get_by_label("What is so").fill("Prefers the aisle.")
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_text("You corrected this on")).to_be_visible()
    accessible(page, "learned")
    page.get_by_label("Search what was learned").press_sequentially("aisle")
    expect(page.locator("article")).to_have_count(1)
    page.get_by_role("button", name="Forget … Prefers the aisle.").click()
    page.get_by_role("button", name="Forget for good").click()
    expect(page.get_by_text("Nothing brings it back.")).to_be_visible()
    assert ContextDocument.objects.count() == 1

    fact = make_fact(alice, "trout")
    LearnedInfo.objects.create(owner=alice, items=["Her cat only eats trout."], version=1)
    page.goto(f"/memory/{alice.pk}/facts/{fact.pk}/correct")
    page.get_by_label("What is so").fill("salmon")
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_text("That was from: “My cat only eats trout.”")).to_be_visible()
    accessible(page, "fact-corrected")
    page.get_by_role("link", name="Profile").click()
    expect(page.get_by_text("trout")).to_have_count(0)
    # What a stale form answers is 409, which a browser notes.
    assert [one for one in troubles if "409" not in one] == []
