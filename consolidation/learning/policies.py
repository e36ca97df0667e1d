"""Learning policies: what is kept of what users say, and when it counts. Literal tables."""

from collections.abc import Mapping
from dataclasses import dataclass

from accounts.models import LearningPolicy
from consolidation.verdict import Action

# Kinds of an assistant's facts, each with the line by which the model is told of it.
ASSISTANT_KINDS: Mapping[str, str] = {
    "identity": "name, age or birthday, origin, languages, pronouns",
    "home": "where somebody lives, with whom, how they can be reached",
    "work": "job, employer, school, studies, shifts, income",
    "relationship": "who a person or animal is to the user, and what is known of them",
    "health": "illness, allergy, medication, measurements, treatment, disability",
    "diet": "what somebody eats and does not eat, and why",
    "possession": "what somebody owns, drives, uses; numbers, sizes and models of it",
    "skill": "what somebody can do, learns, has achieved, with their results",
    "routine": "what recurs: days, times, habits, training, appointments",
    "plan": "what is to happen, with its day: trips, deadlines, appointments, goals",
    "event": "what happened on a day and will still matter",
    "preference": "likes, dislikes, choices between things (not how to be answered: that is a rule)",
    "project": "what somebody works on, its names, figures, state, constraints",
    "decision": "what was decided, and why",
    "note": "what the user asked to be remembered and is none of these",
}
COUNSELLING_KINDS: Mapping[str, str] = {
    "loss": "a death, a parting, a job or a home lost",
    "preference": "what the user likes or dislikes",
    "coping_strategy": "what helps the user",
    "relationship": "who is who in the user's life",
    "trigger": "what upsets the user",
    "goal": "what the user wants for longer than this talk",
    "context": "the rest of the user's life: work, home, health",
}
DROP, HOLD, KEEP = Action.DROP, Action.SESSION_END, Action.COMMIT_NOW


@dataclass(frozen=True, slots=True)
class Policy:
    """How an agent learns.

    `commits` says what becomes of a fact by its basis and durability; None where a model is asked
    for a verdict on each. `most_messages` of a session are asked about at once. `is_cue_enough`
    says whether a wording alone keeps a message off the record, or the model decides.
    """

    name: str
    version: str
    kinds: Mapping[str, str]
    commits: Mapping[tuple[str, str], Action] | None
    most_messages: int
    is_cue_enough: bool


POLICIES: Mapping[str, Policy] = {
    LearningPolicy.ASSISTANT: Policy(
        name="assistant",
        version="assistant-1",
        kinds=ASSISTANT_KINDS,
        commits={
            ("asked", "lasting"): KEEP,
            ("asked", "a_while"): KEEP,
            ("asked", "passing"): KEEP,
            ("stated", "lasting"): KEEP,
            ("stated", "a_while"): KEEP,
            ("stated", "passing"): DROP,
            ("answered", "lasting"): KEEP,
            ("answered", "a_while"): KEEP,
            ("answered", "passing"): DROP,
            ("implied", "lasting"): HOLD,
            ("implied", "a_while"): HOLD,
            ("implied", "passing"): DROP,
        },
        most_messages=20,
        is_cue_enough=False,
    ),
    LearningPolicy.COUNSELLING: Policy(
        name="counselling",
        version="gate-1",
        kinds=COUNSELLING_KINDS,
        commits=None,
        most_messages=1,
        is_cue_enough=True,
    ),
}
