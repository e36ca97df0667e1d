"""The arithmetic by which a session bears held candidates out."""

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from consolidation.session_end.evidence import support
from consolidation.session_end.evidence.clusters import look
from consolidation.session_end.evidence.support import (
    Support,
    code_of,
    decide_facts,
    decide_rules,
    support_of,
)
from consolidation.verdict import VerdictCode
from tests.consolidation.candidates import fact, held, rule

MARATHON = fact("Berlin marathon", "I ran the Berlin marathon in May.")
ARC = "The user spoke of the Berlin marathon, and of a sore knee."
WORTHLESS = fact("worthless", "I'm worthless at my job.")
BRIEF = "Keep your answers brief."


def against(*turns: str, arc: str = "", earlier: tuple[str, ...] = ()) -> support.Grounds:
    return support.grounds(turns=turns, arc=arc, earlier=earlier, language="english")


def codes(decisions) -> list[VerdictCode]:
    return [one.code for one in decisions]


@pytest.mark.requirement("OC-29")
@pytest.mark.parametrize(
    ("grounds", "code"),
    [
        (against(MARATHON.quote), VerdictCode.SKIP_UNSUPPORTED),
        (
            against(MARATHON.quote, "After the Berlin marathon my knee hurt."),
            VerdictCode.PROMOTION_REPETITION,
        ),
        (against(MARATHON.quote, arc=ARC), VerdictCode.PROMOTION_TRANSCRIPT_AND_ARC),
        (against(MARATHON.quote, earlier=(ARC,)), VerdictCode.PROMOTION_PRIOR_SESSION),
        (
            against(MARATHON.quote, arc="A knee.", earlier=("A marathon.",)),
            VerdictCode.SKIP_UNSUPPORTED,
        ),
    ],
    ids=["once", "twice", "arc", "earlier", "neither"],
)
def test_a_fact_is_promoted_as_far_as_it_is_borne_out(grounds, code):
    assert codes(decide_facts(held(MARATHON), grounds, [])) == [code]


@pytest.mark.requirement("OC-30")
@pytest.mark.parametrize(
    ("grounds", "code"),
    [
        (
            against(WORTHLESS.quote, arc="The user called themselves worthless at their job."),
            VerdictCode.SKIP_UNSUPPORTED,
        ),
        (
            against(WORTHLESS.quote, "I feel worthless again."),
            VerdictCode.PROMOTION_REPETITION,
        ),
        (
            against(WORTHLESS.quote, earlier=("The user felt worthless.",)),
            VerdictCode.PROMOTION_PRIOR_SESSION,
        ),
    ],
    ids=["arc", "twice", "earlier"],
)
def test_a_gate_opens_by_repetition_and_never_by_the_sessions_own_arc(grounds, code):
    assert codes(decide_facts(held(WORTHLESS, is_gated=True), grounds, [])) == [code]


@pytest.mark.parametrize("turns", range(4))
@pytest.mark.parametrize("arc", range(5))
@pytest.mark.parametrize("prior", range(3))
def test_the_gate_asks_for_more_of_the_same_and_nothing_without_a_turn(turns, arc, prior):
    found = Support(turns, arc, prior)
    is_gated = code_of(found, is_gated=True) is not VerdictCode.SKIP_UNSUPPORTED
    is_free = code_of(found, is_gated=False) is not VerdictCode.SKIP_UNSUPPORTED

    assert is_gated == (turns >= 2 or (turns >= 1 and prior >= 1))
    assert is_free == (turns >= 2 or (turns >= 1 and (arc >= 2 or prior >= 1)))


@pytest.mark.requirement("OC-48")
@pytest.mark.parametrize(
    ("turns", "code", "confidence"),
    [
        (1, VerdictCode.SKIP_UNSUPPORTED, "medium"),
        (2, VerdictCode.PROMOTION_IMPLICIT_PREFERENCE, "medium"),
        (3, VerdictCode.PROMOTION_IMPLICIT_PREFERENCE, "high"),
    ],
)
def test_a_rule_needs_two_turns_and_is_sure_with_three(turns, code, confidence):
    found = held(*(rule(BRIEF, f"Brief answers, {turn}!", turn) for turn in range(turns)))

    (decision,) = decide_rules(found, against())

    assert (decision.code, decision.item.confidence) == (code, confidence)
    assert decision.members == tuple(one.id for one in found)


def test_a_rule_keeps_three_quotes():
    found = held(*(rule(BRIEF, f"Brief, {turn}!", turn) for turn in range(5)))

    (decision,) = decide_rules(found, against())

    assert decision.item.evidence == ("Brief, 0!", "Brief, 1!", "Brief, 2!")


def test_the_last_word_stands_for_a_cluster():
    first = fact("knee", "My left knee hurts badly.", 1)
    last = fact("left knee", "My left knee hurts a little.", 4)

    (decision,) = decide_facts(held(last, first), against(), [])

    assert decision.item is last
    assert (decision.members, decision.code) == ((2, 1), VerdictCode.PROMOTION_REPETITION)


def test_boss_and_sister_stay_two():
    boss = fact("boss", "I worry about my boss a lot.", 1)
    sister = fact("sister", "I worry about my sister a lot.", 2)

    assert len(decide_facts(held(boss, sister), against(), [])) == 2


