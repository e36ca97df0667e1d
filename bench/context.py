"""Context documents found by meaning and by words, against the least SQL that could find them."""

import psycopg
from numpy.typing import NDArray
from pgvector import HalfVector

from accounts.models import Agent, Owner
from accounts.owners import resolve_owner
from bench.measure import ROUNDS, WARM, interleave, show
from bench.store import CHANCE, ODDS, VOCABULARY, WORDS_A_TEXT, ask
from knowledge.documents.context import NewDocument, put_documents
from knowledge.models import ContextDocument
from memory.models import EmbeddingSpace
from recall.search.context import LIMIT, retrieve
from recall.search.questions.question import Question

SIZES = (1_000, 10_000)
BARE = """
select id, content, embedding <=> %(vector)s::halfvec from toolstream_context
where owner_id = %(owner)s and space_id = %(space)s
order by 3 limit %(limit)s
"""
BOUND = "p95 ≤ 300 ms"


def context(raw: psycopg.Connection, agent: Agent, space: EmbeddingSpace) -> None:
    """Compare the call with the bare statement, for users of 1,000 and of 10,000 documents."""
    owners = {size: _fill(agent, size, space) for size in SIZES}
    raw.execute("vacuum analyze toolstream_context")
    for size, owner in owners.items():
        _compare(raw, owner, size, space)


def _compare(raw: psycopg.Connection, owner: Owner, size: int, space: EmbeddingSpace) -> None:
    asked = [ask(space) for _ in range(ROUNDS + WARM)]

    def bare(n: int) -> list[object]:
        question = asked[n].question
        values = {"owner": owner.pk, "space": space.pk, "limit": LIMIT}
        values |= {"vector": HalfVector(question.vector)}
        rows = raw.execute(BARE, values, prepare=True, binary=True).fetchall()
        return [row[0] for row in rows]

    def near(n: int) -> list[object]:
        one = asked[n]
        found = retrieve(owner=owner, query=one.text, question=one.question)
        return [hit.id for hit in found.hits]

    def worded(n: int) -> int:
        question = Question([], asked[n].text, None, None)
        return len(retrieve(owner=owner, query=asked[n].text, question=question).hits)

    assert all(bare(n) == near(n) for n in range(WARM))
    found = interleave({"bare": bare, "near": near, "words": worded})
    show(f"context statement, bare, {size:,} documents", found["bare"])
    show("  through recall.search.context", found["near"], found["bare"], BOUND)
    show("  the same by words, without a model", found["words"], found["bare"], BOUND)


def _fill(agent: Agent, size: int, space: EmbeddingSpace) -> Owner:
    """Keep documents of a user, each with a vector of its own."""
    owner = resolve_owner(agent=agent, user=f"context-{size}")
    texts: NDArray = CHANCE.choice(VOCABULARY, (size, WORDS_A_TEXT), p=ODDS)
    documents = [NewDocument(" ".join(f"w{word}" for word in text)) for text in texts]
    put_documents(owner=owner, documents=documents)
    rows = list(ContextDocument.objects.filter(owner=owner).only("pk"))
    for row in rows:
        row.embedding = HalfVector(CHANCE.normal(size=space.dimension))
        row.space, row.embedding_state = space, ContextDocument.EmbeddingState.DONE
    ContextDocument.objects.bulk_update(
        rows, ["embedding", "space", "embedding_state"], batch_size=200
    )
    return owner
