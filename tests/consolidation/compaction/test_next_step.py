"""When each strategy folds, and what."""

import pytest

from consolidation.compaction.strategies.registry import STRATEGIES, next_step
from memory.windows import INJECTED, JOB, MODEL, TOOL, USER, LaneMeasure, ViewEvent


def talk(count, tokens=10, **fields):
    """Return a view of `count` messages, of user and model in turn."""
    shown = [ViewEvent(seq, MODEL if seq % 2 == 0 else USER, tokens) for seq in range(1, count + 1)]
    return make_view(shown, **fields)


def make_view(shown, limit=10_000, fixed=0, **fields):
    return LaneMeasure(
        shown=shown,
        start_seq=1,
        last_seq=shown[-1].seq if shown else 0,
        limit=limit,
        fixed=fixed,
        **fields,
    )


def step(view, strategy="reference_summary", is_asked=False, flush_armed=True):
    return next_step(view, strategy, is_asked=is_asked, flush_armed=flush_armed)


def folded(view, strategy="reference_summary", **asked):
    found = step(view, strategy, **asked)
    return found.fold.folded if found and found.fold else []


@pytest.mark.requirement("XX-01")
def test_there_are_three_strategies():
    assert [*STRATEGIES] == ["reference_summary", "summarize_tail", "archive"]


@pytest.mark.requirement("CH-15")
@pytest.mark.requirement("CH-17")
@pytest.mark.requirement("CH-40")
def test_more_than_the_windows_events_fold_the_oldest():
    assert step(talk(50)) is None
    assert folded(talk(51)) == list(range(1, 22))
    assert folded(talk(12, most_events=10)) == list(range(1, 7))


@pytest.mark.requirement("CH-41")
def test_tokens_above_the_share_of_what_is_left_fold():
    # Room is 1,000 less 200 fixed and the latest user's 10; of the other 790 it takes 632 at most.
    view = {"limit": 1_000, "fixed": 200}
    below = make_view([*talk(9, 70).shown[:-1], ViewEvent(9, USER, 10)], **view)
    assert step(below, flush_armed=False) is None
    over = make_view([*talk(9, 80).shown[:-1], ViewEvent(9, USER, 10)], **view)
    assert folded(over) == [1, 2, 3, 4, 5]


@pytest.mark.requirement("CH-17")
def test_a_fold_goes_down_to_sixty_percent_so_that_the_next_turns_need_none():
    view = talk(40, 100, limit=4_000)
    left = 100 * (40 - len(folded(view)))
    most = 0.8 * (4_000 - 100)
    assert 0.6 * most - 100 <= left - 100 <= 0.6 * most
    assert 51 - len(folded(talk(51))) == 30


@pytest.mark.requirement("CH-41")
def test_what_a_prompt_has_no_room_for_folds_however_large_the_context_is():
    assert step(talk(20, 100, limit=100_000, budget=100_000)) is None
    assert folded(talk(20, 100, limit=100_000, budget=1_500))


def test_a_fold_for_want_of_room_takes_what_is_worth_a_call_and_leaves_the_tail():
    assert folded(talk(24, 100, limit=2_500)) == list(range(1, 21))
    assert folded(talk(40, 60, limit=2_500)) == list(range(1, 21))


def test_a_higher_real_count_folds_sooner():
    assert step(talk(20, 10, limit=400)) is None
    assert folded(talk(20, 10, limit=400, calibration=2.0))


@pytest.mark.requirement("OL-05")
def test_the_tail_strategy_compacts_at_seventy_percent_and_not_at_sixty_nine():
    at = {69: talk(10, 69, limit=1_000), 70: talk(10, 70, limit=1_000)}
    assert step(at[69], "summarize_tail", flush_armed=False) is None
    assert folded(at[70], "summarize_tail")


@pytest.mark.requirement("OL-03")
def test_facts_are_flushed_once_from_sixty_percent_on():
    below, at = talk(10, 59, limit=1_000), talk(10, 60, limit=1_000)
    assert step(below, "summarize_tail") is None
    found = step(at, "summarize_tail")
    assert found is not None
    assert found.fold is None
    assert step(at, "summarize_tail", flush_armed=False) is None
    for strategy in STRATEGIES:
        flush = step(at, strategy)
        assert flush is not None
        assert flush.fold is None


@pytest.mark.requirement("OL-10")
def test_the_tail_strategy_leaves_four_messages():
    assert folded(talk(10, 90, limit=1_000), "summarize_tail") == [1, 2, 3, 4, 5, 6]


@pytest.mark.requirement("OL-10")
def test_a_tail_grows_only_so_that_no_result_loses_its_call():
    call = ViewEvent(6, MODEL, 100, calls=frozenset({"a"}))
    rest = [ViewEvent(7, TOOL, 100, answers="a"), ViewEvent(8, MODEL, 100), ViewEvent(9, USER, 100)]
    view = make_view([*talk(5, 100).shown, call, *rest, ViewEvent(10, MODEL, 100)], limit=1_000)
    assert folded(view, "summarize_tail") == [1, 2, 3, 4, 5]


def test_an_archive_is_made_only_when_asked_for():
    view = talk(200, 100, limit=1_000)
    assert folded(view, "archive") == []
    assert folded(view, "archive", is_asked=True) == list(range(1, 199))


@pytest.mark.requirement("CH-21")
@pytest.mark.requirement("CH-22")
@pytest.mark.parametrize("strategy", STRATEGIES)
def test_the_latest_words_and_the_briefing_never_leave(strategy):
    shown = [
        ViewEvent(1, JOB, 900),
        ViewEvent(2, USER, 900),
        ViewEvent(3, MODEL, 900),
        ViewEvent(4, USER, 900),
    ]
    view = make_view([*shown, *(ViewEvent(seq, MODEL, 900) for seq in range(5, 60))], limit=1_000)
    taken = folded(view, strategy, is_asked=True)
    assert 2 in taken
    assert not {1, 4} & set(taken)


@pytest.mark.requirement("CH-18")
def test_an_instruction_goes_only_with_what_is_folded_on_both_sides():
    shown = [ViewEvent(1, INJECTED, 10), ViewEvent(2, USER, 10), ViewEvent(3, INJECTED, 10)]
    view = make_view(
        [*shown, *(ViewEvent(seq, MODEL, 10) for seq in range(4, 60)), ViewEvent(60, USER, 1)]
    )
    taken = folded(view)
    assert 1 not in taken
    assert 3 in taken
    assert 2 in taken


def test_nothing_to_fold_is_no_step():
    assert step(make_view([])) is None
    assert step(talk(3), is_asked=True) is None
    assert step(make_view([ViewEvent(1, USER, 9_000)], limit=1_000), is_asked=True) is None
