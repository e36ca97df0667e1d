"""The picture of a user: sentences, leaves, learned texts, and the documents that were learned."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from uuid import UUID

from django.db.models import Q

from accounts.models import Owner
from audit.log import record
from consolidation.deletion.matcher import Matcher, matches, may_match
from consolidation.deletion.places.observations import observations_of, observations_of_parts
from consolidation.deletion.trace import Deletion, Finding, Footprint, Trace, named_by
from consolidation.embedding import context as context_vectors
from consolidation.models import ContextEvent
from knowledge.documents.context import forget_document
from knowledge.documents.items import document_as_json, keep_again
from knowledge.errors import ItemUnfit
from knowledge.items.tombstones import words
from knowledge.models import ChangeItem, Changeset, ContextDocument, ScaffoldEntry
from knowledge.profile.edit import edit_profile, erase_members, erase_profile, read_profile
from knowledge.profile.outdated import take_out
from knowledge.profile.pointers import is_under, keys_of, leaves
from ranking.passages import sentences

Kind = ChangeItem.Kind
LEARNED = ContextDocument.Source.SYSTEM_LEARNED


def take_out_of_picture(made: Changeset, footprint: Footprint) -> None:
    """Take out, as items of a correction, what a footprint names of the picture."""
    profile = footprint["scaffold"]
    take_out(
        made=made,
        parts={
            Kind.NARRATIVE: _texts(footprint["narrative"]),
            Kind.SCAFFOLD: [str(entry["path"]) for entry in profile if "value" in entry],
            Kind.LEARNED_INFO: _texts(footprint["learned"]),
        },
        members={
            str(entry["path"]): _list(entry["members"]) for entry in profile if "members" in entry
        },
        documents=[UUID(str(entry["id"])) for entry in footprint["documents"]],
    )


def _find_sentences(deletion: Deletion) -> list[Finding]:
    return _chosen(deletion, Kind.NARRATIVE, sentences(deletion.picture.working_memory))


def _find_texts(deletion: Deletion) -> list[Finding]:
    return _chosen(deletion, Kind.LEARNED_INFO, deletion.picture.learned)


def _chosen(deletion: Deletion, part: str, texts: Iterable[str]) -> list[Finding]:
    """Return the texts that are targets, and those that tell."""
    names = {words(one.id) for one in deletion.named(part)}
    return [
        {"text": text} for text in texts if words(text) in names or matches(text, deletion.matchers)
    ]


def _find_leaves(deletion: Deletion) -> list[Finding]:
    """Return leaves that go as a whole with their values, and of other lists the members that tell."""
    concluded = {*_concluded(deletion)}
    names = [str(one.id) for one in deletion.named(Kind.SCAFFOLD)]
    entries: list[Finding] = []
    for path, value in deletion.leaves.items():
        members = _members(value, deletion.matchers)
        is_named = path in concluded or any(is_under(path, name) for name in names)
        if is_named or _goes(path, value, members, deletion.matchers):
            entries.append({"path": path, "value": value})
        elif members:
            entries.append({"path": path, "members": members})
    return entries


def _concluded(deletion: Deletion) -> Iterator[str]:
    """Yield the paths of what bears no other evidence than the facts' observations."""
    wanted = Q(pk=None)
    for fact in deletion.facts:
        wanted |= observations_of(f"{Kind.FACT}:{fact.pk}", fact.evidence_quote)
    mine = ContextEvent.objects.filter(wanted, owner=deletion.owner)
    ids = set(mine.values_list("pk", flat=True))
    for entry in ScaffoldEntry.objects.filter(owner=deletion.owner).only("path", "evidence"):
        if entry.evidence and ids.issuperset(entry.evidence):
            yield entry.path


def _members(value: object, matchers: Sequence[Matcher]) -> list[str]:
    """Return the members of a list that tell; none of what is no list of texts."""
    members = value if isinstance(value, list) else []
    return [one for one in members if isinstance(one, str) and matches(one, matchers)]


def _goes(path: str, value: object, members: Sequence[str], matchers: Sequence[Matcher]) -> bool:
    """Return whether a leaf tells as a whole: what is no list, or a list of nothing else."""
    if isinstance(value, list):
        return bool(value) and len(members) == len(value)
    return matches(str(value), matchers) or matches(_leaf_words(path, value), matchers)


def _find_documents(deletion: Deletion) -> list[Finding]:
    """Return documents that are targets, that tell, or that were learned with a part that goes."""
    mine = ContextDocument.objects.filter(owner=deletion.owner)
    learned = mine.filter(may_match("content", deletion.matchers), source=LEARNED)
    texts = set(learned.values_list("content", flat=True))
    contents = {text for text in texts if matches(text, deletion.matchers)}
    of_events = Q(pk__in=[one.id for one in deletion.named(Kind.DOCUMENT)])
    for event in observations_of_parts(deletion):
        of_events |= Q(events__contains=[str(event)])
    contents.update(mine.filter(of_events).values_list("content", flat=True))
    rows = mine.filter(content__in=contents).defer("embedding").order_by("pk")
    return [document_as_json(row) for row in rows]


def _remove_part(deletion: Deletion, part: str, names: Sequence[str]) -> None:
    """Delete sentences, pointers or texts for good; a part in another version is refused."""
    if not names:
        return
    chosen = deletion.named(part)
    made = erase_profile(
        owner=deletion.owner,
        part=part,
        names=names,
        actor=deletion.actor,
        version=chosen[0].version if chosen else None,
    )
    if chosen:
        record(actor=deletion.actor, action=f"memory.delete_{part}", subject=str(made.pk))


def _remove_sentences(deletion: Deletion, entries: Sequence[Finding]) -> None:
    _remove_part(deletion, Kind.NARRATIVE, _texts(entries))