def test_things_with_a_word_in_common_stay_two():
    tea = fact("green tea", "I really like my green tea.", 1)
    salad = fact("green salad", "I really like my green salad.", 2)

    assert len(decide_facts(held(tea, salad), against(), [])) == 2


def test_what_one_turn_tells_apart_stays_two():
    quote = "The Alps and the Alps in winter are where I hike."
    one, other = fact("Alps", quote), fact("Alps in winter", quote)

    assert len(decide_facts(held(one, other), against(), [])) == 2


def test_the_same_thing_from_one_turn_is_one():
    assert len(decide_facts(held(MARATHON, MARATHON), against(), [])) == 1


@pytest.mark.parametrize(
    ("turn", "is_support"),
    [
        ("The BERLIN marathon again.", True),
        ("I ran in May.", True),
        ("A marathon.", False),
        ("Berlin, and then a marathon.", True),
        ("I am in berlinmarathoning.", False),
        ("", False),
    ],
)
def test_a_turn_supports_by_the_thing_or_by_two_words(turn, is_support):
    (members,) = [held(MARATHON)]
    looks = [look(MARATHON, "english")]
    grounds = against(turn, earlier=(turn,))

    found = support_of(members, looks, grounds)

    assert (found.turns, found.prior) == (1, int(is_support))


@pytest.mark.parametrize(
    ("arc", "score"),
    [
        ("", 0),
        ("A marathon.", 0),
        ("Someone ran in May.", 1),
        ("Someone ran through Berlin in May.", 2),
        ("The Berlin marathon.", 3),
        ("The Berlin marathon in May.", 4),
    ],
)
def test_an_arc_counts_two_for_the_thing_and_one_each_for_two_and_three_words(arc, score):
    grounds = against(arc=arc)
    assert support.arc_score(grounds.arc, look(MARATHON, "english")) == score


RUNNING = fact(
    "short walks", "Short walks before answering calm me down.", category="coping_strategy"
)


@pytest.mark.parametrize(
    ("new", "code"),
    [
        (rule("Suggest short walks to calm down.", "x"), VerdictCode.SKIP_OVERLAP_PROCEDURAL),
        (rule("Answer in French.", "x"), VerdictCode.PROMOTION_REPETITION),
    ],
    ids=["overlapping", "distinct"],
)
def test_guidance_yields_to_a_rule_that_gives_it(new, code):
    grounds = against(RUNNING.quote, "I took one of my short walks.")
    assert codes(decide_facts(held(RUNNING), grounds, [new])) == [code]


@pytest.mark.parametrize(
    ("quote", "code"),
    [
        ("Long explanations tire me.", VerdictCode.SKIP_OVERLAP_PROCEDURAL),
        ("Long stories tire me.", VerdictCode.PROMOTION_REPETITION),
    ],
    ids=["cue", "no cue"],
)
def test_two_words_are_enough_with_a_cue(quote, code):
    found = fact("long texts", quote, 1, category="preference")
    grounds = against(quote, quote)
    rules = [rule("Explain things without long words that tire the user, explanations too.", "x")]
    assert codes(decide_facts(held(found), grounds, rules)) == [code]


def test_what_is_no_guidance_never_yields():
    grounds = against(MARATHON.quote, MARATHON.quote)
    rules = [rule("Speak of the Berlin marathon in May.", "x")]

    assert codes(decide_facts(held(MARATHON), grounds, rules)) == [VerdictCode.PROMOTION_REPETITION]


TEXTS = st.lists(
    st.sampled_from(["my", "knee", "hurts", "the", "Berlin", "marathon", "boss", "like", "run"]),
    min_size=1,
    max_size=6,
).map(" ".join)
CANDIDATES = st.lists(
    st.builds(
        lambda thing, quote, turn: fact(thing, quote, turn),
        TEXTS,
        TEXTS,
        st.integers(min_value=1, max_value=5),
    ),
    max_size=8,
)


@given(CANDIDATES, st.lists(TEXTS, max_size=4), TEXTS, st.randoms(use_true_random=False))
def test_each_candidate_is_decided_once_in_whatever_order_they_come(
    items, turns, arc, chance: random.Random
):
    grounds = against(*turns, arc=arc)
    found = held(*items)
    shuffled = chance.sample(found, len(found))

    decisions = decide_facts(found, grounds, [])

    members = sorted(member for one in decisions for member in one.members)
    assert members == [one.id for one in found]
    assert decide_facts(shuffled, grounds, []) == decisions


@given(CANDIDATES, st.lists(TEXTS, max_size=4), TEXTS, TEXTS)
def test_more_turns_never_take_a_promotion_back(items, turns, arc, more):
    before = decide_facts(held(*items), against(*turns, arc=arc), [])
    after = decide_facts(held(*items), against(*turns, more, arc=arc), [])

    assert all(new.is_promoted for old, new in zip(before, after, strict=True) if old.is_promoted)


@given(CANDIDATES, st.lists(TEXTS, max_size=4), TEXTS)
def test_a_gated_candidate_cares_nothing_for_the_arc(items, turns, arc):
    found = held(*items, is_gated=True)

    assert decide_facts(found, against(*turns, arc=arc), []) == decide_facts(
        found, against(*turns), []
    )
