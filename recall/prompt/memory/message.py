"""What a prompt remembers: what stays from turn to turn, and what the question calls up (pure)."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from accounts.models import Agent
from knowledge.models import Rule
from recall.prompt.blocks.given import artifacts_block, directives_block, identity_block
from recall.prompt.blocks.learned import BlockLine, PromptBlock, memory_block, rules_block
from recall.prompt.blocks.parts import joined_blocks, price
from recall.prompt.blocks.profile import context_block, shown_tiers
from recall.prompt.blocks.workspace import kept_block, matching_block
from recall.prompt.given import Given
from recall.prompt.sources.profile import NO_PROFILE, ProfilePicture
from recall.prompt.sources.workspace import NOTHING_KEPT, Legion
from recall.search.hits import Hit
from recall.search.turn import TurnMemory

# Of what the fixed parts leave, the picture of the user takes at most this share, what the agent
# keeps by hand and the rules theirs: together less than half, and the window has the rest.
PICTURE_SHARE = 0.2
KEPT_SHARE = 0.2
RULES_SHARE = 0.07
STANDING_SHARE = PICTURE_SHARE + KEPT_SHARE + RULES_SHARE
# The most that the question may call up, where the window leaves so much.
MEMORY_SHARE = 0.25


@dataclass(frozen=True, slots=True)
class TurnMemories:
    """What was found for a turn, before anything is left out. `turn` None: nothing was looked for."""

    profile: ProfilePicture = NO_PROFILE
    rules: Sequence[Rule] = ()
    kept: Legion = NOTHING_KEPT
    turn: TurnMemory | None = None
    facts: Sequence[BlockLine] = ()
    hits: Sequence[Hit] = ()


NOTHING_REMEMBERED = TurnMemories()


def standing_block(found: TurnMemories, given: Given, *, agent: Agent, room: int) -> PromptBlock:
    """Return W, S and learned info, identity, artifacts, directives, rules, files and salient facts.

    It is what stays as it is from turn to turn. `room` is what the fixed parts leave, of which each
    part takes its share, and what those before it left of theirs; what is empty, or has no room,
    leaves no trace of itself.
    """
    picture = _picture(found.profile, given, agent, int(room * PICTURE_SHARE))
    left = int(room * STANDING_SHARE) - sum(price(block.text) for block in picture)
    rules = rules_block(found.rules, left - int(room * KEPT_SHARE))
    return joined_blocks([*picture, rules, kept_block(found.kept, left - price(rules.text))])


def turn_block(found: TurnMemories, *, now: datetime, room: int) -> PromptBlock:
    """Return the time, and what the question has called up, as far as it fits `room` tokens."""
    clock = _clock(now, room)
    room -= price(clock)
    matching = matching_block(found.kept, room // 2)
    room -= price(matching.text)
    memory = PromptBlock("")
    if found.turn is not None:
        memory = memory_block(found.turn, found.hits, room, found.facts)
    return joined_blocks([PromptBlock(clock), matching, memory])


def _clock(now: datetime, room: int) -> str:
    # To the minute: a prompt asked for twice at once is the same, and an endpoint's cache may hold it.
    text = f"Time: {now.astimezone(UTC):%Y-%m-%dT%H:%MZ}"
    return text if price(text) <= room else ""


def _picture(profile: ProfilePicture, given: Given, agent: Agent, room: int) -> list[PromptBlock]:
    """Return the parts in the order of the prompt; what is asked of this turn claims room first."""
    directives = directives_block(given.directives, room)
    room -= price(directives.text)
    identity = identity_block(agent, room)
    room -= price(identity.text)
    context = context_block(shown_tiers(profile, agent), room)
    room -= price(context.text)
    return [context, identity, artifacts_block(given.artifacts, room), directives]
