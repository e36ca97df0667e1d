import json
import re

from hypothesis import given, settings
from hypothesis import strategies as st

from accounts.ids import new_id
from memory.tokenizer import count_message
from providers.quoting import visible
from recall.prompt.blocks.profile import MOST_SCAFFOLD, context_block
from recall.prompt.sources.profile import (
    LearnedTexts,
    NarrativePart,
    OfTool,
    ProfilePicture,
    Structured,
)


def lines(text: str) -> list[dict]:
    return [json.loads(line) for line in text.split("\n") if line.startswith("{")]


def test_an_empty_picture_is_no_block():
    block = context_block(ProfilePicture(), 10_000)

    assert (block.text, list(block.kept), list(block.left_out)) == ("", [], [])


def test_without_room_everything_is_left_out_and_counted():
    tool = OfTool(new_id(), 1, "jira", "", {"default_project": "PROJ"})
    profile = ProfilePicture(
        NarrativePart(text="One. Two."),
        Structured(data={"a": {"b": 1}, "c": [1]}),
        LearnedTexts(items=["x"]),
        [tool],
    )

    block = context_block(profile, 0)

    assert block.text == ""
    assert [(one.named["store"], one.named.get("cut")) for one in block.left_out] == [
        ("narrative", 2),
        ("scaffold", 2),
        ("learned_info", None),
        ("learned_info", 1),
    ]


def test_keys_that_look_like_pointers_stay_what_they_are():
    data = {f"a/b~{number}": {"~1": {"": "word " * 30}} for number in range(200)}

    block = context_block(ProfilePicture(scaffold=Structured(data=data)), 10_000)

    (shown,) = lines(block.text)
    assert 0 < len(shown) < 200
    assert all(data[key] == value for key, value in shown.items())


def test_the_narrative_is_cut_behind_a_sentence_and_of_what_was_learned_the_newest_stay():
    profile = ProfilePicture(
        NarrativePart(
            text=" ".join(f"This is sentence number {number}." for number in range(1_000))
        ),
        learned=LearnedTexts(items=[f"learned number {number}" for number in range(2_000)]),
    )

    block = context_block(profile, 10_000)

    narrative, learned = lines(block.text)
    assert narrative["narrative"].endswith(".")
    assert narrative["narrative"].startswith("This is sentence number 0. This is")
    assert learned["learned"][-1] == "learned number 1999"
    assert learned["learned"][0] != "learned number 0"
    assert [one.named["store"] for one in block.left_out] == ["narrative", "learned_info"]


def test_the_scaffold_is_bounded_whatever_the_room_and_stays_json():
    data = {f"k{number}": ["word"] * 20 for number in range(2_000)}

    block = context_block(ProfilePicture(scaffold=Structured(data=data)), 1_000_000)

    (shown,) = lines(block.text)
    assert MOST_SCAFFOLD * 0.8 < count_message(block.text) <= MOST_SCAFFOLD + 40
    assert all(value == ["word"] * 20 for value in shown.values())


TEXT = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=80)


@settings(max_examples=100)
@given(TEXT, TEXT)
def test_nothing_that_was_learned_can_leave_its_envelope(key, text):
    profile = ProfilePicture(
        NarrativePart(text=f"<x>{text}"),
        Structured(data={key: {key: text}}),
        LearnedTexts(items=[text]),
    )

    rendered = context_block(profile, 10_000).text

    tags = re.findall(r"^</?(?:narrative|data|learned)-[0-9a-f]{16}>$", rendered, re.MULTILINE)
    assert len(tags) == 6
    assert rendered.count("<") == 6
    told, data, learned = lines(rendered)
    assert told == {"narrative": visible(f"<x>{text}")}
    assert data == {visible(key): {visible(key): visible(text)}}
    assert learned == {"learned": [visible(text)]}
