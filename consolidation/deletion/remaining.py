"""What tells what is to be forgotten, and stays: somebody keeps it on purpose, or it says more."""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from uuid import UUID

from accounts.models import Owner
from consolidation.deletion.matcher import Matcher, matches, may_match
from knowledge.errors import FileUnknown, WorkspaceUnavailable
from knowledge.models import Entry, Fact, Rule, SavedFact
from knowledge.workspace.files import list_files, read_file
from knowledge.workspace.memory import is_written_by_what_happens

MOST = 20


@dataclass(frozen=True, slots=True)
class Remaining:
    """Names of notes, saved facts and files, and ids of other facts and rules; MOST of each."""

    notes: Sequence[str]
    facts: Sequence[UUID]
    rules: Sequence[UUID]


def remaining(owner: Owner, matchers: Sequence[Matcher], going: Collection[UUID]) -> Remaining:
    """Return what tells any of these beside the items that go."""
    facts = Fact.objects.filter(
        may_match("evidence_quote", matchers) | may_match("object", matchers), owner=owner
    )
    rules = Rule.objects.filter(may_match("text", matchers), owner=owner).exclude(pk__in=going)
    told = [
        fact.pk
        for fact in facts.active().exclude(pk__in=going).defer("embedding")
        if matches(f"{fact.object}. {fact.evidence_quote}", matchers)
    ]
    ruled = [rule.pk for rule in rules.active() if matches(rule.text, matchers)]
    return Remaining([*_notes(owner, matchers)][:MOST], told[:MOST], ruled[:MOST])


def _notes(owner: Owner, matchers: Sequence[Matcher]) -> Iterator[str]:
    notes = Entry.objects.filter(may_match("content", matchers), owner=owner, kind=Entry.Kind.NOTE)
    saved = SavedFact.objects.filter(may_match("value", matchers), owner=owner)
    by_hand = saved.exclude(source=SavedFact.Source.CONTEXT_FLUSH)
    for name, text in (*notes.values_list("name", "content"), *by_hand.values_list("key", "value")):
        if matches(text, matchers):
            yield name
    try:
        files = [one.name for one in list_files(owner) if not is_written_by_what_happens(one.name)]
        yield from (name for name in files if matches(_file(owner, name), matchers))
    except WorkspaceUnavailable:
        return


def _file(owner: Owner, name: str) -> str:
    try:
        return read_file(owner=owner, name=name)
    except FileUnknown:
        return ""
