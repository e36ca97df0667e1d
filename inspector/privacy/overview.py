"""What the privacy pages show, in words for everybody."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from django.db.models import Q, QuerySet

from accounts.models import ApiKey, Owner, User
from audit.models import AuditEntry
from consolidation.learning.policies import POLICIES
from inspector.whose import about, visible_owners
from knowledge.changes.approval import CATEGORIES, NewPolicy, policies_for, set_policies
from knowledge.models import ApprovalPolicy, ProceduralProfile
from knowledge.models.learned import Category

Mode = ApprovalPolicy.Mode
PLAIN: dict[str, str] = {
    "loss": "People and things I have lost",
    "preference": "What I like and how I prefer things",
    "coping_strategy": "What helps me",
    "relationship": "People in my life",
    "trigger": "What upsets me",
    "goal": "What I want to reach",
    "context": "My circumstances: work, places, plans",
    "identity": "Who I am: name, age, languages",
    "home": "Where and with whom I live",
    "work": "My work, school and studies",
    "health": "My health and what I take for it",
    "diet": "What I eat and do not eat",
    "possession": "What I own and use",
    "skill": "What I can do and have achieved",
    "routine": "My habits and what recurs",
    "plan": "What I plan, with its days",
    "event": "What happened to me",
    "project": "What I work on",
    "decision": "What I decided, and why",
    "note": "What I asked to be remembered",
    "arc": "What a conversation was about",
    "rule": "How I want to be answered",
}
CHOICES: tuple[tuple[str, str], ...] = (
    (Mode.AUTOMATIC, "Always remember"),
    (Mode.ABOVE, "Remember when sure, else ask me"),
    (Mode.APPROVED, "Ask me first"),
    (Mode.NEVER, "Never remember"),
)
# How the ledger names programs.
KEY, AGENT = "key ", "agent "
# What an entry of the ledger means to the person, by its action.
ABOUT_OWNER: dict[str, str] = {
    "memory.view": "looked at what is remembered of you",
    "memory.read_across": "read what another assistant remembers of you",
    "memory.recall": "changed whether the assistant may bring up past conversations",
    "memory.sharing": "changed whether other assistants may read what is remembered of you",
    "export": "took a copy of all that is remembered of you",
    "memory.import": "brought in a file with what was remembered of you",
    "note.import": "brought in notes about you",
}
ABOUT_USER: dict[str, str] = {
    "page_link.make": "made a link to these pages for you",
    "page_link.use": "opened these pages with a link",
    "user.inbox_guidance": "changed what matters of your inbox",
    "balance.set": "changed what may be spent on you",
}


@dataclass(frozen=True, slots=True)
class Consent:
    """How what falls into one category is taken."""

    category: str
    label: str
    mode: str


@dataclass(frozen=True, slots=True)
class AccessRecord:
    """Somebody's access to what is remembered."""

    at: datetime
    who: str
    what: str


def consents(owner: Owner) -> list[Consent]:
    """Return the person's choice for each category that their assistant can learn."""
    policies = policies_for(owner)
    return [
        Consent(one, PLAIN[one], policies[one].mode if one in policies else Mode.AUTOMATIC)
        for one in categories_of(owner)
    ]


def categories_of(owner: Owner) -> list[str]:
    """Return what an owner's items can be of: the kinds of the agent's policy, arcs and rules."""
    kinds = POLICIES[owner.agent.learning_policy].kinds
    return [one for one in CATEGORIES if one in kinds or one not in Category.values]


def set_consents(*, owner: Owner, modes: Sequence[tuple[str, str]], actor: str) -> None:
    """Take what falls into each category as the person wishes; the sureness that was asked stays."""
    known = policies_for(owner)
    policies = [
        NewPolicy(one, mode, known[one].least_confidence if one in known else "high")
        for one, mode in modes
    ]
    set_policies(agent=owner.agent, owner=owner, policies=policies, actor=actor)


def recalls(owner: Owner) -> bool:
    """Say whether the assistant brings up past conversations by itself."""
    return ProceduralProfile.objects.filter(owner=owner, proactive_recall_enabled=True).exists()


def knowing(owner: Owner, seen_by: User) -> QuerySet[Owner]:
    """Return the person as every agent knows them, of those that the one who looks may see."""
    mine = visible_owners(seen_by).order_by("agent__slug")
    return mine.filter(user=owner.user_id) if owner.user_id else mine.filter(pk=owner.pk)


def looks(owner: Owner) -> QuerySet[AuditEntry]:
    """Return who looked at what is remembered, the newest first."""
    of_owner = Q(action__in=ABOUT_OWNER) & (about(owner) | Q(detail__owner=owner.pk))
    of_user = Q(action__in=ABOUT_USER, subject=str(owner.user_id))
    return AuditEntry.objects.filter(of_owner | of_user).order_by("-at", "-pk")


def in_words(entries: Sequence[AuditEntry], owner: Owner) -> list[AccessRecord]:
    """Return entries in words; the person's own acts are told to them as theirs."""
    own = {"the person", owner.user.username if owner.user else ""}
    names = {**_programs(entries), **dict.fromkeys(own, "You")}
    what = {**ABOUT_OWNER, **ABOUT_USER}
    return [
        AccessRecord(one.at, names.get(one.actor, one.actor), what[one.action]) for one in entries
    ]


def _programs(entries: Sequence[AuditEntry]) -> dict[str, str]:
    """Return what the assistants and keys among the actors are called, with one query."""
    actors = {one.actor for one in entries}
    told = {
        one: f"The assistant {one.removeprefix(AGENT)}" for one in actors if one.startswith(AGENT)
    }
    prefixes = {one.removeprefix(KEY) for one in actors if one.startswith(KEY)}
    told |= {f"{KEY}{prefix}": f"A program whose key {prefix} is gone" for prefix in prefixes}
    keys = ApiKey.objects.filter(prefix__in=prefixes).select_related("agent") if prefixes else ()
    return told | {f"{KEY}{key.prefix}": _holder(key) for key in keys}


def _holder(key: ApiKey) -> str:
    if key.agent is not None:
        return f"The assistant {key.agent}"
    return f"An operator's program, {key.name}" if key.name else "An operator's program"
