"""What is written down by what happens: saved facts, and lines of the workspace's logs."""

import logging
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from uuid import UUID

from django.db import transaction
from django.db.models import Q

from accounts.models import Owner
from audit.log import record
from consolidation.deletion.matcher import Matcher, matches, may_match
from consolidation.deletion.trace import Deletion, Finding, Trace
from consolidation.embedding import saved_facts as saved_vectors
from knowledge.errors import WorkspaceUnavailable
from knowledge.models import SavedFact
from knowledge.saved_facts.save import NewFact, save_facts
from knowledge.workspace.memory import add_lines, drop_lines_that, lines_that
from knowledge.workspace.names import one_line

log = logging.getLogger(__name__)
KIND = "saved_fact"
FLUSHED = SavedFact.Source.CONTEXT_FLUSH
FIELDS = ("key", "value", "category", "source", "confidence")


def _find_facts(deletion: Deletion) -> list[Finding]:
    """Return saved facts that are targets, and those of folds that tell; what somebody saved stays."""
    matchers = deletion.matchers
    may = may_match("value", matchers) | may_match("key", matchers)
    chosen = {one.id for one in deletion.named(KIND)}
    wanted = Q(pk__in=chosen) | (may & Q(source=FLUSHED))
    rows = SavedFact.objects.filter(wanted, owner=deletion.owner).defer("tsv", "embedding")
    return [
        {"id": str(row.pk), **{name: getattr(row, name) for name in FIELDS}}
        for row in rows.order_by("pk")
        if row.pk in chosen or matches(f"{row.key}: {row.value}", matchers)
    ]


def _remove_facts(deletion: Deletion, entries: Sequence[Finding]) -> None:
    ids = [UUID(str(entry["id"])) for entry in entries]
    SavedFact.objects.filter(owner=deletion.owner, pk__in=ids).delete()
    for id in {one.id for one in deletion.named(KIND)} & {*ids}:
        record(actor=deletion.actor, action="saved_fact.delete", subject=str(id))


def _restore_facts(owner: Owner, entries: Sequence[Finding], actor: str) -> None:
    """Save facts again whose keys are not taken."""
    taken = set(SavedFact.objects.filter(owner=owner).values_list("key", flat=True))
    for entry in entries:
        if entry["key"] not in taken:
            fact = NewFact(
                str(entry["key"]),
                str(entry["value"]),
                str(entry["category"]),
                confidence=float(str(entry["confidence"])),
            )
            save_facts(owner=owner, facts=[fact], session=None, source=str(entry["source"]))
    if entries:
        saved_vectors.nudge_if_any_waits()


def _without_flushed(entry: Finding, matchers: Sequence[Matcher]) -> Finding | None:
    is_told = entry["source"] == FLUSHED and matches(_words_of_fact(entry), matchers)
    return None if is_told else entry


def _words_of_fact(entry: Finding) -> str:
    return f"{entry['key']}: {entry['value']}"


def _find_lines(deletion: Deletion) -> list[Finding]:
    """Return the lines that tell, or repeat a saved fact that is a target; none of what cannot be read."""
    holds = _holds(deletion)
    if holds is None:
        return []
    try:
        lines = lines_that(owner=deletion.owner, holds=holds)
    except WorkspaceUnavailable as error:
        log.warning("what the workspace says is not looked at: %s", error)
        return []
    return [{"file": file, "line": line} for file, kept in lines.items() for line in kept]


def _holds(deletion: Deletion) -> Callable[[str], bool] | None:
    """Return what says of a line whether it goes; None where none does."""
    facts = SavedFact.objects.filter(
        owner=deletion.owner, pk__in=[one.id for one in deletion.named(KIND)]
    )
    repeated = [
        (one_line(key), one_line(value)) for key, value in facts.values_list("key", "value")
    ]
    if not deletion.matchers and not repeated:
        return None

    def holds(line: str) -> bool:
        return matches(line, deletion.matchers) or (
            line.startswith("- ") and any(key in line and value in line for key, value in repeated)
        )

    return holds


def _remove_lines(deletion: Deletion, entries: Sequence[Finding]) -> None:
    """Take the lines out of the files, now that the ledger has the act.

    A saved fact whose lines cannot be taken out stays as well. What else is forgotten is forgotten
    when the disk fails: that is logged, and no fault of the act.
    """
    if not entries:
        return
    going = {str(entry["line"]) for entry in entries}

    def holds(line: str) -> bool:
        return line in going or matches(line, deletion.matchers)

    drop = partial(drop_lines_that, owner=deletion.owner, holds=holds)
    if deletion.named(KIND):
        drop()
    else:
        transaction.on_commit(drop, robust=True)


def _restore_lines(owner: Owner, entries: Sequence[Finding], actor: str) -> None:
    lines: dict[str, list[str]] = {}
    for entry in entries:
        lines.setdefault(str(entry["file"]), []).append(str(entry["line"]))
    if lines:
        transaction.on_commit(partial(_add, owner, lines), robust=True)


def _add(owner: Owner, lines: Mapping[str, Sequence[str]]) -> None:
    add_lines(owner=owner, lines=lines)


def _line(entry: Finding) -> str:
    return str(entry["line"]).strip()


SAVED_FACTS = Trace(
    "saved",
    _find_facts,
    _remove_facts,
    _restore_facts,
    _words_of_fact,
    without=_without_flushed,
    kinds=(KIND,),
)
LINES = Trace(
    "lines", _find_lines, restore=_restore_lines, words=_line, remove_outside=_remove_lines
)
