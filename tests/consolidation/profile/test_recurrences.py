from datetime import timedelta
from uuid import UUID

import pytest

from consolidation.profile.patterns.find import Sighting, recurrences
from tests.factories import WHEN

SESSIONS = [UUID(int=number) for number in range(1, 9)]


def seen(kind: str, name: str, number: int, request: str = "") -> Sighting:
    at = WHEN + timedelta(days=number)
    return Sighting(kind, name, SESSIONS[number], at, UUID(int=100 + number), request)


def found(*sightings, session_count=8, days=8):
    now = WHEN + timedelta(days=days)
    return recurrences(sightings, session_count=session_count, now=now, language="english")


@pytest.mark.requirement("TS-82")
def test_a_theme_of_three_sessions_is_a_pattern_with_links_to_its_sources():
    (one,) = found(*(seen("theme", "garden planning", number) for number in range(3)))

    assert one.sessions == tuple(SESSIONS[:3])
    assert one.sources == tuple(UUID(int=100 + number) for number in range(3))
    assert one.text == "Spoke of garden planning, in 3 of 8 sessions, last on 10 May 2026"
    assert (one.first_seen_at, one.last_seen_at) == (WHEN, WHEN + timedelta(days=2))


def test_a_theme_of_one_session_is_none_however_often_it_is_named_there():
    assert found(*[seen("theme", "garden", 1)] * 5) == []


def test_a_theme_is_the_same_in_other_words_of_the_same_stems():
    names = ("Garden planning", "planning the garden", "gardens, planned")
    (one,) = found(*(seen("theme", name, number) for number, name in enumerate(names)))

    assert len(one.sessions) == 3


def test_themes_that_share_a_word_alone_stay_apart():
    assert (
        found(*(seen("theme", f"garden {n}", i) for i, n in enumerate(("wall", "cat", "tax"))))
        == []
    )


def test_a_loose_end_that_comes_back_is_one_from_two_sessions_on():
    (one,) = found(
        seen("open_loop", "call the plumber about the tap", 0),
        seen("open_loop", "the plumber and the tap", 3),
    )

    assert one.kind == "open_loop"
    assert one.text.startswith("Left open: the plumber and the tap, in 2 of 8 sessions")


def test_a_tool_keeps_the_words_of_the_requests_it_was_used_for():
    (one,) = found(
        *(seen("tool", "train_times", n, "When does the train leave?") for n in range(3))
    )

    assert one.key == "train_times"
    assert set(one.words) >= {"train", "leave"}


def test_a_pattern_fades_by_half_in_sixty_days():
    sightings = [seen("theme", "garden", number) for number in range(3)]

    ((fresh,), (old,)) = found(*sightings, days=2), found(*sightings, days=62)

    assert fresh.strength == pytest.approx(3 / 8)
    assert old.strength == pytest.approx(3 / 16)


def test_the_strongest_comes_first():
    many = [seen("theme", "garden", number) for number in range(6)]
    few = [seen("theme", "trains", number) for number in range(3)]

    assert [one.key for one in found(*few, *many)] == ["garden", "trains"]
