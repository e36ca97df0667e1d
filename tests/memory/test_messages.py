import pytest

from memory.messages import Malformed, draft_of, message_of, spoken, text_of

CALL = {"id": "c1", "type": "function", "function": {"name": "weather", "arguments": "{}"}}


@pytest.mark.parametrize(
    ("message", "kind"),
    [
        ({"role": "user", "content": "hello"}, "UserMsg"),
        ({"role": "assistant", "content": "hi"}, "ModelOutput"),
        ({"role": "assistant", "content": None, "tool_calls": [CALL]}, "ModelOutput"),
        ({"role": "tool", "content": "12", "tool_call_id": "c1"}, "ToolResultCommitted"),
    ],
)
@pytest.mark.requirement("CH-36")
@pytest.mark.requirement("CH-37")
@pytest.mark.requirement("CH-38")
def test_a_message_comes_back_as_it_went_in(message, kind):
    draft = draft_of(message)

    assert draft.type == kind
    assert message_of(draft.type, draft.payload, draft.tool_call_id) == {"content": None} | message


@pytest.mark.requirement("CH-39")
def test_an_injected_instruction_is_marked():
    draft = draft_of({"role": "system", "content": "be kind"})

    found = message_of(draft.type, draft.payload)

    assert found == {"role": "system", "content": "[INJECTED] be kind"}


@pytest.mark.parametrize(
    "message",
    [
        {},
        {"role": "robot", "content": "x"},
        {"role": ["user"], "content": "x"},
        {"role": "user"},
        {"role": "user", "content": 5},
        {"role": "user", "content": [{"text": "no type"}]},
        {"role": "user", "content": "x", "name": ""},
        {"role": "user", "content": "x", "tool_calls": [CALL]},
        {"role": "assistant", "tool_calls": "c1"},
        {"role": "assistant", "tool_calls": [{"id": 1}]},
        {"role": "tool", "content": "x"},
    ],
)
def test_it_refuses_what_no_message_could_be_built_from(message):
    with pytest.raises(Malformed):
        draft_of(message)


def test_the_words_of_a_message_include_what_its_tools_were_asked():
    payload = {"content": [{"type": "text", "text": "look"}, {"type": "image_url"}]}

    assert text_of(payload | {"tool_calls": [CALL]}) == "look\nweather {}"


def test_the_mark_of_an_instruction_is_among_the_words_it_costs():
    payload = {"content": "Be brief."}

    assert spoken("InjectedInstruction", payload) == "[INJECTED] Be brief."
    assert spoken("UserMsg", payload) == "Be brief."
