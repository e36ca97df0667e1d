"""What a new fact or rule does to those that are kept, without a database."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from accounts.ids import new_id
from consolidation.learning.reconcile.matching import (
    Act,
    Decision,
    KnownFact,
    KnownRule,
    MatchInvalid,
    colliding,
    decide_fact,
    decide_rule,
    is_near,
    known_fact,
    known_rule,
    normalised,
)
from consolidation.verdict import FactCandidate
from extraction.contracts.learning import ProceduralReconciliation, SemanticReconciliation
from ranking.similarity import jaccard
from ranking.tokens import tokens


def candidate(object="Lyon", quote="I live in Lyon.", **fields) -> FactCandidate:
    return FactCandidate(
        **{
            "category": "context",
            "subject_type": "User",
            "subject": "alice",
            "predicate": "EXPERIENCED",
            "object_type": "Event",
            "object": object,
            "quote": quote,
            "confidence": "high",
            "source_event": "ev-1",
            "turn": 1,
            **fields,
        }
    )


def kept(object="Lyon", quote="I live in Lyon.", **fields) -> KnownFact:
    return KnownFact(
        **{
            "id": new_id(),
            "category": "context",
            "subject": "alice",
            "predicate": "EXPERIENCED",
            "object_type": "Event",
            "object": object,
            "quote": quote,
            **fields,
        }
    )


def fact_answer(action, indexes=(), confidence="high"):
    return SemanticReconciliation(
        action=action, record_indexes=list(indexes), reason="so it is", confidence=confidence
    )


def rule_answer(action, indexes=(), confidence="high"):
    return ProceduralReconciliation(
        action=action, replace_indexes=list(indexes), reason="so it is", confidence=confidence
    )


def test_the_user_is_named_by_the_owners_id_and_nobody_else_is():
    assert normalised(candidate(subject="I"), "alice").subject == "alice"
    assert normalised(candidate(subject="bob", subject_type="Person"), "alice").subject == "bob"
    assert len(normalised(candidate(), "a" * 255).subject) == 200


@pytest.mark.parametrize(
    "fields",
    [{"category": "goal"}, {"subject": "bob"}, {"predicate": "USES"}, {"object_type": "Person"}],
)
def test_facts_collide_by_category_subject_predicate_and_type(fields):
    assert colliding(candidate(), [kept("Nice", "Another quote.")])
    assert not colliding(candidate(), [kept(**fields)])


def test_case_of_a_subject_does_not_keep_facts_apart():
    assert colliding(candidate(subject="ALICE "), [kept()])


@pytest.mark.requirement("OC-22")
@pytest.mark.parametrize("quote", ["I live in Lyon.", "i LIVE  in\nlyon."])
def test_the_same_words_are_one_fact_without_a_model(quote):
    one = kept()

    assert known_fact(candidate("LYON", quote), [kept("Nice"), one]) == Decision(
        Act.BUMP, (one.id,)
    )


def words(count: int, start: int = 0) -> str:
    return " ".join(f"w{n}" for n in range(start, start + count))


@pytest.mark.requirement("OC-23")
@pytest.mark.parametrize(
    ("shared", "all", "is_one"), [(17, 20, True), (21, 25, False), (16, 20, False), (20, 20, True)]
)
def test_quotes_are_one_from_eighty_five_hundredths_on(shared, all, is_one):
    first, second = words(all), words(shared)
    assert jaccard(tokens(first), tokens(second)) == shared / all

    found = known_fact(candidate(quote=second), [kept(quote=first)])

    assert (found is not None and found.act is Act.BUMP) == is_one


@pytest.mark.requirement("OC-23")
def test_near_quotes_of_other_objects_are_not_one():
    assert known_fact(candidate("Nice"), [kept("Lyon")]) is None


@pytest.mark.requirement("OC-81")
def test_quotes_are_compared_by_the_tokens_that_search_uses():
    assert is_near("我住在里昂。", "我住在里昂！")
    assert is_near("Ｉ live in Lyon", "i live in lyon")
    assert not is_near("я живу в Лионе", "я живу в Ницце")


@given(st.text(max_size=60), st.text(max_size=60))
def test_nearness_has_no_direction(first, second):
    assert is_near(first, second) == is_near(second, first)
    assert is_near(first, first)


def test_what_collides_with_nothing_is_added():
    assert known_fact(candidate(), []) == Decision(Act.ADD)
    assert known_rule("You answer briefly.", []) == Decision(Act.ADD)


@pytest.mark.requirement("OC-24")
def test_the_model_decides_what_collides():
    known = [kept("Nice"), kept("Metz"), kept("Brest")]
    ids = [fact.id for fact in known]

    assert decide_fact(fact_answer("bump", [1]), known).targets == (ids[1],)
    assert decide_fact(fact_answer("supersede", [0, 2, 0]), known) == Decision(
        Act.SUPERSEDE, (ids[0], ids[2]), "so it is"
    )
    assert decide_fact(fact_answer("coexist"), known).act is Act.ADD


@pytest.mark.requirement("OC-27")
@pytest.mark.parametrize("action", ["bump", "supersede", "coexist"])
def test_a_model_that_is_not_sure_changes_no_fact(action):
    found = decide_fact(fact_answer(action, [0], "low"), [kept("Nice")])

    assert (found.act, found.targets) == (Act.ADD, ())


@pytest.mark.requirement("OC-27")
@pytest.mark.parametrize("action", ["append", "replace", "skip"])
def test_a_model_that_is_not_sure_changes_no_rule(action):
    found = decide_rule(rule_answer(action, [0], "low"), [KnownRule(new_id(), "You nod.")])

    assert (found.act, found.targets) == (Act.ADD, ())


@pytest.mark.parametrize(
    ("action", "indexes"),
    [("bump", []), ("bump", [0, 1]), ("bump", [2]), ("supersede", []), ("supersede", [0, 2])],
)
def test_indexes_that_were_not_shown_are_invalid(action, indexes):
    with pytest.raises(MatchInvalid):
        decide_fact(fact_answer(action, indexes), [kept("Nice"), kept("Metz")])


@pytest.mark.requirement("OC-52")
def test_a_rule_is_appended_replaces_or_is_skipped():
    known = [KnownRule(new_id(), "You nod."), KnownRule(new_id(), "You answer at length.")]

    assert decide_rule(rule_answer("append"), known).act is Act.ADD
    assert decide_rule(rule_answer("skip"), known).act is Act.SKIP
    assert decide_rule(rule_answer("replace", [1]), known) == Decision(
        Act.SUPERSEDE, (known[1].id,), "so it is"
    )
    with pytest.raises(MatchInvalid):
        decide_rule(rule_answer("replace", []), known)


@pytest.mark.requirement("OC-52")
def test_the_same_rule_is_skipped_without_a_model():
    known = [KnownRule(new_id(), "You answer briefly.")]

    assert known_rule("you answer  BRIEFLY.", known) == Decision(Act.SKIP)
    assert known_rule("You answer briefly, in French.", known) is None
