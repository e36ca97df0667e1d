"""What a learned fact has become besides: in the picture of a user, and among the documents."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from uuid import UUID

from django.db.models import Q

from accounts.models import Owner
from consolidation.models import ContextEvent
from knowledge.context_documents import forget_document
from knowledge.models import ChangeItem, ContextDocument, Fact, ScaffoldEntry
from knowledge.pointers import keys_of, leaves
from knowledge.profiles import erase_profile, read_profile
from ranking.passages import sentences
from ranking.similarity import token_recall
from ranking.tokens import meaningful

Kind = ChangeItem.Kind
# A shorter quote stands in what has nothing to do with it.
LEAST_QUOTE = 8
LEARNED = ContextDocument.Source.SYSTEM_LEARNED
# Of the words of a text that says no more than the fact, so many are the fact's.
MOST_ARE_ITS = 0.6


@dataclass(frozen=True, slots=True)
class Derived:
    """What goes with a fact: names of each part of the picture as `erase_profile` takes them.

    `words` are the same for whoever reads what goes.
    """

    parts: Mapping[str, Sequence[str]]
    documents: Sequence[UUID]
    words: Sequence[str]


def observations_of(key: str, quote: str) -> Q:
    """Return what finds the observations of an item, and those that quote it."""
    said = Q(key=key)
    if len(quote) >= LEAST_QUOTE:
        said |= Q(content__icontains=quote)
    return said


def derived_from(owner: Owner, facts: Sequence[Fact]) -> Derived:
    """Return what says no more than one of the facts, or was concluded from nothing else."""
    told = [meaningful(f"{fact.object} {fact.evidence_quote}") for fact in facts]
    picture = read_profile(owner)
    values = leaves(picture.scaffold)
    narrative = [one for one in sentences(picture.working_memory) if _is_said(one, told)]
    paths = [path for path in _concluded(owner, facts) if path in values]
    learned = [one for one in picture.learned if _is_said(one, told)]
    mine = ContextDocument.objects.filter(owner=owner, source=LEARNED)
    rows = mine.filter(_shares_a_word(told)).values_list("content", "pk")
    documents = {content: pk for content, pk in rows if _is_said(content, told)}
    leaf_words = [f"{', '.join(keys_of(path))}: {values[path]}" for path in paths]
    return Derived(
        {Kind.NARRATIVE: narrative, Kind.SCAFFOLD: paths, Kind.LEARNED_INFO: learned},
        list(documents.values()),
        list(dict.fromkeys((*narrative, *leaf_words, *learned, *documents))),
    )


def forget_derived(owner: Owner, derived: Derived, *, actor: str) -> None:
    """Delete it for good, in the caller's transaction; nothing under way brings it back."""
    for part, names in derived.parts.items():
        if names:
            erase_profile(owner=owner, part=part, names=names, actor=actor)
    for document in derived.documents:
        forget_document(owner=owner, id=document)


def _concluded(owner: Owner, facts: Sequence[Fact]) -> Iterator[str]:
    """Yield the paths of what bears no other evidence than the facts' observations."""
    wanted = Q(pk=None)
    for fact in facts:
        wanted |= observations_of(f"{Kind.FACT}:{fact.pk}", fact.evidence_quote)
    ids = set(ContextEvent.objects.filter(wanted, owner=owner).values_list("pk", flat=True))
    for entry in ScaffoldEntry.objects.filter(owner=owner).only("path", "evidence"):
        if entry.evidence and ids.issuperset(entry.evidence):
            yield entry.path


def _shares_a_word(told: Sequence[Sequence[str]]) -> Q:
    """Return what leaves to the database all rows that cannot say the same: there may be many."""
    found = Q(pk=None)
    for word in {word for one in told for word in one}:
        found |= Q(content__icontains=word)
    return found


def _is_said(text: str, told: Sequence[Sequence[str]]) -> bool:
    """Say whether most of what a text says is what one of the facts says."""
    mine = meaningful(text)
    return any(token_recall(mine, one) >= MOST_ARE_ITS for one in told)
