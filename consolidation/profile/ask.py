"""Ask the model for the new picture of a user; each answer is pinned before anything is written."""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from uuid import UUID

from django.conf import settings

from accounts.models import Agent, Owner
from consolidation import prompts
from consolidation.jobs.backoff import call_seconds
from consolidation.lines import LINE_CHARACTERS
from consolidation.models import ContextEvent
from consolidation.profile.claim import Claim, observed_of
from extraction.contracts.profile import ProfileUpdate
from knowledge.models.profile import Channel
from knowledge.profile.edit import Picture
from providers.chat import ChatModel, Line, Task

ALL = "all"
PARTS = ("narrative", "scaffold", "facts")
FIELDS = {
    "narrative": "updated_working_memory",
    "scaffold": "updated_scaffold",
    "facts": "facts_to_embed",
}
# Only a person, or what was said in a chat, is the user's own voice.
SPOKEN = frozenset({Channel.PERSON.value, Channel.INTERACTIVE.value})


@dataclass(slots=True)
class Reply:
    """What was asked of, and what has been answered so far.

    `parts` are the fields of the answer by part; `versions` and the rest are of the picture that
    the model was shown.
    """

    events: list[str] = field(default_factory=list)
    narrative_version: int = 0
    scaffold_version: int = 0
    scaffold: dict[str, object] = field(default_factory=dict)
    learned: list[str] = field(default_factory=list)
    parts: dict[str, object] = field(default_factory=dict)
    models: list[str] = field(default_factory=list)
    tokens: int = 0

    @property
    def is_whole(self) -> bool:
        return self.parts.keys() >= set(PARTS)

    @property
    def answer(self) -> ProfileUpdate:
        return ProfileUpdate.model_validate({FIELDS[part]: self.parts[part] for part in PARTS})


Pin = Callable[[Reply], None]
Named = Callable[[str], ChatModel]


def ask(found: Claim, picture: Picture, pin: Pin, named: Named) -> Reply:
    """Return the new picture of a user: one call, or one for each model that has parts of its own.

    What an earlier try has pinned is not asked again. Raises what the models raise.
    """
    reply = Reply(**found.run.reply) if found.run.reply else asked_of(found.events, picture)
    task = task_of(found.owner, found.events, picture)
    for name, parts in models_of(found.owner.agent).items():
        if reply.parts.keys() >= set(parts):
            continue
        completion = named(name).complete(task, seconds=call_seconds())
        answer = completion.value.model_dump()
        reply.parts |= {part: answer[FIELDS[part]] for part in parts}
        reply.models.append(completion.model)
        reply.tokens += completion.prompt_tokens + completion.completion_tokens
        pin(reply)
    return reply


def asked_of(events: Sequence[ContextEvent], picture: Picture) -> Reply:
    """Return a reply without an answer: what the model is shown, to compare with later."""
    return Reply(
        events=[str(event.pk) for event in events],
        narrative_version=picture.narrative_version,
        scaffold_version=picture.scaffold_version,
        scaffold=dict(picture.scaffold),
        learned=list(picture.learned),
    )


def task_of(owner: Owner, events: Sequence[ContextEvent], picture: Picture) -> Task[ProfileUpdate]:
    """Return the question: the picture as it is, and the observations as a list with their kinds."""
    known = {"working_memory": picture.working_memory, "scaffold": picture.scaffold}
    lines = [_line(event) for event in events]
    return prompts.profile(
        lines, json.dumps(known, ensure_ascii=False), words=words_of(owner.agent)
    )


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


def kept(reply: Reply) -> dict[str, object]:
    return asdict(reply)


def ref_of(event: UUID) -> str:
    """Return an observation's reference, as changes name it."""
    return f"ob-{event.hex}"


def _line(event: ContextEvent) -> Line:
    role = "user" if observed_of(event).channel in SPOKEN else "tool"
    text = f"- [{event.event_type}] {event.content[:LINE_CHARACTERS]}"
    return Line(ref_of(event.pk), role, text)
