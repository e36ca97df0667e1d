"""Decide, take along and erase, in a real browser: with a script and without one."""

import os
from pathlib import Path

import pytest
from axe_playwright_python.sync_playwright import Axe  # type: ignore[import-untyped]
from django.conf import settings

from accounts.models import Owner
from accounts.page_links import make_page_link
from audit.log import record
from consolidation.models import Erasure
from memory.models import Session
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
    page.click("text=Let it bring them up")
    page.wait_for_selector("text=The assistant may bring up past conversations now.")
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
    look_at(page, "privacy-erase")
    page.fill("#confirm", "bob")
    page.click("text=Erase for good")
    page.wait_for_selector("text=Nothing was erased")
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
    bare.goto(f"/memory/{alice.pk}/privacy/")
    bare.get_by_role("button", name="Keep it to porter alone").click()
    assert "keeps what it remembers of you to itself, because you said so" in bare.content()
    bare.get_by_role("button", name="Let others read what porter remembers").click()
    assert "Other assistants may read what porter remembers of you." in bare.content()
    bare.goto(f"/memory/{alice.pk}/privacy/erase")
    bare.fill("#confirm", "alice")
    bare.click("text=Erase for good")
    assert "Being erased" in bare.content()
    run_jobs()
    bare.click("text=Look again")

    assert "Everything is erased" in bare.content()
    assert Erasure.objects.get().state == "done"
    plain.close()


def too_wide(page, places: list[str]) -> list[str]:  # noqa: F811
    """Return which of the addresses are wider than a phone."""
    found = []
    for place in places:
        page.goto(place)
        if page.evaluate("document.documentElement.scrollWidth") > 320:
            found.append(place)
    return found


def test_a_phone_needs_no_scrolling_sideways_however_long_a_name(
    page,  # noqa: F811
    alice,
    desk,
    live_server,
):
    Owner.objects.filter(pk=alice.pk).update(key="8f14e45fceea167a" * 8)
    page.set_viewport_size({"width": 320, "height": 700})
    enter(page, alice)
    mine = f"/memory/{alice.pk}/"
    pages = ("", "facts/", "search/", "timeline/", "privacy/", "privacy/reads", "privacy/erase")
    wide = too_wide(page, [mine + one for one in pages])

    cookie = desk.cookies[settings.SESSION_COOKIE_NAME].value
    page.context.clear_cookies()
    page.context.add_cookies(
        [{"name": settings.SESSION_COOKIE_NAME, "value": cookie, "url": live_server.url}]
    )
    session = Session.objects.filter(owner=alice).earliest("opened_at").pk
    looks = (f"console/sessions/{session}/", f"sessions/{session}/", f"console{mine}rewind/")
    wide += too_wide(page, [f"/{one}" for one in (*looks, mine[1:])])

    assert wide == []
