"""Decide, take along and erase, in a real browser: with a script and without one."""

import os
from pathlib import Path

import pytest
from axe_playwright_python.sync_playwright import Axe  # type: ignore[import-untyped]

from accounts.page_links import make_page_link
from audit.log import record
from consolidation.models import Erasure
from tests.factories import run_jobs
from tests.inspector.conftest import CHROMIUM
from tests.inspector.test_in_the_browser import page, troubles  # noqa: F401

pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.skipif(CHROMIUM is None, reason="chromium is not installed; .ci/run installs it"),
]
# Set to a folder, the tests leave pictures of the pages there.
PICTURES = os.environ.get("RECOLLECT_PICTURES")


def look_at(page, name: str) -> None:  # noqa: F811
    """Fail on serious troubles of accessibility, in light and in dark."""
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme=scheme)
        found = Axe().run(page).response["violations"]
        serious = [one["id"] for one in found if one["impact"] in {"serious", "critical"}]
        assert serious == [], (name, scheme)
        if PICTURES:
            suffix = "" if scheme == "light" else "-dark"
            page.screenshot(path=Path(PICTURES) / f"{name}{suffix}.png", full_page=True)
    page.emulate_media(color_scheme="light")


def enter(page, alice) -> None:  # noqa: F811
    page.goto(f"/enter/{make_page_link(person=alice.user, seconds=60, actor='test')}/")
    look_at(page, "enter")
    page.click("text=Open my pages")


def test_a_person_decides_and_erases_their_account(page, troubles, alice):  # noqa: F811
    record(
        actor="agent clerk",
        action="memory.read_across",
        subject="porter",
        detail={"owner": alice.pk},
    )
    record(actor="operator", action="memory.view", subject=str(alice.pk))
    enter(page, alice)
    page.goto(f"/memory/{alice.pk}/privacy/")
    look_at(page, "privacy")
    page.click("text=Bring them up")
    page.wait_for_selector("text=Past conversations will be brought up.")
    page.get_by_label("What upsets me").select_option("Never remember")
    page.click("text=Keep my choices")
    page.wait_for_selector("text=Your choices are kept.")
    assert page.get_by_label("What upsets me").input_value() == "never"

    page.click("text=who looked at what is remembered of you")
    look_at(page, "privacy-reads")
    page.click("text=← Privacy")
    with page.expect_download() as download:
        page.click("text=Download everything")
    assert download.value.suggested_filename == "memory.zip"

    page.click("text=Erase my account")
    page.click("text=entries would go")
    page.fill("#confirm", "bob")
    page.click("text=Erase for good")
    page.wait_for_selector("text=Nothing was erased")
    look_at(page, "privacy-erase")
    page.fill("#confirm", "alice")
    page.click("text=Erase for good")
    page.wait_for_selector("text=Being erased")
    look_at(page, "privacy-erasing")
    run_jobs()

    page.wait_for_selector("text=Everything is erased")
    look_at(page, "privacy-erased")
    with page.expect_download() as download:
        page.click("text=Download the certificate")
    assert download.value.suggested_filename == "certificate.json"
    # The wrong name is answered with 422, which the browser's console mentions.
    assert [one for one in troubles if "422" not in one] == []


def test_it_goes_without_a_script(page, live_server, alice):  # noqa: F811
    plain = page.context.browser.new_context(java_script_enabled=False, base_url=live_server.url)
    bare = plain.new_page()
    bare.goto(f"/enter/{make_page_link(person=alice.user, seconds=60, actor='test')}/")
    bare.click("text=Open my pages")
    bare.goto(f"/memory/{alice.pk}/privacy/erase")
    bare.fill("#confirm", "alice")
    bare.click("text=Erase for good")
    assert "Being erased" in bare.content()
    run_jobs()
    bare.click("text=Look again")

    assert "Everything is erased" in bare.content()
    assert Erasure.objects.get().state == "done"
    plain.close()


def test_a_phone_needs_no_scrolling_sideways(page, alice):  # noqa: F811
    page.set_viewport_size({"width": 320, "height": 700})
    enter(page, alice)
    for name in ("", "reads", "erase"):
        page.goto(f"/memory/{alice.pk}/privacy/{name}")
        assert page.evaluate("document.documentElement.scrollWidth") <= 320
