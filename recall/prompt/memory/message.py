"""The one memory message of a prompt: its parts in their fixed order, each within its share (pure)."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from accounts.models import Agent
from knowledge.models import Rule
from recall.prompt.blocks.given import artifacts_block, directives_block, identity_block
from recall.prompt.blocks.learned import Block, Line, memory_block, rules_block
from recall.prompt.blocks.parts import price
from recall.prompt.blocks.profile import context_block, shown_tiers
from recall.prompt.blocks.workspace import legion_block
from recall.prompt.given import Given
from recall.prompt.sources.profile import NO_PROFILE, Profile
from recall.prompt.sources.workspace import NOTHING_KEPT, Legion
from recall.search.hits import Hit
from recall.search.turn import TurnMemory

# Of what the fixed parts leave, the picture of the user takes at most this share, then the rules,
# then what the agent keeps by hand, then what is remembered; the window has the rest.
PICTURE_SHARE = 0.25
RULES_SHARE = 0.25
LEGION_SHARE = 0.25
MEMORY_SHARE = 0.25


@dataclass(frozen=True, slots=True)
class Remembered:
    """What was found for a turn, before anything is left out. `turn` None: nothing was looked for."""

    profile: Profile = NO_PROFILE
    rules: Sequence[Rule] = ()
    kept: Legion = NOTHING_KEPT
    turn: TurnMemory | None = None
    facts: Sequence[Line] = ()
    hits: Sequence[Hit] = ()


NOTHING_REMEMBERED = Remembered()


def memory_message(
    found: Remembered, given: Given, *, agent: Agent, now: datetime, room: int
) -> Block:
    """Return the time, W, S and learned info, identity, artifacts, directives, rules, files, facts, memory.

    What is empty, or has no room, leaves no trace of itself.
    """
    clock = _clock(now, int(room * PICTURE_SHARE))
    picture = _picture(found.profile, given, agent, int(room * PICTURE_SHARE) - price(clock))
    left = room - price(clock) - sum(price(block.text) for block in picture)
    rules = rules_block(found.rules, int(left * RULES_SHARE))
    left -= price(rules.text)
    legion = legion_block(found.kept, int(left * LEGION_SHARE))
    left -= price(legion.text)
    memory = Block("")
    if found.turn is not None:
        memory = memory_block(found.turn, found.hits, int(left * MEMORY_SHARE), found.facts)
    blocks = [*picture, rules, legion, memory]
    return Block(
        "\n\n".join(text for text in (clock, *(block.text for block in blocks)) if text),
        [one for block in blocks for one in block.kept],
        [one for block in blocks for one in block.left_out],
        memory.hits_left_out,
    )


def _clock(now: datetime, room: int) -> str:
    # To the minute: a prompt asked for twice at once is the same, and an endpoint's cache may hold it.
    text = f"Time: {now.astimezone(UTC):%Y-%m-%dT%H:%MZ}"
    return text if price(text) <= room else ""


def _picture(profile: Profile, given: Given, agent: Agent, room: int) -> list[Block]:
    """Return the parts in the order of the prompt; what is asked of this turn claims room first."""
    directives = directives_block(given.directives, room)
    room -= price(directives.text)
    identity = identity_block(agent, room)
    room -= price(identity.text)
    context = context_block(shown_tiers(profile, agent), room)
    room -= price(context.text)
    return [context, identity, artifacts_block(given.artifacts, room), directives]
