import pytest

from knowledge.workspace.signals import failure_in, is_correction


@pytest.mark.requirement("OL-16")
@pytest.mark.parametrize(
    "text",
    [
        "No, it is on Monday.",
        "wrong",
        "Incorrect: it is blue.",
        "That's not what I asked.",
        "That\u2019s not right",
        "Actually, make it two.",
        "I meant the other one",
        "You should use metres.",
        "  don't do that again",
        "Stop doing this",
        "Not what I asked for",
        "I said Tuesday",
        "Please don't shout",
        "Instead, use the train",
        "Correction: 5",
        "fix: the date",
        "I prefer short answers",
    ],
)
def test_a_message_that_begins_with_a_signal_is_a_correction(text):
    assert is_correction(text)


@pytest.mark.requirement("OL-16")
@pytest.mark.parametrize(
    "text",
    [
        "no problem, thanks",
        "No, that's the lot. Fun one: why is the sky blue?",
        "No, thank you.",
        "Nope, that's all",
        "Nothing is wrong",
        "wrongly spelled words are fun",
        "It is nice. No, really.",
        "fixed it",
        "",
        "nopeless",
    ],
)
def test_any_other_message_is_none(text):
    assert not is_correction(text)


@pytest.mark.parametrize(
    ("payload", "said"),
    [
        ({"content": "sunny"}, ""),
        ({"content": '{"temperature": 5, "error": null}'}, ""),
        ({"content": "There was an error in the book."}, ""),
        ({"content": '["error"]'}, ""),
        ({"content": '{"error'}, ""),
        ({"content": "boom", "is_error": True}, "boom"),
        ({"content": [], "is_error": True}, "failed"),
        ({"content": "x", "error": "timeout"}, "timeout"),
        ({"content": '{"error": "no such city"}'}, "no such city"),
        ({"content": '{"error": {"code": 5}}'}, '{"code": 5}'),
        ({"content": '{"is_error": true, "message": "gone"}'}, "gone"),
        ({"content": '{"isError": true, "content": "lost"}'}, "lost"),
        ({"content": "Error: no such city\n"}, "Error: no such city"),
        ({"content": "Traceback (most recent call last)"}, "Traceback (most recent call last)"),
    ],
)
def test_a_failure_is_told_by_its_form(payload, said):
    assert failure_in(payload) == said
