"""S as a run leaves it, how sure each of its leaves is, and what contradicted it."""

from collections.abc import Sequence
from datetime import UTC, datetime
from functools import partial
from uuid import UUID

from django.db.models import JSONField, Value

from accounts.models import Owner
from consolidation.models import ContextEvent
from consolidation.profile.claim import occasion_of
from consolidation.profile.leaves.confidence import confidence
from consolidation.profile.leaves.decide import MISSING, Known, LeafDecision, Missing, ordered
from consolidation.profile.leaves.sides import UNNAMED, Side
from consolidation.profile.parts.writer import ChangesetWriter
from knowledge.items.tombstones import is_buried
from knowledge.models import ChangeItem, Contradiction
from knowledge.models.profile import Channel
from knowledge.profile.items import LockedProfile, Said
from knowledge.profile.pointers import Data, leaves
from knowledge.sensitivity import is_sensitive

Act, Kind = ChangeItem.Act, ChangeItem.Kind
MOST_EVIDENCE = 20
UNKNOWN = 0.5
NEVER = datetime.min.replace(tzinfo=UTC)


def known_of(profile: LockedProfile, shown: Data) -> Known:
    """Return the scaffold as it is, beside `shown`, the one that the model saw."""
    sides = {path: _side(profile, path) for path in profile.leaves}
    buried = partial(_is_buried_leaf, profile.owner)
    allowed = profile.owner.agent.scaffold_keys
    return Known(profile.leaves, leaves(shown), sides, buried, allowed)


def _side(profile: LockedProfile, path: str) -> Side:
    """Return what speaks for a leaf; where nothing was kept, what any observation is stronger than."""
    value, entry = profile.leaves[path], profile.entries.get(path)
    if entry is None:
        return Side(value, Channel.AUTONOMOUS, False, NEVER, sure=UNKNOWN)
    return Side(
        value=value,
        channel=entry.channel,
        is_correction=entry.is_correction,
        observed_at=entry.observed_at,
        events=tuple(entry.evidence),
        sure=entry.confidence,
    )


def _is_buried_leaf(owner: Owner, path: str, value: object) -> bool:
    return is_buried(owner=owner, kind=Kind.SCAFFOLD, fields={"path": path, "value": value})


def structure(writer: ChangesetWriter, decision: LeafDecision) -> None:
    """Write S, how sure each of its leaves is, and what contradicted it."""
    rules = {one.path: one.rule for one in decision.contraries}
    for path, side in ordered(decision):
        after: Said = {"path": path}
        if not isinstance(side.value, Missing):
            after |= {"value": side.value, "entry": entry_of(path, side, writer)}
        is_new = path not in writer.profile.leaves
        act = Act.RETIRE if side.value is MISSING else Act.ADD if is_new else Act.EDIT
        reason = f"contradiction: {rules[path]}" if path in rules else ""
        writer.add(Kind.SCAFFOLD, act, after=after, evidence=side.events, reason=reason)
    for path, side in decision.borne_out.items():
        _bear_out(writer, path, side)
    for one in decision.contraries:
        Contradiction.objects.create(
            owner=writer.profile.owner,
            changeset=writer.made.pk,
            path=one.path,
            kept=_as_json(one.kept.value),
            lost=_as_json(one.lost.value),
            kept_events=list(one.kept.events),
            lost_events=list(one.lost.events),
            rule=one.rule,
        )


def _as_json(value: object) -> object:
    # What is not there is JSON's null, which is not the database's.
    found = None if isinstance(value, Missing) else value
    return Value(None, JSONField()) if found is None else found


def entry_of(path: str, side: Side, writer: ChangesetWriter) -> Said:
    """Return how sure a leaf is, by all that it stands on; one that moved is as sure as it was."""
    evidence = list(dict.fromkeys(side.events))
    sure = side.sure
    if sure is None:
        sure = confidence(
            channel=side.channel,
            occasions=1 if side.basis == UNNAMED else _occasions(writer, evidence),
            is_correction=side.is_correction,
            basis=side.basis,
        )
    return {
        "confidence": sure,
        "channel": side.channel,
        "is_correction": side.is_correction,
        "evidence": [str(id) for id in evidence[-MOST_EVIDENCE:]],
        "is_sensitive": is_sensitive(f"{path} {side.value}"),
        "observed_at": side.observed_at.isoformat(),
    }


def _occasions(writer: ChangesetWriter, evidence: Sequence[UUID]) -> int:
    """Return on how many occasions something was observed; what is erased by now is one of its own."""
    old = [id for id in evidence if id not in writer.events]
    rows = ContextEvent.objects.filter(pk__in=old).only("source_metadata") if old else ()
    known = {row.pk: occasion_of(row) for row in rows}
    known |= {id: event.occasion for id, event in writer.events.items()}
    return len({known.get(id, str(id)) for id in evidence})


def _bear_out(writer: ChangesetWriter, path: str, side: Side) -> None:
    """Raise the confidence of a leaf that was observed again; a person's own stays as sure as it is."""
    entry = writer.profile.entries.get(path)
    if entry is None or entry.channel == Channel.PERSON or side.basis == UNNAMED:
        return
    newer = side.observed_at >= entry.observed_at
    both = Side(
        value=side.value,
        channel=side.channel if newer else entry.channel,
        is_correction=side.is_correction or entry.is_correction,
        observed_at=max(side.observed_at, entry.observed_at),
        events=(*entry.evidence, *side.events),
        basis=side.basis,
    )
    sure = entry.confidence
    for name, value in entry_of(path, both, writer).items():
        setattr(entry, name, value)
    # Once stated is not less sure for being implied again.
    entry.confidence = max(sure, entry.confidence)
    entry.observed_at = both.observed_at
    entry.save()
