"""The calibrated formula in plain Python, over whole tables: what the one statement must equal."""

from collections import Counter, defaultdict

from pgvector import HalfVector

from memory.indexing import index_text
from memory.models import Chunk, Embedding
from providers.base import Vector
from ranking.bm25 import Bm25
from ranking.tokens import fold, index_terms, query_terms

BM25 = Bm25()


def calibrated(
    owner: int, query: str, vector: Vector | None, *, farther: float = 0.1
) -> dict[int, float]:
    """Return each block's score, for an owner with fewer chunks than there are candidates."""
    chunks = list(Chunk.objects.filter(owner_id=owner).order_by("number"))
    counts = [Counter(index_terms(index_text(chunk), chunk.language)) for chunk in chunks]
    terms = query_terms(query, "english")
    words = _bm25(counts, terms)
    meaning = _cosines(owner, chunks, vector)
    base = [w + 0.5 * m for w, m in zip(words, meaning, strict=True)]
    found = {place for place in range(len(chunks)) if words[place] > 0 or vector is not None}
    best: dict[int, int] = {}
    for place in sorted(found):
        block = chunks[place].block
        if block not in best or base[place] > base[best[block]]:
            best[block] = place
    sessions = _sessions(chunks, counts, terms)
    scores = {}
    for block, place in best.items():
        chunk = chunks[place]
        near = {1: 1.0, -1: 1.0, 2: farther, -2: farther}
        same = [
            share * base[best[block + step]]
            for step, share in near.items()
            if block + step in best and chunks[best[block + step]].session_id == chunk.session_id
        ]
        named = 0.1 if chunk.speaker.lower() in fold(query) else 0.0
        scores[block] = base[place] + 0.2 * sum(same) + 0.3 * sessions[chunk.session_id] + named
    return scores


def _bm25(documents: list[Counter[str]], terms: list[str]) -> list[float]:
    containing = {t: sum(t in document for document in documents) for t in terms}
    idfs = {t: BM25.idf(len(documents), df) for t, df in containing.items() if df}
    average = sum(document.total() for document in documents) / len(documents)
    ceiling = BM25.ceiling(idfs.values())
    return [
        sum(idf * BM25.weight(d[t], d.total(), average) for t, idf in idfs.items() if t in d)
        / (ceiling or 1)
        for d in documents
    ]


def _sessions(chunks: list[Chunk], counts: list[Counter[str]], terms: list[str]) -> dict:
    whole: dict[object, Counter[str]] = defaultdict(Counter)
    for chunk, count in zip(chunks, counts, strict=True):
        whole[chunk.session_id].update(count)
    return dict(zip(whole, _bm25(list(whole.values()), terms), strict=True))


def _cosines(owner: int, chunks: list[Chunk], vector: Vector | None) -> list[float]:
    if vector is None:
        return [0.0] * len(chunks)
    wanted = HalfVector(vector).to_list()
    length = sum(x * x for x in wanted) ** 0.5
    stored = dict(Embedding.objects.filter(owner_id=owner).values_list("document", "embedding"))
    found = []
    for chunk in chunks:
        other = stored.get(chunk.number, [])
        size = sum(x * x for x in other) ** 0.5
        dot = sum(a * b for a, b in zip(wanted, other, strict=False))
        found.append(dot / (length * size) if size else 0.0)
    return found