def _remove_texts(deletion: Deletion, entries: Sequence[Finding]) -> None:
    _remove_part(deletion, Kind.LEARNED_INFO, _texts(entries))


def _remove_leaves(deletion: Deletion, entries: Sequence[Finding]) -> None:
    whole = [str(entry["path"]) for entry in entries if "value" in entry]
    _remove_part(deletion, Kind.SCAFFOLD, whole)
    for entry in entries:
        if "members" in entry:
            path, members = str(entry["path"]), _list(entry["members"])
            erase_members(owner=deletion.owner, path=path, members=members, actor=deletion.actor)


def _remove_documents(deletion: Deletion, entries: Sequence[Finding]) -> None:
    """Delete each text once; the same text under other metadata goes with it."""
    chosen = {one.id for one in deletion.named(Kind.DOCUMENT)}
    for entry in {str(entry["content"]): entry for entry in entries}.values():
        forget_document(owner=deletion.owner, id=UUID(str(entry["id"])))
    for id in chosen & {UUID(str(entry["id"])) for entry in entries}:
        record(actor=deletion.actor, action="context.delete", subject=str(id))


def _restore_sentences(owner: Owner, entries: Sequence[Finding], actor: str) -> None:
    """Write sentences beside what the narrative says now."""
    if entries:
        text = " ".join([read_profile(owner).working_memory, *_texts(entries)]).strip()
        _edit(owner, Kind.NARRATIVE, {"text": text}, actor)


def _restore_texts(owner: Owner, entries: Sequence[Finding], actor: str) -> None:
    if entries:
        items = [*read_profile(owner).learned, *_texts(entries)]
        _edit(owner, Kind.LEARNED_INFO, {"items": items}, actor)


def _restore_leaves(owner: Owner, entries: Sequence[Finding], actor: str) -> None:
    """Put back leaves whose place is free, and members of lists that are still there."""
    values = leaves(read_profile(owner).scaffold) if entries else {}
    for entry in entries:
        path, now = str(entry["path"]), values.get(str(entry["path"]))
        if "value" in entry and path not in values:
            _edit(owner, Kind.SCAFFOLD, {path: entry["value"]}, actor)
        elif "members" in entry and isinstance(now, list):
            _edit(owner, Kind.SCAFFOLD, {path: [*now, *_list(entry["members"])]}, actor)


def _edit(owner: Owner, part: str, fields: Mapping[str, object], actor: str) -> None:
    try:
        edit_profile(owner=owner, part=part, fields=fields, actor=actor)
    except ItemUnfit:
        # It has no room or no place any more: what was written meanwhile counts.
        return


def _restore_documents(owner: Owner, entries: Sequence[Finding], actor: str) -> None:
    for entry in entries:
        keep_again(owner, entry)
    if entries:
        context_vectors.nudge_if_any_waits()


def _named_sentences(owner: Owner, ids: Collection[UUID]) -> list[str]:
    texts = sentences(read_profile(owner).working_memory)
    return named_by(owner, Kind.NARRATIVE, texts, ids)


def _named_texts(owner: Owner, ids: Collection[UUID]) -> list[str]:
    return named_by(owner, Kind.LEARNED_INFO, read_profile(owner).learned, ids)


def _named_pointers(owner: Owner, ids: Collection[UUID]) -> list[str]:
    """Return pointers of the ledger: of leaves, and of what they stand below."""
    pointers = {
        "/".join(parts[:depth])
        for path in leaves(read_profile(owner).scaffold)
        for parts in [path.split("/")]
        for depth in range(2, len(parts) + 1)
    }
    return named_by(owner, Kind.SCAFFOLD, sorted(pointers), ids)


def _without_members(entry: Finding, matchers: Sequence[Matcher]) -> Finding | None:
    """Return a leaf that does not tell; of a list that stayed, its members that do not."""
    if "members" in entry:
        left = [one for one in _list(entry["members"]) if not matches(one, matchers)]
        return entry | {"members": left}
    return None if matches(f"{entry['path']} {entry['value']}", matchers) else entry


def _leaf_words(path: str, value: object) -> str:
    return f"{', '.join(keys_of(path))}: {value}"


def _words_of_leaf(entry: Finding) -> str:
    value = ", ".join(_list(entry["members"])) if "members" in entry else entry["value"]
    return _leaf_words(str(entry["path"]), value)


def _text(entry: Finding) -> str:
    return str(entry["text"])


def _content(entry: Finding) -> str:
    return str(entry["content"])


def _texts(entries: Sequence[Finding]) -> list[str]:
    return list(map(_text, entries))


def _list(value: object) -> list[str]:
    assert isinstance(value, list)  # noqa: S101 - our own words
    return value


NARRATIVE = Trace(
    "narrative",
    _find_sentences,
    _remove_sentences,
    _restore_sentences,
    _text,
    kinds=(Kind.NARRATIVE,),
    names=_named_sentences,
)
SCAFFOLD = Trace(
    "scaffold",
    _find_leaves,
    _remove_leaves,
    _restore_leaves,
    _words_of_leaf,
    without=_without_members,
    kinds=(Kind.SCAFFOLD,),
    names=_named_pointers,
)
LEARNED_INFO = Trace(
    "learned",
    _find_texts,
    _remove_texts,
    _restore_texts,
    _text,
    kinds=(Kind.LEARNED_INFO,),
    names=_named_texts,
)
DOCUMENTS = Trace(
    "documents",
    _find_documents,
    _remove_documents,
    _restore_documents,
    _content,
    kinds=(Kind.DOCUMENT,),
)
# In the order in which a person is shown what goes.
PICTURE = (NARRATIVE, SCAFFOLD, LEARNED_INFO, DOCUMENTS)
