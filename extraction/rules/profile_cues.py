"""Where in a profile an observation belongs, found by its wording where there is no model.

Only of clauses whose subject is the user: what a relative, a colleague or a pet is or does is
nothing of the user's. English, in the first person and the third; of German the commonest ways.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from extraction.rules.life_cues import KIN, KIN_DE

PETS = re.compile(r"\A(?:cat|dog|parrot|horse|rabbit|katze|kater|hund|hündin)\Z", re.IGNORECASE)
NAME = r"(?P<value>(?-i:[A-ZÄÖÜÉÁÑ])[\w'\u2019-]*(?: (?-i:[A-ZÄÖÜÉÁÑ])[\w'\u2019-]*){0,3})"
WORDS = (
    r"(?P<value>[^.!?;:,\n]{2,120}?)(?=(?:,| and | but | because | so | since | not |[.!?;:\n]|$))"
)
REST = r"(?P<value>[^.!?;\n]{2,300})"
DENIED = re.compile(
    r"(?P<clause>,? ?\b(?:and not|not|no longer|nicht mehr|nicht) "
    r"(?:(?:in|at|for|to|by|from|as|bis|in|nach|a|an|the|der|die|das|dem|den) ){0,2}"
    r"(?P<old>[^.,;:!?\n]{2,80}))",
    re.IGNORECASE,
)
# The subject itself, or whose thing the subject is: "my sister lives" leaves "sister lives".
SUBJECT = re.compile(
    r"\A(?:(?:actually|well|also|now|today|currently|so|and|but|no|yes),? )*"
    r"(?:(?:i|we|(?:the )?user|my|our|(?:the )?user['\u2019]s|ich|wir|meine?|unsere?)\b|(?:i|we)['\u2019]\w+)\s*",
    re.IGNORECASE,
)
CLAUSE = re.compile(
    r"(?:,|;|,? and|,? but|,? und|,? aber) (?=(?:i|i'm|i've|we|(?:the )?user|my|ich)\b)",
    re.IGNORECASE,
)
FILLING = (
    r"(?:(?:am|is|are|was|were|have|has|had|been|bin|habe|also|now|currently|still|really|just|"
    r"already|recently|always|usually|would|will|name|names) ){0,3}"
)
BUT = re.compile(r" (?:but|sondern) .*\Z", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class CuedValue:
    """What an observation says of one place in a profile; `adds` to a list, or takes the place."""

    path: tuple[str, ...]
    value: str
    adds: bool = False


@dataclass(frozen=True, slots=True)
class ProfileCue:
    path: tuple[str, ...]
    pattern: re.Pattern[str]
    adds: bool = False


def _cue(path: str, pattern: str, *, adds: bool = False) -> ProfileCue:
    return ProfileCue(tuple(path.split("/")), re.compile(FILLING + pattern, re.IGNORECASE), adds)


CUES = (
    _cue(
        "Name",
        rf"\b(?:(?:my|user's|the user's) name is|(?:i am|i'm|user is|user's|am|is) called|name is|call me|goes by|mein name ist|ich hei(?:ß|ss)e) {NAME}",
    ),
    _cue("Role", rf"\b(?:works?|working|employed) as (?:an? |the )?{WORDS}"),
    _cue(
        "Role",
        r"\b(?:job|role|profession) is (?:an? |the )?(?P<value>[^.!?;,\n]{2,80})",
    ),
    _cue("Work/Employer", rf"\bworks? (?:at|for) {NAME}"),
    _cue(
        "Places/Home",
        rf"\b(?:lives?|living|based|moved|moving|relocated|wohnt?e?|lebt?e?) (?:in|to|nach|im) {NAME}",
    ),
    _cue("Places/Origin", rf"\b(?:born in|grew up in|comes? from|is from|am from|i'm from) {NAME}"),
    _cue("Age", r"\b(?:am|is|i'm) (?P<value>\d{1,3}) years old\b"),
    _cue("Birthday", r"\bbirthday is (?:on )?(?P<value>[^.!?;,\n]{2,40})"),
    _cue("Languages", rf"\bspeaks? {NAME}", adds=True),
    _cue("Health/Allergies", rf"\ballergic to {WORDS}", adds=True),
    _cue("Diet", r"\b(?:am|is|i'm) (?:an? )?(?:now )?(?P<value>vegetarian|vegan|pescatarian)\b"),
    _cue("Goals", rf"\b(?:wants?|hopes?|plans?|intends?|aims?) to {REST}", adds=True),
    _cue("Goals", rf"\bgoal is (?:to )?{REST}", adds=True),
    _cue(
        "Projects",
        rf"\b(?:working on|building|developing|project is(?: called)?) {REST}",
        adds=True,
    ),
    _cue(
        "Preferences",
        rf"\b(?P<whole>(?:prefers?|likes?|loves?|enjoys?|hates?|dislikes?|(?:doesn't|don't|does not|do not) like|mag|liebt?e?) {REST})",
        adds=True,
    ),
)
RELATION = re.compile(
    rf"\b(?:my|user's|the user's|meine?) (?P<kin>{KIN}|{KIN_DE})(?:'s name is| is called| is named| named| called|,| is| hei(?:ß|ss)t)? {NAME}",
    re.IGNORECASE,
)
HAS_PET = re.compile(
    rf"\bhas (?:an? )?(?P<kin>cat|dog|parrot|horse|rabbit)(?: is)?,? (?:called|named) {NAME}",
    re.IGNORECASE,
)
# What kind of observation belongs where nothing in its wording says so.
BY_TYPE = {"preference": "Preferences", "project_details": "Projects", "fact": "Facts"}


def claims(event_type: str, sentence: str) -> Iterator[CuedValue]:
    """Yield what one sentence of an observation says of the user; of a place the first cue counts."""
    found: dict[tuple[str, ...], CuedValue] = {}
    for claim in (*_relations(sentence), *_worded(sentence)):
        found.setdefault(claim.path, claim)
    listed = BY_TYPE.get(event_type)
    if listed == "Facts" and not is_of_user(sentence):
        listed = None
    if listed and not (found if listed == "Facts" else any(p[0] == listed for p in found)):
        found[(listed,)] = CuedValue((listed,), sentence.strip().rstrip("."), adds=True)
    yield from found.values()


def is_of_user(sentence: str) -> bool:
    """Return whether the subject of a sentence is the user, or something of the user's."""
    return SUBJECT.match(sentence.strip()) is not None


def denied(sentence: str) -> str:
    """Return what a correction says is not so, empty when it does not say."""
    match = DENIED.search(sentence)
    return BUT.sub("", match["old"]).strip() if match else ""


def affirmed(sentence: str) -> str:
    """Return a correction without the clause at its end that says what is not so."""
    match = DENIED.search(sentence)
    is_last = match and not sentence[match.end() :].strip(".!? ")
    return (sentence[: match.start()] if match and is_last else sentence).rstrip(" ,.")


def _relations(sentence: str) -> Iterator[CuedValue]:
    for pattern in (RELATION, HAS_PET):
        for match in pattern.finditer(sentence):
            group = "Pets" if PETS.match(match["kin"]) else "Family"
            yield CuedValue((group, match["kin"].capitalize()), match["value"])


def _worded(sentence: str) -> Iterator[CuedValue]:
    for clause in CLAUSE.split(sentence.strip()):
        rest = SUBJECT.sub("", clause)
        for cue in CUES:
            match = cue.pattern.match(clause) or cue.pattern.match(rest)
            if match:
                value = match.groupdict().get("whole") or match["value"]
                yield CuedValue(cue.path, value.strip(), cue.adds)
