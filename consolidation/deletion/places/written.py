"""What is written down by what happens, and told of what is to be forgotten: facts of folds, and lines."""

import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from django.db import transaction

from accounts.models import Owner
from consolidation.deletion.matcher import Telling, may_tell, tells
from knowledge.errors import WorkspaceUnavailable
from knowledge.models import SavedFact
from knowledge.saved_facts.save import NewFact, save_facts
from knowledge.workspace.memory import add_lines, drop_lines_that, lines_that

log = logging.getLogger(__name__)
FLUSHED = SavedFact.Source.CONTEXT_FLUSH


@dataclass(frozen=True, slots=True)
class Happened:
    """Saved facts that a fold found, and lines of MEMORY.md, the daily logs and the learnings."""

    saved: Sequence[SavedFact]
    lines: Mapping[str, Sequence[str]]

    @property
    def words(self) -> list[str]:
        """What goes, for whoever reads it."""
        lines = (line.strip() for lines in self.lines.values() for line in lines)
        return [*(f"{fact.key}: {fact.value}" for fact in self.saved), *lines]

    @property
    def stored_facts(self) -> list[dict[str, str]]:
        return [
            {"key": fact.key, "value": fact.value, "category": fact.category} for fact in self.saved
        ]


def find_happened(owner: Owner, tellings: Sequence[Telling]) -> Happened:
    """Return what tells any of these; without a word of files that cannot be read."""
    if not tellings:
        return Happened((), {})
    may = may_tell("value", tellings) | may_tell("key", tellings)
    rows = SavedFact.objects.filter(may, owner=owner, source=FLUSHED).defer("tsv", "embedding")
    saved = [fact for fact in rows if tells(f"{fact.key}: {fact.value}", tellings)]
    return Happened(saved, _lines(owner, tellings))


def forget_happened(owner: Owner, found: Happened, tellings: Sequence[Telling]) -> None:
    """Delete it, in the caller's transaction; the lines go when that is committed."""
    SavedFact.objects.filter(pk__in=[fact.pk for fact in found.saved]).delete()
    if found.lines:
        # What is forgotten stays so when the disk fails: that is logged, and no fault of the act.
        transaction.on_commit(partial(_drop, owner, tellings), robust=True)


def restore_happened(
    owner: Owner, saved: Sequence[Mapping[str, str]], lines: Mapping[str, Sequence[str]]
) -> None:
    """Write it again, in the caller's transaction, where its key is not taken; lines at the ends."""
    taken = set(SavedFact.objects.filter(owner=owner).values_list("key", flat=True))
    facts = [NewFact(one["key"], one["value"], one["category"]) for one in saved]
    fresh = [fact for fact in facts if fact.key not in taken]
    save_facts(owner=owner, facts=fresh, session=None, source=FLUSHED)
    if lines:
        transaction.on_commit(partial(_add, owner, lines), robust=True)


def _lines(owner: Owner, tellings: Sequence[Telling]) -> dict[str, list[str]]:
    try:
        return lines_that(owner=owner, holds=lambda line: tells(line, tellings))
    except WorkspaceUnavailable as error:
        log.warning("what the workspace says is not looked at: %s", error)
        return {}


def _drop(owner: Owner, tellings: Sequence[Telling]) -> None:
    drop_lines_that(owner=owner, holds=lambda line: tells(line, tellings))


def _add(owner: Owner, lines: Mapping[str, Sequence[str]]) -> None:
    add_lines(owner=owner, lines=lines)
