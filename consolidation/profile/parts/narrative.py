"""W as a run leaves it: what was told anew, without what is gone."""

from collections.abc import Iterator, Sequence
from datetime import datetime

from consolidation.profile.leaves.decide import Contrary
from consolidation.profile.leaves.sides import Observed, holds
from consolidation.profile.parts.ageing import lasting, statements_of
from consolidation.profile.parts.writer import Writer
from knowledge.items.tombstones import is_buried
from knowledge.models import ChangeItem
from knowledge.profile.items import Said
from ranking.passages import sentences

NARRATIVE = ChangeItem.Kind.NARRATIVE


def narrate(
    writer: Writer,
    told: str,
    events: Sequence[Observed],
    contraries: Sequence[Contrary],
    now: datetime,
) -> None:
    """Write W: without what the person had deleted, what lost, and what nobody bore out for too long."""
    profile = writer.profile
    # Where all that was told has lost, what was known goes on.
    kept = list(_kept(writer, told, contraries)) or sentences(profile.narrative.text)
    found = statements_of(" ".join(kept), profile.narrative.statements, events, now)
    fresh = lasting(found, profile.owner.agent.narrative_days, now)
    is_whole = [one["text"] for one in fresh] == sentences(told)
    text = told if is_whole else " ".join(one["text"] for one in fresh)
    after: Said = {"text": text, "statements": fresh}
    if text != profile.narrative.text:
        ids = [one.id for one in events]
        writer.add(NARRATIVE, ChangeItem.Act.EDIT, after=after, evidence=ids, reason="told anew")
    elif fresh != profile.narrative.statements:
        profile.narrative.statements = fresh
        profile.narrative.save(update_fields=["statements"])


def _kept(writer: Writer, told: str, contraries: Sequence[Contrary]) -> Iterator[str]:
    for one in sentences(told):
        lost = any(_tells_what_lost(one, contrary) for contrary in contraries)
        owner = writer.profile.owner
        if not lost and not is_buried(owner=owner, kind=NARRATIVE, fields={"text": one}):
            yield one


def _tells_what_lost(sentence: str, contrary: Contrary) -> bool:
    """Say whether a sentence still tells what the model had picked and a rule overruled."""
    lost, kept = contrary.lost.value, contrary.kept.value
    return (
        contrary.is_overruled
        and isinstance(lost, str)
        and holds(sentence, lost)
        and not (isinstance(kept, str) and holds(sentence, kept))
    )
