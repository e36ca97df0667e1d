"""What a user says of their life, found by its wording: the offline model's eye for facts (pure).

English in full; of German, Spanish and French the commonest ways to say it.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from extraction.contracts.learning import CounsellingCategory, EntityKind, FactPredicate

C, P, E = CounsellingCategory, FactPredicate, EntityKind
OBJECT_CHARACTERS = 120
# What is said of goes on until the thought ends.
REST = r"(?P<object>[^.!?;:\n]{2,120}?)(?=(?:,? (?:and|but|because|so|und|aber|weil|y|pero|porque|et|mais|parce) |[.!?;:\n,]|$))"
NAME = r"(?P<object>[^\W\d_][\w'\u2019-]*(?: (?-i:[A-ZÄÖÜÉÁÑ])[\w'\u2019-]*){0,2})"
KIN = (
    r"wife|husband|partner|girlfriend|boyfriend|fianc[ée]e?|mother|mom|mum|father|dad|sister|brother|"
    r"daughter|son|child|aunt|uncle|cousin|niece|nephew|grandmother|grandma|grandfather|grandpa|"
    r"friend|best friend|boss|manager|colleague|neighbou?r|roommate|teacher|doctor|therapist|"
    r"cat|dog|parrot|horse|rabbit"
)
KIN_DE = (
    r"Frau|Mann|Partnerin|Partner|Freundin|Freund|Mutter|Vater|Schwester|Bruder|Tochter|Sohn|Oma|Opa|"
    r"Tante|Onkel|Chefin|Chef|Kollegin|Kollege|Nachbarin|Nachbar|Katze|Kater|Hund|Hündin"
)
KIN_ES = (
    r"esposa|mujer|marido|esposo|pareja|novia|novio|madre|mam[áa]|padre|pap[áa]|hermana|hermano|"
    r"hija|hijo|abuela|abuelo|t[íi]a|t[íi]o|jefa|jefe|amiga|amigo|vecina|vecino|gata|gato|perra|perro"
)
KIN_FR = (
    r"femme|mari|compagne|compagnon|copine|copain|m[èe]re|p[èe]re|s[œo]e?ur|fr[èe]re|fille|fils|"
    r"grand-m[èe]re|grand-p[èe]re|tante|oncle|cheffe?|amie?|voisine?|chatte?|chienne?"
)
# What is wanted for longer than this talk.
LASTING = (
    r"(?:learn|become|visit|travel|start a|start my|open a|write a|write my|publish|move|buy a|run a|run the|lose|quit|"
    r"improve my|save|build a|study|retire|have children|have a|adopt|get a|get married|get better at|finish my|"
    r"finish the|graduate|climb|sail|grow|see the world|live in|work as|change jobs|volunteer)\b"
)
ADVERBS = r"(?:(?:really|also|still|just|do|always|usually|now|currently|actually) )*"


@dataclass(frozen=True, slots=True)
class Cue:
    """How one kind of fact is worded. `says` gives the object's words around what was matched.

    Of a `single` kind only one holds at a time: a new one takes the place of the old.
    """

    category: CounsellingCategory
    predicate: FactPredicate
    kind: EntityKind
    pattern: re.Pattern[str]
    says: str = "{object}"
    single: bool = False


@dataclass(frozen=True, slots=True)
class CueMatch:
    """A cue that matched, and what it was said of."""

    cue: Cue
    object: str


def _cue(
    category: CounsellingCategory,
    predicate: FactPredicate,
    kind: EntityKind,
    pattern: str,
    says: str = "{object}",
    *,
    single: bool = False,
) -> Cue:
    return Cue(category, predicate, kind, re.compile(pattern, re.IGNORECASE), says, single)


# The first that matches a sentence is taken.
CUES = (
    # Loss first: a person who died is no acquaintance.
    _cue(
        C.LOSS,
        P.EXPERIENCED,
        E.EVENT,
        rf"\b(?:my (?P<object>(?:{KIN})(?: (?-i:[A-Z])\w+)?) (?:has )?(?:died|passed away)|i lost my (?P<other>(?:{KIN}|job|home|house|baby)(?: (?-i:[A-Z])\w+)?))",
        "lost {object}",
    ),
    _cue(
        C.LOSS,
        P.EXPERIENCED,
        E.EVENT,
        rf"\bmeine? (?P<object>(?:{KIN_DE})(?: (?-i:[A-Z])\w+)?) ist (?:\w+ ){{0,3}}(?:gestorben|verstorben)",
        "lost {object}",
    ),
    _cue(
        C.LOSS,
        P.EXPERIENCED,
        E.EVENT,
        rf"\b(?:muri[óo]|falleci[óo]) mi (?P<object>{KIN_ES})",
        "lost {object}",
    ),
    _cue(
        C.LOSS,
        P.EXPERIENCED,
        E.EVENT,
        rf"\bm(?:on|a) (?P<object>{KIN_FR}) est (?:mort|morte|d[ée]c[ée]d[ée]e?)",
        "lost {object}",
    ),
    _cue(
        C.TRIGGER,
        P.WORRIES_ABOUT,
        E.CONCERN,
        r"(?P<object>[^.!?;,\n]{2,80}?) (?:always |really |usually )?(?:makes? me (?:anxious|panic|nervous|angry|freeze)|triggers? (?:me|my \w+)|gives? me panic)",
    ),
    _cue(
        C.TRIGGER,
        P.WORRIES_ABOUT,
        E.CONCERN,
        rf"\bi (?:am|'m|get|feel) {ADVERBS}(?:afraid of|scared of|terrified of|anxious about|anxious when|panicky when) {REST}",
    ),
    _cue(
        C.TRIGGER,
        P.WORRIES_ABOUT,
        E.CONCERN,
        rf"\b(?:ich habe (?:\w+ )?angst vor|tengo (?:mucho )?miedo (?:a|de)|j'ai (?:\w+ )?peur (?:de|d')) ?{REST}",
    ),
    _cue(
        C.COPING_STRATEGY,
        P.USES,
        E.COPING_STRATEGY,
        r"\A(?!(?:please|they|you|it|this|that|he|she|i|we|there|can|could|will|and|but|so)\b)(?P<object>[^.!?;,\n]{2,60}?) (?:always |really |usually |often )?(?:helps? me (?:to )?(?:calm|relax|sleep|focus|cope|unwind|feel better|de-stress|stay calm|breathe|get my emotions)|calms me|keeps me calm|hilft mir|me ayuda|m'aide)\b",
    ),
    _cue(
        C.COPING_STRATEGY,
        P.USES,
        E.COPING_STRATEGY,
        rf"\bwhen(?:ever)? i(?: am|'m| feel| get) (?:\w+ )?(?:stressed|anxious|sad|down|nervous|overwhelmed|angry),? i {ADVERBS}{REST}",
    ),
    _cue(
        C.CONTEXT,
        P.KNOWS,
        E.USER,
        rf"\b(?:my name is|i am called|i'm called|ich hei(?:ß|ss)e|mein name ist|me llamo|mi nombre es|je m'appelle|mon nom est) {NAME}",
        "is called {object}",
        single=True,
    ),
    _cue(
        C.RELATIONSHIP,
        P.KNOWS,
        E.PERSON,
        rf"\bmy (?P<kin>{KIN})(?:'s name is| is called| is named|,? named|,? called) {NAME}",
        "{kin} {object}",
        single=True,
    ),
    _cue(
        C.RELATIONSHIP,
        P.KNOWS,
        E.PERSON,
        rf"\bmeine? (?P<kin>{KIN_DE}) hei(?:ß|ss)t {NAME}",
        "{kin} {object}",
        single=True,
    ),
    _cue(
        C.RELATIONSHIP,
        P.KNOWS,
        E.PERSON,
        rf"\bmi (?P<kin>{KIN_ES}) se llama {NAME}",
        "{kin} {object}",
        single=True,
    ),
    _cue(
        C.RELATIONSHIP,
        P.KNOWS,
        E.PERSON,
        rf"\bm(?:on|a) (?P<kin>{KIN_FR}) s'appelle {NAME}",
        "{kin} {object}",
        single=True,
    ),
    _cue(
        C.RELATIONSHIP,
        P.KNOWS,
        E.PERSON,
        rf"\b(?:my (?P<kin>{KIN})|meine? (?P<kin2>{KIN_DE})|mi (?P<kin3>{KIN_ES})|m(?:on|a) (?P<kin4>{KIN_FR}))"
        rf" (?:(?P<object>(?-i:[A-ZÄÖÜÉÁÑ][\w'\u2019-]+))(?=[ ,.!]|$)|(?=(?:is|has|works|lives|ist|hat|es|tiene|est|a|vive|wohnt|habite|arbeitet|travaille|trabaja) ))",
        "{kin} {object}",
    ),
    _cue(
        C.CONTEXT,
        P.EXPERIENCED,
        E.EVENT,
        rf"\b(?:i {ADVERBS}(?:live|moved) (?:in|to)|i(?: have|'ve) (?:just )?moved to|ich wohne (?:jetzt )?in|ich lebe (?:jetzt )?in|ich bin nach|vivo (?:ahora )?en|me mud[ée] a|j'habite (?:maintenant )?(?:à|a|en)|je vis (?:maintenant )?(?:à|a|en)) {REST}",
        "lives in {object}",
        single=True,
    ),
    _cue(
        C.CONTEXT,
        P.PARTICIPATED_IN,
        E.EVENT,
        rf"\b(?:i {ADVERBS}work (?:as an?|at|for|in)|i(?: am|'m) an?(?= \w+(?: \w+)? (?:at|for|in)\b)|ich arbeite (?:jetzt )?(?:als|bei|für|in)|trabajo (?:ahora )?(?:como|en|para)|je travaille (?:maintenant )?(?:comme|chez|pour|à)) (?!(?:is|are|was|has|will)\b){REST}",
        "works: {object}",
        single=True,
    ),
    _cue(
        C.CONTEXT,
        P.EXPERIENCED,
        E.CONCERN,
        rf"\b(?:i(?: am|'m) (?:\w+ )?allergic to|ich bin (?:\w+ )?allergisch gegen|soy al[ée]rgic[ao] (?:al?|a las?)|je suis allergique (?:aux?|à)) {REST}",
        "allergic to {object}",
    ),
    _cue(
        C.CONTEXT,
        P.EXPERIENCED,
        E.CONCERN,
        rf"\bi {ADVERBS}(?:have|suffer from|was diagnosed with) (?P<object>(?:\w+ ){{0,2}}(?:diabetes|asthma|migraines?|insomnia|epilepsy|depression|arthritis|high blood pressure|adhd))",
        "has {object}",
    ),
    _cue(
        C.CONTEXT,
        P.USES,
        E.CONCERN,
        rf"\bi {ADVERBS}(?P<object>(?:take|run|swim|meditate|exercise|jog|walk)[^.!?;,\n]{{1,60}}?"
        r"(?:every (?:day|morning|evening|night|week|\w+day)|daily|(?:once|twice) a (?:day|week)|\w+ times a week))",
        "habit: {object}",
    ),
    _cue(
        C.PREFERENCE,
        P.USES,
        E.CONCERN,
        r"\bmy favou?rite (?P<kin>[\w ]{2,30}?) (?:is|are) (?P<object>[^.!?;,\n]{2,80})",
        "favourite {kin}: {object}",
        single=True,
    ),
    _cue(
        C.PREFERENCE,
        P.USES,
        E.CONCERN,
        rf"\bi {ADVERBS}(?:hate|dislike|can't stand|cannot stand|don't like|do not like|no longer like|never eat|never drink|don't eat|don't drink) {REST}",
        "dislikes {object}",
    ),
    _cue(
        C.GOAL,
        P.WANTS,
        E.GOAL,
        rf"\b(?:my goal is to|i(?: am|'m) (?:planning|saving|training|learning) (?:to|for|how to)|i {ADVERBS}(?:plan|intend) to|i(?:'d| would) (?:really )?(?:like|love) to(?= {LASTING})|i (?:really |also |still |always )*(?:want|hope) to(?= {LASTING})|ich (?:möchte|will|plane)|mein ziel ist(?: es)?,?|quiero|mi (?:meta|objetivo) es|je veux|je voudrais|mon (?:but|objectif) est de) {REST}",
    ),
    _cue(
        C.PREFERENCE,
        P.USES,
        E.CONCERN,
        rf"\b(?:i {ADVERBS}(?:like|love|prefer|enjoy|adore)|ich (?:mag|liebe|bevorzuge)|me gustan?|me encantan?|prefiero|j'aime|j'adore|je préfère) (?!(?:is|are|was|how|that|the idea|your|to (?:see|hear|know|say))\b){REST}",
        "likes {object}",
    ),
    _cue(
        C.CONTEXT,
        P.PARTICIPATED_IN,
        E.EVENT,
        rf"\bi {ADVERBS}(?:study|studied|graduated in|went to school in) {REST}",
        "studied {object}",
    ),
)
QUESTION = re.compile(r"[?\uff1f\u061f]['\"\u2019\u201d)]*\Z")
# What is imagined, hedged or someone else's is no fact.
UNREAL = re.compile(
    r"\b(?:if i|imagine|suppose|pretend|what if|let's say|would be|in a story|for example|wenn ich|"
    r"angenommen|si yo|imagina|si j'|imagine que)\b|^['\"\u201c\u201e«]",
    re.IGNORECASE,
)
TRAILING = re.compile(
    r" (?:now|these days|at the moment|again|too|as well|very much|a lot|so much|jetzt|sehr|gern|auch|ahora|mucho|también|maintenant|beaucoup|aussi)\Z",
    re.IGNORECASE,
)
EMPTY = re.compile(r"\W*(?:it|that|this|them|you|him|her|das|es|eso|ça|so|to)?\W*", re.IGNORECASE)


def find(sentence: str) -> Iterator[CueMatch]:
    """Yield what one sentence of a user says of their life; at most one fact, usually none."""
    if QUESTION.search(sentence) or UNREAL.search(sentence):
        return
    for cue in CUES:
        match = cue.pattern.search(sentence)
        if match is None:
            continue
        said = _said(cue, match)
        if said:
            yield CueMatch(cue, said)
            return


def _said(cue: Cue, match: re.Match[str]) -> str:
    groups = {name: text for name, text in match.groupdict().items() if text}
    kin = next((groups[name] for name in ("kin", "kin2", "kin3", "kin4") if name in groups), "")
    thing = groups.get("object") or groups.get("other") or ""
    if not kin and EMPTY.fullmatch(thing):
        return ""
    words = cue.says.format(kin=kin, object=thing)
    return TRAILING.sub("", " ".join(words.split())[:OBJECT_CHARACTERS]).strip(" ,'\"")
