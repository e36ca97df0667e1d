"""What a run learned besides, and retires: texts for every prompt, and documents of V."""

from collections.abc import Iterator, Mapping, Sequence
from uuid import UUID

from accounts.models import Connection
from consolidation.models import ContextEvent
from consolidation.profile.leaves.decide import ContradictedLeaf
from consolidation.profile.leaves.sides import ObservedEvent, Refs, named
from consolidation.profile.parts.narrative import tells_what_lost
from consolidation.profile.parts.writer import ChangesetWriter
from extraction.contracts.profile import Retirement, Statement
from knowledge.documents.context import NewDocument, put_documents
from knowledge.documents.items import document_as_json
from knowledge.errors import ContextUnfit
from knowledge.items.tombstones import is_buried, words
from knowledge.models import ChangeItem, ContextDocument
from knowledge.models.profile import Channel

Act, Kind = ChangeItem.Act, ChangeItem.Kind
BY_HAND = "person.edit"


def learn(writer: ChangesetWriter, events: Sequence[ObservedEvent], shown: Sequence[str]) -> None:
    """Add the learned facts to what was learned besides, each once; `shown` is what was there then."""
    learned = writer.profile.learned
    # What the person has taken out meanwhile is not put back.
    gone = set(map(words, shown)) - set(map(words, learned.items))
    for one in events:
        known = gone | set(map(words, learned.items))
        text = " ".join(one.text.split())
        buried = is_buried(
            owner=writer.profile.owner, kind=Kind.LEARNED_INFO, fields={"text": text}
        )
        if one.type == ContextEvent.Type.LEARNED_FACT and words(text) not in known and not buried:
            writer.add(Kind.LEARNED_INFO, Act.ADD, after={"text": text}, evidence=[one.id])


def embed(
    writer: ChangesetWriter,
    facts: Sequence[Statement],
    events: Refs,
    contraries: Sequence[ContradictedLeaf],
) -> int:
    """Keep facts as documents that wait for a vector; return how many could not be kept.

    Nobody here waits for a vector. A fact is its connection's where all that it stands on is.
    """
    unfit = 0
    for fact in facts:
        if tells_what_lost(fact.statement, fact.refs, events, contraries):
            continue
        try:
            _embed(writer, fact, named(fact.refs, events) or list(events.values()))
        except ContextUnfit:
            unfit += 1
    return unfit


def retire(
    writer: ChangesetWriter, retirements: Sequence[Retirement], ids: Mapping[str, str], events: Refs
) -> int:
    """Take out what holds no more; return how many of these could not go. `ids` were shown.

    What the person wrote goes only where they said otherwise since.
    """
    unfit = 0
    for one in retirements:
        shown, on = ids.get(one.id, ""), named(one.refs, events)
        removed = (
            _retire_document(writer, UUID(shown), one.reason, on)
            if one.id.startswith("d") and shown
            else one.id.startswith("l") and _retire_text(writer, shown, one.reason, on)
        )
        unfit += not removed
    return unfit


def _embed(writer: ChangesetWriter, fact: Statement, on: Sequence[ObservedEvent]) -> None:
    owner = writer.profile.owner
    document = NewDocument(
        fact.statement,
        connection=_connection(writer, on),
        message_id=next((one.message for one in reversed(on) if one.message), ""),
        events=tuple(str(one.id) for one in on),
    )
    mine = ContextDocument.objects.filter(owner=owner, content=fact.statement)
    if mine.filter(connection=document.connection).exists():
        return
    for id in put_documents(owner=owner, documents=[document]):
        after: dict[str, object] = {"content": fact.statement}
        writer.add(Kind.DOCUMENT, Act.ADD, after=after, target=id, evidence=[one.id for one in on])


def _connection(writer: ChangesetWriter, on: Sequence[ObservedEvent]) -> UUID | None:
    """Return the one connection that all observations are of; None where one is of none."""
    found = {one.connection for one in on}
    (connection,) = found if len(found) == 1 else (None,)
    if connection is None:
        return None
    mine = Connection.objects.filter(owner=writer.profile.owner, pk=connection)
    return connection if mine.exists() else None


def _retire_document(
    writer: ChangesetWriter, id: UUID, reason: str, on: Sequence[ObservedEvent]
) -> bool:
    mine = ContextDocument.objects.filter(owner=writer.profile.owner, pk=id)
    row = mine.defer("embedding").first()
    if row is None:
        return False
    is_theirs = row.source == ContextDocument.Source.USER_PROVIDED
    if is_theirs and not any(_is_own(one) and one.observed_at > row.created_at for one in on):
        return False
    writer.add(
        Kind.DOCUMENT,
        Act.RETIRE,
        before=document_as_json(row),
        target=row.pk,
        evidence=[one.id for one in on],
        reason=reason,
    )
    mine.delete()
    return True


def _retire_text(
    writer: ChangesetWriter, text: str, reason: str, on: Sequence[ObservedEvent]
) -> bool:
    if not text or text not in writer.profile.learned.items:
        return False
    for written in _by_hand(writer, text):
        later = [
            one for one in on if _is_own(one) and one.observed_at > written.changeset.created_at
        ]
        if not later:
            return False
    ids = [one.id for one in on]
    writer.add(Kind.LEARNED_INFO, Act.RETIRE, before={"text": text}, evidence=ids, reason=reason)
    return True


def _by_hand(writer: ChangesetWriter, text: str) -> Iterator[ChangeItem]:
    mine = ChangeItem.objects.filter(changeset__owner=writer.profile.owner, code=BY_HAND)
    of_text = mine.filter(kind=Kind.LEARNED_INFO, after__text=text).select_related("changeset")
    yield from of_text.order_by("-pk")[:1]


def _is_own(one: ObservedEvent) -> bool:
    return one.channel == Channel.INTERACTIVE
