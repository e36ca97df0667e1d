"""Facts at the gate: checks before the model is asked, clamps after."""

import pytest

from consolidation.learning.gate.policy import FACT_CHECKS, FACT_CLAMPS, judge_fact
from consolidation.verdict import POLICY_VERSION, Action, VerdictCode
from providers.errors import ProviderRefused, ReplyMalformed
from providers.null import NullChat
from tests.consolidation.learning.gate.candidates import Judge, fact, lines, of_facts

SAID = "My sister is called Ana"


def test_the_guards_stand_in_their_order():
    def names(table):
        return [each.__module__.rpartition(".")[2] for each in table]

    assert names(FACT_CHECKS) == [
        "provenance",
        "memory_control",
        "secret",
        "untrusted_source",
        "not_quoted",
    ]
    assert names(FACT_CLAMPS) == [
        "safety_conflict",
        "turn_scoped",
        "sensitive_category",
        "negative_self_belief",
        "not_at_once",
    ]


@pytest.mark.requirement("OC-11")
@pytest.mark.requirement("OC-12")
@pytest.mark.parametrize(
    ("candidate", "said", "code"),
    [
        (fact(predicate="MENTIONED_IN"), SAID, VerdictCode.PROVENANCE),
        (fact("Don't save this"), "Don't save this", VerdictCode.MEMORY_CONTROL),
        (fact("Use incognito"), "Actually, use incognito", VerdictCode.MEMORY_CONTROL),
        (fact("Forget that"), "Please forget that", VerdictCode.MEMORY_CONTROL),
        (fact(SAID), f"{SAID}. Do not save that.", VerdictCode.MEMORY_CONTROL),
        (fact("my PIN is 4821"), "my PIN is 4821", VerdictCode.SECRET),
        (fact(SAID, object="[redacted:password]"), SAID, VerdictCode.SECRET),
        (fact(SAID, source_class="tool_output"), SAID, VerdictCode.UNTRUSTED_SOURCE),
        (fact("My sister is Ana"), SAID, VerdictCode.NOT_QUOTED),
        (fact(SAID), f"> {SAID}\nWhat does she mean?", VerdictCode.NOT_QUOTED),
        (fact(SAID), f"```\n{SAID}\n```\nTranslate this", VerdictCode.NOT_QUOTED),
    ],
)
def test_a_check_drops_without_asking_the_model(candidate, said, code):
    model = of_facts()

    verdict = judge_fact(model, candidate, lines(said))

    assert (verdict.action, verdict.code) == (Action.DROP, code)
    assert model.asked == []


@pytest.mark.requirement("OC-08")
@pytest.mark.requirement("OC-09")
@pytest.mark.parametrize(
    "action", ["commit_now", "commit_at_session_end", "require_repetition", "drop"]
)
def test_what_no_guard_touches_is_the_models_to_judge(action):
    verdict = judge_fact(of_facts(action), fact(), lines(SAID))

    assert (verdict.action.value, verdict.code) == (action, VerdictCode.LLM_POLICY)
    assert (verdict.reason, verdict.policy_version) == ("Plain.", POLICY_VERSION)


@pytest.mark.requirement("OC-13")
@pytest.mark.parametrize("action", ["commit_now", "commit_at_session_end", "require_repetition"])
def test_the_moment_is_dropped_even_if_the_model_says_commit(action):
    said = "For now I live with Ana"

    verdict = judge_fact(of_facts(action), fact(said), lines(said))

    assert (verdict.action, verdict.code) == (Action.DROP, VerdictCode.TURN_SCOPED)


def test_the_moment_with_a_word_that_it_lasts_is_kept():
    said = "Right now and always I prefer tea"

    verdict = judge_fact(of_facts(), fact(said, category="preference"), lines(said))

    assert verdict.action is Action.COMMIT_NOW


@pytest.mark.requirement("OC-14")
@pytest.mark.parametrize("category", ["loss", "trigger"])
def test_a_sensitive_category_is_held(category):
    verdict = judge_fact(of_facts(), fact(category=category), lines(SAID))

    assert (verdict.action, verdict.code) == (Action.SESSION_END, VerdictCode.SENSITIVE_CATEGORY)


@pytest.mark.requirement("OC-15")
@pytest.mark.parametrize("action", ["commit_now", "commit_at_session_end", "require_repetition"])
@pytest.mark.parametrize("category", ["context", "preference", "trigger"])
def test_a_negative_self_belief_always_needs_repetition(action, category):
    said = "I am a failure"

    verdict = judge_fact(of_facts(action), fact(said, category=category), lines(said))

    assert verdict.action is Action.REPETITION


@pytest.mark.requirement("OC-16")
def test_a_fact_that_keeps_help_away_is_dropped():
    said = "I want you to skip the safety check"

    verdict = judge_fact(of_facts(), fact(said, category="preference"), lines(said))

    assert (verdict.action, verdict.code) == (Action.DROP, VerdictCode.SAFETY_CONFLICT)


@pytest.mark.requirement("OC-89")
@pytest.mark.parametrize(
    ("category", "sure", "judged", "action"),
    [
        ("relationship", "high", "high", Action.COMMIT_NOW),
        ("preference", "high", "high", Action.COMMIT_NOW),
        ("coping_strategy", "high", "high", Action.COMMIT_NOW),
        ("goal", "high", "high", Action.COMMIT_NOW),
        ("context", "high", "high", Action.SESSION_END),
        ("goal", "high", "medium", Action.SESSION_END),
        ("goal", "low", "high", Action.SESSION_END),
    ],
)
def test_only_some_categories_are_kept_at_once_and_only_when_sure(category, sure, judged, action):
    candidate = fact(category=category, confidence=sure)

    verdict = judge_fact(of_facts(confidence=judged), candidate, lines(SAID))

    assert verdict.action is action
    assert (verdict.code is VerdictCode.NOT_AT_ONCE) == (action is Action.SESSION_END)


@pytest.mark.requirement("OC-47")
@pytest.mark.parametrize(
    "said",
    [
        "I like short answers",
        "I like it when you explain step by step",
        "Ich mag kurze Antworten",
        "Me gustan las respuestas cortas",
        "J'aime les réponses courtes",
        "我喜欢简短的回答",
    ],
)
def test_a_wish_about_answers_is_held_as_a_fact_too(said):
    verdict = judge_fact(of_facts(), fact(said, category="preference"), lines(said))

    assert (verdict.action, verdict.code) == (Action.SESSION_END, VerdictCode.NOT_AT_ONCE)


@pytest.mark.requirement("OC-10")
def test_without_a_model_there_is_no_verdict():
    with pytest.raises(ProviderRefused):
        judge_fact(NullChat(), fact(), lines(SAID))


def test_a_ruling_out_of_contract_is_no_verdict():
    class Prose(Judge):
        def complete(self, task, *, seconds=None):
            raise ReplyMalformed("prose")

    with pytest.raises(ReplyMalformed):
        judge_fact(Prose({}), fact(), lines(SAID))


def test_white_space_makes_no_other_quote():
    said = "My sister\n  is called\tAna"

    assert judge_fact(of_facts(), fact(SAID), lines(said)).action is Action.COMMIT_NOW
