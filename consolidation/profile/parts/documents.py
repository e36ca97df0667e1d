"""What a run learned besides: texts for every prompt, and documents that wait for a vector."""

from collections.abc import Sequence

from consolidation.models import ContextEvent
from consolidation.profile.leaves.sides import Observed, evidence_of
from consolidation.profile.parts.writer import Writer
from knowledge.documents.context import NewDocument, put_documents
from knowledge.items.tombstones import is_buried, words
from knowledge.models import ChangeItem, ContextDocument
from knowledge.sensitivity import is_sensitive

Act, Kind = ChangeItem.Act, ChangeItem.Kind


def learn(writer: Writer, events: Sequence[Observed], shown: Sequence[str]) -> None:
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


def embed(writer: Writer, facts: Sequence[str], events: Sequence[Observed]) -> None:
    """Keep facts as documents that wait for a vector; nobody here waits for one."""
    owner = writer.profile.owner
    mine = ContextDocument.objects.filter(owner=owner)
    for fact in facts:
        said_in = [one.id for one in evidence_of("", fact, events) or events]
        document = NewDocument(
            fact, events=tuple(map(str, said_in)), is_sensitive=is_sensitive(fact)
        )
        known = set(mine.filter(content=fact).values_list("pk", flat=True))
        for id in put_documents(owner=owner, documents=[document]):
            if id not in known:
                writer.add(
                    Kind.DOCUMENT, Act.ADD, after={"content": fact}, target=id, evidence=said_in
                )
