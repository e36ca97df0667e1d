"""What a learned fact has become besides: in the picture of a user, and among the documents."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from uuid import UUID

from django.db.models import Q

from accounts.models import Owner
from consolidation.deletion.matcher import LEAST_QUOTE, Telling, may_tell, telling_of, tells
from consolidation.models import ContextEvent
from knowledge.documents.context import forget_document
from knowledge.models import ChangeItem, ContextDocument, Fact, ScaffoldEntry
from knowledge.profile.edit import erase_members, erase_profile, read_profile
from knowledge.profile.pointers import keys_of, leaves
from ranking.passages import sentences

Kind = ChangeItem.Kind
LEARNED = ContextDocument.Source.SYSTEM_LEARNED


@dataclass(frozen=True, slots=True)
class Derived:
    """What goes with a fact: names of each part of the picture as `erase_profile` takes them.

    `members` are those of a list at a pointer that go, while others stay. `words` are the same for
    whoever reads what goes.
    """

    parts: Mapping[str, Sequence[str]]
    members: Mapping[str, Sequence[str]]
    documents: Sequence[UUID]
    words: Sequence[str]


def observations_of(key: str, quote: str) -> Q:
    """Return what finds the observations of an item, and those that quote it."""
    said = Q(key=key) | Q(key__startswith=f"{key}:")
    if len(quote) >= LEAST_QUOTE:
        said |= Q(content__icontains=quote)
    return said


def derived_from(owner: Owner, facts: Sequence[Fact], tellings: Sequence[Telling] = ()) -> Derived:
    """Return what tells one of the facts, whoever else bears it out, or was concluded from them alone.

    `tellings` are what they are known by besides.
    """
    told = [*(telling_of(fact) for fact in facts), *tellings]
    picture = read_profile(owner)
    values = leaves(picture.scaffold)
    concluded = {*_concluded(owner, facts)}
    narrative = [one for one in sentences(picture.working_memory) if tells(one, told)]
    members = {p: found for p in values if (found := _members(values[p], told))} if told else {}
    paths = [path for path in values if path in concluded or _goes(path, values, members, told)]
    members = {path: found for path, found in members.items() if path not in paths}
    learned = [one for one in picture.learned if tells(one, told)]
    rows = ContextDocument.objects.filter(may_tell("content", told), owner=owner, source=LEARNED)
    documents = {text: pk for text, pk in rows.values_list("content", "pk") if tells(text, told)}
    leaf_words = [_said(path, values[path]) for path in paths]
    member_words = [_said(path, ", ".join(found)) for path, found in members.items()]
    return Derived(
        {Kind.NARRATIVE: narrative, Kind.SCAFFOLD: paths, Kind.LEARNED_INFO: learned},
        members,
        list(documents.values()),
        list(dict.fromkeys((*narrative, *leaf_words, *member_words, *learned, *documents))),
    )


def forget_derived(owner: Owner, derived: Derived, *, actor: str) -> None:
    """Delete it for good, in the caller's transaction; nothing under way brings it back."""
    for part, names in derived.parts.items():
        if names:
            erase_profile(owner=owner, part=part, names=names, actor=actor)
    for path, members in derived.members.items():
        erase_members(owner=owner, path=path, members=members, actor=actor)
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


def _members(value: object, told: Sequence[Telling]) -> list[str]:
    """Return the members of a list that tell; none of what is no list of texts."""
    found = value if isinstance(value, list) else []
    return [one for one in found if isinstance(one, str) and tells(one, told)]


def _goes(
    path: str,
    values: Mapping[str, object],
    members: Mapping[str, Sequence[str]],
    told: Sequence[Telling],
) -> bool:
    """Say whether a leaf tells as a whole: what is no list, or a list of nothing else."""
    value = values[path]
    if isinstance(value, list):
        return bool(value) and len(members.get(path, ())) == len(value)
    return tells(str(value), told) or tells(_said(path, value), told)


def _said(path: str, value: object) -> str:
    return f"{', '.join(keys_of(path))}: {value}"
