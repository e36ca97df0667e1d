"""W as a run leaves it: what was told anew, without what is gone, with what the person wrote."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from consolidation.profile.check import capped, worth
from consolidation.profile.leaves.contradict import Rule
from consolidation.profile.leaves.decide import ContradictedLeaf
from consolidation.profile.leaves.sides import Refs, holds, named
from consolidation.profile.parts.ageing import (
    Statement,
    is_by_person,
    lasting,
    said_since,
    statement_of,
)
from consolidation.profile.parts.writer import ChangesetWriter
from extraction.contracts.profile import NarrativeSentence
from knowledge.items.tombstones import is_buried
from knowledge.models import ChangeItem, Contradiction
from knowledge.models.profile import Channel
from knowledge.profile.items import Said
from ranking.passages import sentences

NARRATIVE = ChangeItem.Kind.NARRATIVE


@dataclass(frozen=True, slots=True)
class NarrativeAnswer:
    """What a reply tells, and all that it is held against. `old` are sentences by their ids."""

    sentences: Sequence[NarrativeSentence]
    old: Mapping[str, Statement]
    contraries: Sequence[ContradictedLeaf]
    most_words: int


def narrate(writer: ChangesetWriter, told: NarrativeAnswer, events: Refs, now: datetime) -> None:
    """Write W: without what the person had deleted, what lost, and what nobody bore out for too long.

    A sentence that the person wrote stays until they said otherwise themselves; then both are kept
    as a contradiction.
    """
    profile = writer.profile
    theirs = dict(_standing(writer, told, events))
    fresh = [
        statement_of(text, one, told.old, events, now)
        for text, one in _fitting(told)
        if not _yields(writer, text, one, told, theirs)
    ]
    texts = {one["text"] for one in fresh}
    fresh += [one for one in theirs.values() if one["text"] not in texts]
    # Where all that was told has lost, what was known goes on.
    fresh = lasting(fresh or profile.narrative.statements, profile.owner.agent.narrative_days, now)
    text = " ".join(one["text"] for one in fresh)
    if text != profile.narrative.text:
        after: Said = {"text": text, "statements": fresh}
        ids = [event.id for event in events.values()]
        writer.add(NARRATIVE, ChangeItem.Act.EDIT, after=after, evidence=ids, reason="told anew")
    elif fresh != profile.narrative.statements:
        profile.narrative.statements = fresh
        profile.narrative.save(update_fields=["statements"])


def tells_what_lost(
    text: str, refs: Sequence[str], events: Refs, contraries: Sequence[ContradictedLeaf]
) -> bool:
    """Return whether a text tells a value that could not take its place, and stands on nothing else."""
    on = {event.id for event in named(refs, events)}
    return any(
        isinstance(one.lost.value, str)
        and (not on or on <= set(one.lost.events))
        and holds(text, one.lost.value)
        and not (isinstance(one.kept.value, str) and holds(text, one.kept.value))
        for one in contraries
    )


def _fitting(told: NarrativeAnswer) -> Iterator[tuple[str, NarrativeSentence]]:
    """Yield the sentences one by one, up to the end of the last that is within the words."""
    room = float(told.most_words)
    for one in told.sentences:
        for text in sentences(one.text):
            if worth(text) > room:
                if room == told.most_words:
                    yield capped(text, told.most_words), one
                return
            room -= worth(text)
            yield text, one


def _yields(
    writer: ChangesetWriter,
    text: str,
    one: NarrativeSentence,
    told: NarrativeAnswer,
    theirs: Mapping[str, Statement],
) -> bool:
    """Return whether a sentence is left out: deleted before, lost, or in place of what stands."""
    owner = writer.profile.owner
    rewords = any(ref in theirs and theirs[ref]["text"] != text for ref in one.refs)
    return (
        rewords
        or tells_what_lost(text, one.refs, writer.refs, told.contraries)
        or is_buried(owner=owner, kind=NARRATIVE, fields={"text": text})
    )


def _standing(
    writer: ChangesetWriter, told: NarrativeAnswer, events: Refs
) -> Iterator[tuple[str, Statement]]:
    """Yield the person's own sentences that nothing they said later has taken the place of."""
    for id, statement in told.old.items():
        if not is_by_person(statement):
            continue
        later = next((one for one in told.sentences if _replaces(one, id, statement, events)), None)
        if later is None:
            yield id, statement
            continue
        Contradiction.objects.create(
            owner=writer.profile.owner,
            changeset=writer.made.pk,
            path="",
            kept=later.text,
            lost=statement["text"],
            kept_events=[event.id for event in named(later.refs, events)],
            rule=Rule.NEWER,
        )


def _replaces(one: NarrativeSentence, id: str, statement: Statement, events: Refs) -> bool:
    return (
        id in one.refs
        and one.text != statement["text"]
        and any(
            event.channel == Channel.INTERACTIVE and event.observed_at > said_since(statement)
            for event in named(one.refs, events)
        )
    )
