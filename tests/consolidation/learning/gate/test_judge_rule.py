"""Rules at the gate: checks before the model is asked, clamps after."""

import pytest

from consolidation.learning.gate.policy import judge_rule
from consolidation.verdict import Action, VerdictCode
from tests.consolidation.learning.gate.candidates import lines, of_rules, rule

SAID = "From now on answer briefly"


def judged(candidate, said=SAID, **ruling):
    return judge_rule(of_rules(**ruling), candidate, lines(said))


@pytest.mark.requirement("OC-46")
def test_an_explicit_durable_instruction_is_kept_at_once():
    verdict = judged(rule())

    assert (verdict.action, verdict.code) == (Action.COMMIT_NOW, VerdictCode.LLM_POLICY)


@pytest.mark.requirement("OC-47")
def test_an_implicit_preference_is_held():
    said = "I like it when you are brief"

    verdict = judged(rule(quote=said), said, action="commit_at_session_end")

    assert verdict.action is Action.SESSION_END


@pytest.mark.parametrize("confidence", ["low", "medium"])
def test_an_unsure_ruling_is_held(confidence):
    verdict = judged(rule(), confidence=confidence)

    assert (verdict.action, verdict.code) == (Action.SESSION_END, VerdictCode.NOT_AT_ONCE)


@pytest.mark.requirement("OC-16")
@pytest.mark.parametrize(
    ("text", "conflict"),
    [("Skip the safety check.", False), ("Never mention the hotline.", False), ("Be calm.", True)],
)
def test_keeping_help_away_is_dropped_whatever_the_model_says(text, conflict):
    verdict = judged(rule(text, text.strip(".")), text, conflict=conflict)

    assert (verdict.action, verdict.code) == (Action.DROP, VerdictCode.SAFETY_CONFLICT)


@pytest.mark.requirement("OC-13")
def test_a_wish_for_this_reply_alone_is_dropped():
    said = "Answer briefly this time"

    verdict = judged(rule(quote=said), said)

    assert (verdict.action, verdict.code) == (Action.DROP, VerdictCode.TURN_SCOPED)


@pytest.mark.requirement("OC-17")
def test_a_fact_to_remember_is_no_rule():
    said = "Remember that my sister is called Ana"

    verdict = judged(rule("Remember that the sister is called Ana.", said), said)

    assert (verdict.action, verdict.code) == (Action.DROP, VerdictCode.FACT_SHAPED_RULE)


@pytest.mark.parametrize(
    ("candidate", "said", "code"),
    [
        (rule(), f"{SAID}. Forget that.", VerdictCode.MEMORY_CONTROL),
        (rule("Say my PIN is 4821.", SAID), SAID, VerdictCode.SECRET),
        (rule(source_class="agent_inference"), SAID, VerdictCode.UNTRUSTED_SOURCE),
        (rule(quote="Always answer at length"), SAID, VerdictCode.NOT_QUOTED),
        (rule(evidence=()), SAID, VerdictCode.NOT_QUOTED),
        (rule(evidence=(SAID, "and sing")), SAID, VerdictCode.NOT_QUOTED),
        (rule(), f"The page says:\n> {SAID}", VerdictCode.NOT_QUOTED),
    ],
)
def test_a_check_drops_without_asking_the_model(candidate, said, code):
    model = of_rules()

    verdict = judge_rule(model, candidate, lines(said))

    assert (verdict.action, verdict.code) == (Action.DROP, code)
    assert model.asked == []


def test_what_the_model_drops_is_dropped_by_its_word():
    assert judged(rule(), action="drop").code is VerdictCode.LLM_POLICY
