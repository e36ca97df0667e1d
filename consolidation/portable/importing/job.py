"""An export taken into a person's memory; what was forgotten here stays forgotten."""

from collections.abc import Callable
from uuid import UUID

from django.db import transaction
from django.db.models import Model, QuerySet

from accounts.models import Connection, Owner
from audit.failpoint import failpoint
from consolidation.edits.memory import set_sharing
from consolidation.embedding import context as context_vectors
from consolidation.embedding import learned as learned_vectors
from consolidation.embedding import saved_facts as saved_vectors
from consolidation.models import ContextEvent
from consolidation.portable.importing.conversations import (
    Counts,
    Keep,
    count_sessions,
    references_of,
    take_sessions,
)
from consolidation.portable.importing.files import take_files
from consolidation.portable.importing.ids import Ids
from consolidation.portable.importing.learned import take_learned
from consolidation.portable.parts import FILES
from consolidation.portable.reading.checking import id_of
from consolidation.portable.reading.document import Export
from knowledge.models import Arc, Fact, Pattern, Rule, SavedFact
from memory.models import Session

# What may be there under its own id, when a file comes back to where it was made.
NAMED: tuple[type[Model], ...] = (
    Session, Fact, Arc, Rule, ContextEvent, Connection, SavedFact, Pattern,
)  # fmt: skip


def preview_import(*, owner: Owner, export: Export) -> Counts:
    """Return what would come of an export, by section. Nothing is kept.

    Raises what take_learned raises: then nothing of the file can be taken in.
    """
    with transaction.atomic():
        ids = known_ids(owner, export)
        counts = count_sessions(owner, export, ids)
        found, _ = take_learned(
            owner=owner, export=export, ids=ids, key="preview", actor="", is_trial=True
        )
        transaction.set_rollback(True)
    return counts | found | _files(owner, export, keeps=False)


def known_ids(owner: Owner, export: Export) -> Ids:
    """Return the ids under which rows of the file are, or will be, here."""
    ids = Ids(owner)
    for model in NAMED:
        told = [id_of(row) for row in export.rows(model)]
        mine: QuerySet = QuerySet(model).filter(owner=owner, pk__in=told)
        ids.keep(mine.values_list("pk", flat=True))
    return ids


def take_in(
    *,
    owner: Owner,
    export: Export,
    key: str,
    actor: str,
    keep: Keep = transaction.atomic,
    progress: Callable[[int], object] = lambda rows: None,
) -> tuple[Counts, UUID | None]:
    """Take all of an export in, and return what came of it and its changeset, None for none.

    Each conversation is a transaction of its own, and all the rest is the last one, inside of
    `keep`; done again, it goes on where it stopped. Raises what take_learned raises.
    """
    ids = known_ids(owner, export)
    counts = take_sessions(owner, export, ids, keep, progress)
    ids.references = references_of(owner, export, ids)
    failpoint("import.before_learned")
    with keep(), transaction.atomic():
        found, made = take_learned(owner=owner, export=export, ids=ids, key=key, actor=actor)
        if export.is_kept_apart:
            set_sharing(owner=owner, enabled=False, actor=actor)
        learned_vectors.nudge()
        saved_vectors.nudge()
        context_vectors.nudge()
    files = _files(owner, export, keeps=True)
    progress(export.total)
    return counts | found | files, made


def _files(owner: Owner, export: Export, *, keeps: bool) -> Counts:
    found = take_files(owner, export, keeps=keeps).counts()
    return {FILES: found} if found else {}
