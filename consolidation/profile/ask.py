"""Ask the model for the new picture of a user; each answer is pinned before anything is written."""

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field

from django.conf import settings
from django.utils import timezone

from accounts.models import Agent
from consolidation import prompts
from consolidation.jobs.backoff import call_seconds
from consolidation.lines import LINE_CHARACTERS
from consolidation.models import ContextEvent
from consolidation.profile.claim import Claim, observed_of, ref_of
from consolidation.profile.parts.shown import Shown, show
from extraction.contracts.profile import ProfileUpdate
from knowledge.models.profile import Channel
from knowledge.profile.edit import Picture
from providers.chat import ChatModel, Line, Task

ALL = "all"
PARTS = ("narrative", "scaffold", "facts")
FIELDS = {
    "narrative": ("updated_working_memory",),
    "scaffold": ("updated_scaffold",),
    "facts": ("facts_to_embed", "retire"),
}
# Only a person, or what was said in a chat, is the user's own voice.
SPOKEN = frozenset({Channel.PERSON.value, Channel.INTERACTIVE.value})
SOURCES = {
    Channel.PERSON.value: "by the user's own hand",
    Channel.INTERACTIVE.value: "said in a chat",
    Channel.AUTONOMOUS.value: "found in the background",
    Channel.TOOL.value: "from a tool",
}


@dataclass(slots=True)
class ProfileReply:
    """What was asked of, and what has been answered so far.

    `parts` are the fields of the answer by name; the versions and the rest are of the picture that
    the model was shown: `ids` of documents and learned texts, `statements` of the narrative.
    """

    events: list[str] = field(default_factory=list)
    narrative_version: int = 0
    scaffold_version: int = 0
    scaffold: dict[str, object] = field(default_factory=dict)
    learned: list[str] = field(default_factory=list)
    ids: dict[str, str] = field(default_factory=dict)
    statements: dict[str, dict[str, str]] = field(default_factory=dict)
    known: str = ""
    unfit: int = 0
    parts: dict[str, object] = field(default_factory=dict)
    models: list[str] = field(default_factory=list)
    tokens: int = 0

    @property
    def is_whole(self) -> bool:
        return all(self.has(part) for part in PARTS)

    @property
    def answer(self) -> ProfileUpdate:
        return ProfileUpdate.model_validate(self.parts)

    def has(self, part: str) -> bool:
        """Return whether a part has been answered."""
        return self.parts.keys() >= set(FIELDS[part])


Pin = Callable[[ProfileReply], None]
Named = Callable[[str], ChatModel]


def ask(found: Claim, picture: Picture, pin: Pin, named: Named) -> ProfileReply:
    """Return the new picture of a user: one call, or one for each model that has parts of its own.

    What an earlier try has pinned is not asked again. Raises what the models raise.
    """
    reply = ProfileReply(**found.run.reply) if found.run.reply else _unasked(found, picture)
    task = task_of(found, reply.known)
    for name, parts in models_of(found.owner.agent).items():
        if all(map(reply.has, parts)):
            continue
        completion = named(name).complete(task, seconds=call_seconds())
        answer = completion.value.model_dump(mode="json")
        reply.parts |= {key: answer[key] for part in parts for key in FIELDS[part]}
        reply.unfit += completion.value.unfit
        reply.models.append(completion.model)
        reply.tokens += completion.prompt_tokens + completion.completion_tokens
        pin(reply)
    return reply


def _unasked(found: Claim, picture: Picture) -> ProfileReply:
    """Return a reply without an answer: what the model is shown, to compare with later."""
    shown: Shown = show(found.owner, picture, found.events, timezone.now())
    return ProfileReply(
        events=[str(event.pk) for event in found.events],
        narrative_version=picture.narrative_version,
        scaffold_version=picture.scaffold_version,
        scaffold=dict(picture.scaffold),
        learned=list(picture.learned),
        ids=dict(shown.ids),
        statements=dict(shown.statements),
        known=shown.known,
    )


def task_of(found: Claim, known: str) -> Task[ProfileUpdate]:
    """Return the question: the picture as it is, and the observations as a list with their kinds."""
    lines = [_line(event) for event in found.events]
    return prompts.profile(lines, known, words=words_of(found.owner.agent))


def words_of(agent: Agent) -> int:
    """Return how many words a narrative may have: never more than 500."""
    return min(agent.narrative_words, 500)


def models_of(agent: Agent) -> Mapping[str, list[str]]:
    """Return the parts by the model that answers them; an empty name is the configured one."""
    chosen = agent.synthesis_models if isinstance(agent.synthesis_models, dict) else {}
    usual = str(chosen.get(ALL) or settings.SYNTHESIS_MODEL)
    found: dict[str, list[str]] = {}
    for part in PARTS:
        found.setdefault(str(chosen.get(part) or usual), []).append(part)
    return found


def kept(reply: ProfileReply) -> dict[str, object]:
    return asdict(reply)


def _line(event: ContextEvent) -> Line:
    """Return an observation as a line: its kind, its day, its source, and what was observed."""
    seen = observed_of(event)
    role = "user" if seen.channel in SPOKEN else "tool"
    head = f"- [{event.event_type}] {seen.observed_at:%Y-%m-%d}, {SOURCES[seen.channel]}:"
    return Line(ref_of(event.pk), role, f"{head} {event.content[:LINE_CHARACTERS]}")
