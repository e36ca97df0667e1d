"""From a receipt to a trial, in a real browser."""

from django.urls import reverse

from recall.models import GoldenQuestion
from tests.factories import make_ended_session
from tests.inspector.axe import accessible
from tests.inspector.test_in_the_browser import page, pytestmark, sign_in, troubles
from tests.recall.golden.asked import TEXTS, event_of, golden, receipt_of
from tests.recall.golden.conftest import models

__all__ = ["models", "page", "pytestmark", "troubles"]


def test_what_should_come_is_ticked_on_a_receipt_by_keyboard(page, troubles, operator, porter):
    receipt = receipt_of(make_ended_session(porter, TEXTS).owner)
    sign_in(page)
    page.goto(reverse("console-receipt", args=[receipt.pk]))

    page.get_by_label("should come", exact=True).first.focus()
    page.keyboard.press("Space")
    page.get_by_label("Why, in your words").focus()
    page.keyboard.type("spring")
    page.keyboard.press("Enter")
    said = page.get_by_role("status").inner_text()
    accessible(page, "golden-receipt")
    page.get_by_role("link", name="Golden questions").last.click()

    question = GoldenQuestion.objects.get()
    assert said.startswith("Recorded: 1 event should come.")
    assert (question.expected, question.note) == ([event_of(TEXTS[0]).pk], "spring")
    assert page.locator("h1").inner_text() == "Golden questions"
    assert troubles == []


def test_another_model_is_tried_and_its_losses_come_first(page, troubles, operator, porter, models):
    golden(porter, "zzz qqq", TEXTS[0])
    golden(porter, "zzz, qqq", TEXTS[1])
    sign_in(page)
    page.click("nav >> text=Console")
    page.click(".sections >> text=Golden questions")

    page.get_by_label("Model of the vectors").select_option(label="far (8), building")
    page.get_by_role("button", name="Try it on all questions").click()
    rows = page.get_by_role("region", name="Question by question").locator("tbody tr")
    first = rows.first.inner_text()
    accessible(page, "golden")
    page.set_viewport_size({"width": 320, "height": 700})
    width = page.evaluate("document.documentElement.scrollWidth")
    page.get_by_role("button", name="Remove").first.click()

    assert "lost" in first
    assert TEXTS[0] in first
    assert width <= 320
    assert page.get_by_role("status").inner_text() == "The question is no longer golden."
    assert GoldenQuestion.objects.count() == 1
    assert troubles == []


def test_an_empty_set_leads_to_the_receipts(page, troubles, operator):
    sign_in(page)
    page.goto(reverse("console-golden"))
    accessible(page)

    page.click("main >> text=receipt")

    assert page.locator("h1").inner_text() == "Receipts"
    assert troubles == []
