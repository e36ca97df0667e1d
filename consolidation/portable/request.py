"""Ask for an import: look first, then take it in, at once or by a job where it is long."""

import time
import zlib
from collections.abc import Callable
from dataclasses import dataclass

from django.db import transaction
from django.utils import timezone

from accounts.errors import Fault
from accounts.models import Owner
from audit.log import record
from consolidation.errors import ImportCancelled, ImportNotReady, Postponed
from consolidation.intake.forecast import Forecast, of_vectors
from consolidation.jobs import heartbeat
from consolidation.jobs.queue import Attempt, enqueue, holding, somebody_waits
from consolidation.models import Import
from consolidation.models.priorities import Priority
from consolidation.portable.importing.conversations import Counts, Keep
from consolidation.portable.importing.job import preview_import, take_in
from consolidation.portable.reading.document import MOST_BYTES, Export, check_person, read_export
from memory.tokenizer import count
from providers.registry import embedder

KIND = "import"
# More rows than these are a job's: nobody waits for them.
AT_ONCE = 3_000
# For so long an import gives way to nobody: to go on with it costs reading the file again.
ROUND_SECONDS = 5.0
State = Import.State


@dataclass(frozen=True, slots=True)
class Offer:
    """What a file would bring, by section; what of it is left out; and what its vectors cost."""

    counts: Counts
    left: dict[str, int]
    forecast: Forecast


def offer_of(*, owner: Owner, export: Export) -> Offer:
    """Say what would come of an export. Raises what preview_import raises."""
    counts = preview_import(owner=owner, export=export)
    return Offer(counts, dict(export.left), forecast_of(export))


def forecast_of(export: Export) -> Forecast:
    """Say what the vectors of what comes in will cost, by its words."""
    words = (
        value
        for rows in export.sections.values()
        for row in rows
        for value in row.values()
        if isinstance(value, str | dict)
    )
    return of_vectors(embedder(), sum(count(str(one)) for one in words))


def prepare_import(
    *, owner: Owner, data: bytes, actor: str, of: str | None = ""
) -> tuple[Import, Offer]:
    """Keep a file until it is confirmed, and say what would come of it.

    `of` is whom the file names, where that is not the person's name here; None for whoever it
    names, where they are shown it. Raises ImportTooLarge,
    ImportUnfit, ImportOfAnother, or what preview_import raises; then nothing is kept.
    """
    export = read_export(data, agent=owner.agent.slug, most=MOST_BYTES)
    check_person(export, key=owner.key, of=export.user if of is None else of)
    offer = offer_of(owner=owner, export=export)
    made = Import.objects.create(
        owner=owner,
        actor=actor,
        file=zlib.compress(data),
        told_of=export.user,
        total=export.total,
        counts=offer.counts,
    )
    return made, offer


def confirm_import(*, waiting: Import, actor: str) -> Import:
    """Begin an import that waits; a short one is done when this returns. Raises ImportNotReady."""
    with transaction.atomic():
        changed = Import.objects.filter(pk=waiting.pk, state=State.READY, file__isnull=False)
        if not changed.update(state=State.RUNNING, counts={}):
            raise ImportNotReady("the import does not wait")
        record(actor=actor, action="memory.import", subject=str(waiting.owner_id))
        if waiting.total > AT_ONCE:
            subject = f"{KIND}:{waiting.owner_id}"
            enqueue(kind=KIND, key=str(waiting.pk), subject=subject, owner=waiting.owner_id)
    waiting.refresh_from_db()
    return waiting if waiting.total > AT_ONCE else _finish(waiting, transaction.atomic)


def import_at_once(
    *, owner: Owner, export: Export, actor: str, progress: Callable[[int], object]
) -> Import:
    """Take an export in, however long it takes. Raises what preview_import raises.

    Then nothing is written.
    """
    preview_import(owner=owner, export=export)
    made = Import.objects.create(
        owner=owner,
        actor=actor,
        state=State.RUNNING,
        told_of=export.user,
        total=export.total,
    )
    record(actor=actor, action="memory.import", subject=str(owner.pk))
    return _take(made, export, transaction.atomic, progress)


def run(run: Attempt) -> None:
    """Take in what is left of an import. A vanished one is nothing to do.

    Raises Postponed between two conversations where a person waits, or a session ends: what is in
    stays, and the rest follows.
    """
    mine = Import.objects.select_related("owner__agent").filter(pk=run.key, state=State.RUNNING)
    found = mine.first()
    if found:
        ends = time.monotonic() + ROUND_SECONDS

        def give_way() -> None:
            if time.monotonic() > ends and somebody_waits(before=Priority.BULK):
                raise Postponed("gives_way", seconds=0, counts=False)

        _finish(found, lambda: holding(run), give_way)


@transaction.atomic
def cancel_import(*, begun: Import, actor: str) -> Import:
    """Stop an import that waits or runs; what is in stays. Raises ImportNotReady if it has ended."""
    mine = Import.objects.filter(pk=begun.pk, state__in=(State.READY, State.RUNNING))
    stopped = {"state": State.FAILED, "error_code": ImportCancelled.code, "file": None}
    if not mine.update(finished_at=timezone.now(), **stopped):
        raise ImportNotReady("the import has ended")
    record(actor=actor, action="memory.import.cancel", subject=str(begun.owner_id))
    begun.refresh_from_db()
    return begun


def progress_of(found: Import) -> float:
    """Return how much is in, from 0 to 1."""
    if found.state == State.DONE:
        return 1.0
    return found.position / (found.total + 1)


def _finish(found: Import, keep: Keep, between: Callable[[], object] = lambda: None) -> Import:
    """Take an import in; `between` is called after each conversation, and may raise Postponed."""
    data = zlib.decompress(bytes(found.file or b""))

    def note(rows: int) -> None:
        if not Import.objects.filter(pk=found.pk, state=State.RUNNING).update(position=rows):
            raise ImportCancelled("the import was stopped")
        heartbeat.beat()
        if rows < found.total:
            between()

    try:
        export = read_export(data, agent=found.owner.agent.slug)
        return _take(found, export, keep, note)
    except Fault as fault:
        # It fitted when it was given: what is here has changed since, and repeating changes nothing.
        _end(found, State.FAILED, error_code=fault.code)
        return found


def _take(found: Import, export: Export, keep: Keep, progress: Callable[[int], object]) -> Import:
    counts, made = take_in(
        owner=found.owner,
        export=export,
        key=str(found.pk),
        actor=found.actor,
        keep=keep,
        progress=progress,
    )
    found.counts, found.changeset, found.position = counts, made, found.total
    _end(found, State.DONE)
    return found


def _end(found: Import, state: Import.State, error_code: str = "") -> None:
    # The words are in the memory now, where they can be forgotten.
    found.file, found.state, found.error_code = None, state, error_code
    found.finished_at = timezone.now()
    found.save()
