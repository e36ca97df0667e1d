import json
from datetime import UTC, datetime, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ranking.periods.finding import periods
from ranking.periods.vocabulary import TABLES, vocabulary

NOW = datetime(2024, 6, 12, 10, tzinfo=UTC)
LANGUAGES = st.sampled_from([*TABLES, "russian", "klingon"])
WORDS = sorted(
    {
        " ".join((first, *entry.rest))
        for language in TABLES
        for first, entries in vocabulary(language).items()
        for entry in entries
    }
)
NUMBERS = ["0", "3", "31", "99", "2023", "2024-02-30", "3.5.2023", "'22", "Q3", "3rd", "9" * 5_000]
PARTS = ["early", "late", "mid", "the end of", "yesterday", "this morning", "last", "before", "day"]
PIECES = st.sampled_from([*WORDS, *NUMBERS, ".", ",", "-", "'s", "May", "zebra"])
PIECES |= st.sampled_from(PARTS)
MOMENTS = st.datetimes(
    min_value=datetime(1, 1, 1),  # noqa: DTZ001 - the strategy adds the zone
    max_value=datetime(9999, 12, 31),  # noqa: DTZ001
    timezones=st.sampled_from([UTC, ZoneInfo("Pacific/Kiritimati"), ZoneInfo("America/Lima")]),
)


def rows(name):
    lines = Path(__file__).with_name(name).read_text(encoding="utf-8").splitlines()
    return [json.loads(line) for line in lines]


def moment(text):
    return datetime.fromisoformat(text) if text else None


def spans(text, *, asked_at=NOW, language="english"):
    return [
        (period.start, period.end) for period in periods(text, asked_at=asked_at, language=language)
    ]


def asked(row):
    return spans(row["text"], asked_at=moment(row["asked_at"]), language=row["language"])


def overlap(one, other):
    starts = [start for start, _ in (one, other) if start]
    ends = [end for _, end in (one, other) if end]
    return not starts or not ends or max(starts) < min(ends)


def named(row):
    return f"{row['text']} {row['asked_at']}"


@pytest.mark.parametrize("row", rows("periods_cases.jsonl"), ids=named)
def test_a_question_names_its_periods_and_no_others(row):
    expected = [(moment(span["start"]), moment(span["end"])) for span in row["expected"]]

    assert asked(row) == expected


@pytest.mark.parametrize("row", rows("periods_held_out.jsonl"), ids=named)
def test_what_others_expect_of_a_question_overlaps_with_what_is_read(row):
    """The cases were written by somebody who had not seen the rule."""
    expected = [(moment(span["start"]), moment(span["end"])) for span in row["expected"]]

    assert len(asked(row)) == len(expected)
    assert all(map(overlap, asked(row), expected))


def test_a_day_is_the_asker_s():
    berlin = NOW.astimezone(ZoneInfo("Europe/Berlin"))

    assert spans("What did I eat yesterday?", asked_at=berlin) == [
        (datetime(2024, 6, 10, 22, tzinfo=UTC), datetime(2024, 6, 11, 22, tzinfo=UTC))
    ]


def test_a_period_knows_the_words_that_name_it():
    text = "Where was I before the end of March, and why?"

    (period,) = periods(text, asked_at=NOW, language="english")

    first, after = period.words
    assert text[first:after] == "before the end of March"


@pytest.mark.parametrize(
    ("surer", "vaguer"),
    [
        ("What did I do in May 2023?", "What did I do in May?"),
        ("What did I do in May?", "What did I do a few months ago?"),
        ("What did I do a few months ago?", "What did I do lately?"),
    ],
)
def test_what_is_vague_weighs_less(surer, vaguer):
    (one,), (other,) = (periods(text, asked_at=NOW, language="english") for text in (surer, vaguer))

    assert 1 >= one.weight > other.weight > 0


def test_a_question_in_another_language_than_the_given_is_read_in_its_own():
    german = "Was haben wir im letzten Sommer am See gemacht?"

    assert spans(german, language="french") == spans(german, language="german") != []


@settings(deadline=None)
@given(st.text(st.characters(), max_size=300), MOMENTS, LANGUAGES)
def test_any_text_may_be_asked(text, asked_at, language):
    periods(text, asked_at=asked_at, language=language)


@settings(deadline=None, max_examples=300)
@given(st.lists(PIECES, max_size=20), MOMENTS, LANGUAGES)
def test_periods_are_ordered_and_lie_within_the_text(pieces, asked_at, language):
    text = " ".join(pieces)

    for period in periods(text, asked_at=asked_at, language=language):
        assert period.start or period.end
        assert not (period.start and period.end) or period.start < period.end
        assert 0 < period.weight <= 1
        assert 0 <= period.words[0] < period.words[1] <= len(text)
        assert all(side.utcoffset() == timedelta(0) for side in (period.start, period.end) if side)


@pytest.mark.parametrize(
    "piece",
    [
        "a",
        "1",
        "-",
        "'",
        "\x00",
        "\ud800",
        "\u05d0 ",
        "last ",
        "of the ",
        "3-",
        "May ",
        "in May ",
        "é",
    ],
)
def test_a_text_of_any_length_is_read(piece):
    periods(f"in 2023 {piece * 10_000}", asked_at=NOW, language="english")
