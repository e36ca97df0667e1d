"""What tells what is to be forgotten, and stays: somebody keeps it on purpose, or it says more."""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from uuid import UUID

from accounts.models import Owner
from consolidation.deletion.matcher import Telling, may_tell, tells
from knowledge.errors import FileUnknown, WorkspaceUnavailable
from knowledge.models import Entry, Fact, Rule, SavedFact
from knowledge.workspace.files import list_files, read_file
from knowledge.workspace.memory import is_written_by_what_happens

MOST = 20


@dataclass(frozen=True, slots=True)
class Staying:
    """Names of notes, saved facts and files, and ids of other facts and rules; MOST of each."""

    notes: Sequence[str]
    facts: Sequence[UUID]
    rules: Sequence[UUID]


def staying(owner: Owner, tellings: Sequence[Telling], going: Collection[UUID]) -> Staying:
    """Return what tells any of these beside the items that go."""
    facts = Fact.objects.filter(
        may_tell("evidence_quote", tellings) | may_tell("object", tellings), owner=owner
    )
    rules = Rule.objects.filter(may_tell("text", tellings), owner=owner).exclude(pk__in=going)
    told = [
        fact.pk
        for fact in facts.active().exclude(pk__in=going).defer("embedding")
        if tells(f"{fact.object}. {fact.evidence_quote}", tellings)
    ]
    ruled = [rule.pk for rule in rules.active() if tells(rule.text, tellings)]
    return Staying([*_notes(owner, tellings)][:MOST], told[:MOST], ruled[:MOST])


def _notes(owner: Owner, tellings: Sequence[Telling]) -> Iterator[str]:
    notes = Entry.objects.filter(may_tell("content", tellings), owner=owner, kind=Entry.Kind.NOTE)
    saved = SavedFact.objects.filter(may_tell("value", tellings), owner=owner)
    by_hand = saved.exclude(source=SavedFact.Source.CONTEXT_FLUSH)
    for name, text in (*notes.values_list("name", "content"), *by_hand.values_list("key", "value")):
        if tells(text, tellings):
            yield name
    try:
        files = [one.name for one in list_files(owner) if not is_written_by_what_happens(one.name)]
        yield from (name for name in files if tells(_file(owner, name), tellings))
    except WorkspaceUnavailable:
        return


def _file(owner: Owner, name: str) -> str:
    try:
        return read_file(owner=owner, name=name)
    except FileUnknown:
        return ""
