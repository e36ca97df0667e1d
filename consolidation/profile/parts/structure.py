"""S as a run leaves it, how sure each of its leaves is, and what contradicted it."""

from collections.abc import Sequence
from datetime import datetime
from functools import partial
from uuid import UUID

from django.db.models import JSONField, Value

from accounts.models import Owner
from consolidation.profile.leaves.confidence import confidence
from consolidation.profile.leaves.decide import MISSING, Decision, Known, Missing, ordered
from consolidation.profile.leaves.sides import Side
from consolidation.profile.parts.writer import Writer
from knowledge.items.tombstones import is_buried
from knowledge.models import ChangeItem, Contradiction
from knowledge.profile.items import Profile, Said
from knowledge.profile.pointers import Data, leaves
from knowledge.sensitivity import is_sensitive

Act, Kind = ChangeItem.Act, ChangeItem.Kind
MOST_EVIDENCE = 20
SECONDS_A_DAY = 86_400


def known_of(profile: Profile, shown: Data) -> Known:
    """Return the scaffold as it is, beside `shown`, the one that the model saw."""
    sides = {
        path: Side(
            value=profile.leaves[path],
            channel=entry.channel,
            is_correction=entry.is_correction,
            observed_at=entry.observed_at,
            events=tuple(entry.evidence),
        )
        for path, entry in profile.entries.items()
        if path in profile.leaves
    }
    buried = partial(_is_buried_leaf, profile.owner)
    return Known(profile.leaves, leaves(shown), sides, buried)


def _is_buried_leaf(owner: Owner, path: str, value: object) -> bool:
    return is_buried(owner=owner, kind=Kind.SCAFFOLD, fields={"path": path, "value": value})


def structure(writer: Writer, decision: Decision, now: datetime) -> None:
    """Write S, how sure each of its leaves is, and what contradicted it."""
    rules = {one.path: one.rule for one in decision.contraries}
    for path, side in ordered(decision):
        after: Said = {"path": path}
        if not isinstance(side.value, Missing):
            after |= {"value": side.value, "entry": _entry(path, side, (), now)}
        is_new = path not in writer.profile.leaves
        act = Act.RETIRE if side.value is MISSING else Act.ADD if is_new else Act.EDIT
        reason = f"contradiction: {rules[path]}" if path in rules else ""
        writer.add(Kind.SCAFFOLD, act, after=after, evidence=side.events, reason=reason)
    for path, side in decision.borne_out.items():
        _bear_out(writer.profile, path, side, now)
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


def _entry(path: str, side: Side, before: Sequence[UUID], now: datetime) -> Said:
    evidence = list(dict.fromkeys((*before, *side.events)))
    sure = confidence(
        channel=side.channel,
        evidence=len(evidence) if side.is_quoted else 1,
        is_correction=side.is_correction,
        is_quoted=side.is_quoted,
        days=(now - side.observed_at).total_seconds() / SECONDS_A_DAY,
    )
    return {
        "confidence": sure,
        "channel": side.channel,
        "is_correction": side.is_correction,
        "evidence": [str(one) for one in evidence[-MOST_EVIDENCE:]],
        "is_sensitive": is_sensitive(f"{path} {side.value}"),
        "observed_at": side.observed_at.isoformat(),
    }


def _bear_out(profile: Profile, path: str, side: Side, now: datetime) -> None:
    """Raise the confidence of a leaf that was observed again; a person's own stays as sure as it is."""
    entry = profile.entries.get(path)
    if entry is None or entry.confidence == 1.0:
        return
    newer = side.observed_at >= entry.observed_at
    joined = Side(
        value=side.value,
        channel=side.channel if newer else entry.channel,
        is_correction=side.is_correction or entry.is_correction,
        observed_at=max(side.observed_at, entry.observed_at),
        events=side.events,
    )
    for name, value in _entry(path, joined, entry.evidence, now).items():
        setattr(entry, name, value)
    entry.observed_at = joined.observed_at
    entry.save()
