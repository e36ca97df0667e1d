"""The console in a real browser: by mouse, by keyboard, without JavaScript, and for a screen reader."""

from importlib.util import find_spec
from pathlib import Path

from django.urls import reverse

from accounts.models import ApiKey
from consolidation.embedding import reembed as reembedding
from memory.models import EmbeddingSpace
from recall.models import Receipt
from tests.factories import make_ended_session
from tests.inspector.test_in_the_browser import page, pytestmark, sign_in, troubles

__all__ = ["page", "pytestmark", "troubles"]

SPEC = find_spec("axe_playwright_python")
assert SPEC is not None
assert SPEC.origin is not None
AXE = Path(SPEC.origin).parent / "axe.min.js"
HOSTILE = "<script>alert(1)</script><img src=x onerror=alert(2)>"
LISTS = ("console", "console-jobs", "console-spaces", "console-agents", "console-costs",
         "console-candidates", "console-rules", "console-policies", "console-sealed")  # fmt: skip


def test_a_dead_job_is_retried(page, troubles, operator, dead):
    sign_in(page)
    page.click("nav >> text=Console")
    page.click("text=Retry")

    assert page.get_by_role("status").inner_text() == f"Job {dead.pk} is due again."
    dead.refresh_from_db()
    assert dead.state == "due"
    assert troubles == []


def test_two_spaces_are_compared_and_the_other_made_current(page, troubles, operator, porter):
    session = make_ended_session(porter, ["We planted tomatoes.", "The train was late."])
    kind = {"kind": "recall", "profile": "x", "searched_by": "x"}
    Receipt.objects.create(owner=session.owner, query="what did we plant?", **kind)
    other = EmbeddingSpace.objects.create(model="hashing", version="hashing-2", dimension=64)
    current = EmbeddingSpace.objects.current()
    EmbeddingSpace.objects.filter(pk=other.pk).update(version=current.version)
    other.refresh_from_db()
    reembedding.fill(other)

    sign_in(page)
    page.goto(reverse("console-spaces"))
    page.get_by_role("button", name="Compare").click()
    compared = page.locator("main").inner_text()
    page.get_by_role("link", name="Switch to hashing").click()
    page.click("main button")

    assert "over the 1 questions asked last" in compared
    assert "is current; 0 texts wait" in page.get_by_role("status").inner_text()
    assert EmbeddingSpace.objects.current() == other
    page.get_by_role("link", name="Roll back").click()
    page.click("main button")
    assert EmbeddingSpace.objects.current() == current
    assert troubles == []


def test_a_wrong_setting_is_told_beside_its_field_and_a_right_one_kept(page, operator, porter):
    sign_in(page)
    page.goto(reverse("console-agent", args=[porter.pk]))

    page.get_by_label("Window events").fill("0")
    page.click("text=Save the settings")
    fault = page.locator("#id_window_events_error").inner_text()
    page.get_by_label("Window events").fill("20")
    page.click("text=Save the settings")

    assert "greater than or equal to 1" in fault
    assert page.get_by_role("status").inner_text() == "1 settings changed."
    porter.refresh_from_db()
    assert porter.window_events == 20


def test_a_key_is_issued_by_keyboard_alone(page, troubles, operator, porter):
    sign_in(page)
    page.goto(reverse("console-agent", args=[porter.pk]))

    page.get_by_label("Name of the key").focus()
    page.keyboard.type("bot")
    for _ in range(2):
        page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    page.wait_for_selector("#key")

    key = ApiKey.objects.get(agent=porter)
    assert page.locator("#key").inner_text().startswith(f"rk_{key.prefix}_")
    assert key.name == "bot"
    assert troubles == []


def test_the_main_acts_need_no_javascript(page, live_server, operator, dead):
    bare = page.context.browser.new_context(java_script_enabled=False, base_url=live_server.url)
    plain = bare.new_page()
    sign_in(plain)

    plain.goto(reverse("console"))
    plain.click("text=Retry")

    assert "is due again" in plain.content()
