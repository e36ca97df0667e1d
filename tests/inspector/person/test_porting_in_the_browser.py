"""A person searches all that is remembered, and gives back what they took along, in a real browser."""

import io
import zipfile

import pytest
from django.conf import settings
from django.test import Client

from consolidation.models import Import
from consolidation.portable.export import exported
from knowledge.models import Fact, Scaffold, UserNarrative
from knowledge.notes.entries.operations import Add
from knowledge.notes.store import apply_operation
from knowledge.saved_facts.save import NewFact, save_facts
from tests.factories import make_ended_session, run_jobs
from tests.inspector.axe import accessible
from tests.inspector.conftest import CHROMIUM
from tests.inspector.person.people import HOSTILE, make_fact, make_person
from tests.inspector.person.remembered import make_memory
from tests.inspector.test_in_the_browser import page, troubles  # noqa: F401

# ruff: noqa: F811 - fixtures of the other module are arguments here

pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.skipif(CHROMIUM is None, reason="chromium is not installed; .ci/run installs it"),
]

LABELS = "one => getComputedStyle(one.querySelectorAll('tbody td')[2], '::after').content"


def filled(porter, name: str):
    """Return a person of whom something of every kind is remembered."""
    owner = make_person(porter, name)[1]
    make_memory(owner)
    UserNarrative.objects.create(owner=owner, text="The cat and the garden fill the spring.")
    Scaffold.objects.create(owner=owner, data={"Pets": {"Cat": "Miso, eats trout"}})
    apply_operation(owner=owner, operation=Add("vet", "The cat sees the vet in May."))
    facts = [NewFact("cat food", "trout, no salmon")]
    save_facts(owner=owner, facts=facts, session=None, source="tool")
    make_ended_session(porter, ["Our cat has caught a trout in the pond."], user=name)
    return owner


def signed_in(context, owner, url) -> None:
    client = Client()
    client.force_login(owner.user)
    name = settings.SESSION_COOKIE_NAME
    context.add_cookies([{"name": name, "value": client.cookies[name].value, "url": url}])


def zip_of(owner) -> bytes:
    with io.BytesIO() as file:
        with zipfile.ZipFile(file, "w") as archive:
            archive.writestr("memory.json", b"".join(exported([owner])))
        return file.getvalue()


def test_search_as_one_types_and_give_back(page, troubles, live_server, porter, monkeypatch):
    alice, bob = filled(porter, "alice"), filled(porter, "bob")
    make_fact(alice, HOSTILE)
    signed_in(page.context, alice, live_server.url)

    page.goto(f"/memory/{alice.pk}/")
    page.get_by_label("Search everything").fill("zzz")
    page.keyboard.press("Enter")
    page.wait_for_selector("text=Nothing that is remembered holds these words.")
    box = page.get_by_label("Search everything that is remembered")
    box.press_sequentially("x")
    box.fill("cat trout")
    page.wait_for_selector("mark >> text=/^trout$/i")
    accessible(page, "search")
    box.fill("script")
    page.wait_for_selector("mark >> text=script")
    box.fill("vet")
    page.click("text=vet >> nth=0")
    page.wait_for_selector("#note-1")

    page.goto(f"/memory/{alice.pk}/privacy/")
    file = {"name": "memory.zip", "mimeType": "application/zip", "buffer": zip_of(bob)}
    page.get_by_label("The file").set_input_files([file])
    accessible(page, "privacy")
    page.click("text=Show what would come")
    page.wait_for_selector("text=The file is about bob")
    accessible(page, "import")
    page.set_viewport_size({"width": 320, "height": 700})
    width = page.evaluate("document.documentElement.scrollWidth")
    assert width <= 320
    table = page.locator(".kinds")
    assert table.evaluate("one => one.scrollWidth <= one.parentElement.clientWidth")
    assert "here already" in table.evaluate(LABELS)
    accessible(page, "import-phone")
    page.set_viewport_size({"width": 1200, "height": 900})
    monkeypatch.setattr("consolidation.portable.request.AT_ONCE", 1)
    page.click("text=Take it in")
    page.wait_for_selector("progress")
    run_jobs()
    page.wait_for_selector("text=It is in:")
    accessible(page, "imported")
    assert Import.objects.get(owner=alice).state == "done"
    before = Fact.objects.filter(owner=alice).count()
    page.click("text=Take it back")
    page.wait_for_selector("text=What was learned from it was taken back.")
    assert Fact.objects.filter(owner=alice).count() < before
    assert troubles == []

    # The same without a script.
    context = page.context.browser.new_context(java_script_enabled=False, base_url=live_server.url)
    signed_in(context, alice, live_server.url)
    plain = context.new_page()
    plain.goto(f"/memory/{alice.pk}/search/?q=cat")
    assert plain.locator("mark").count() > 3
    plain.goto(f"/memory/{alice.pk}/privacy/")
    plain.get_by_label("The file").set_input_files([file])
    plain.click("text=Show what would come")
    assert "would come" in plain.content()
