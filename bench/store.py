"""Owners of a given size, written straight into the tables, and questions to them."""

import uuid
from dataclasses import dataclass

import numpy as np
import psycopg
from numpy.typing import NDArray
from pgvector import HalfVector
from pgvector.psycopg import register_vector

from accounts.models import Agent, Owner
from accounts.owners import resolve_owner
from bench.setup import arguments
from memory.models import EmbeddingSpace, Session
from ranking.tokens import term_id
from recall.search.questions.question import Question

DIMENSION, WORDS_A_TEXT, VOCABULARY = 384, 27, 30_000
TERMS = [term_id(f"w{word}") for word in range(VOCABULARY)]
CHANCE = np.random.default_rng(7)
ODDS = 1 / (np.arange(VOCABULARY) + 60.0) ** 1.05
ODDS /= ODDS.sum()
CHUNK = {
    "lane": "edge",
    "tier": "mid_term",
    "kind": "fixed",
    "passage": 0,
    "speaker": "user",
    "occurred_at": "2026-05-08",
    "language": "english",
    "tokens": 40,
    "embedding_state": "done",
    "embedding_attempts": 0,
    "created_at": "2026-05-08",
}


@dataclass(frozen=True, slots=True)
class Filled:
    """An owner, and what was written for it: the words of each text, and each text's vector."""

    owner: Owner
    texts: NDArray[np.int64]
    vectors: NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Asked:
    """A question as words, as text, and ready for the statement."""

    words: list[int]
    text: str
    question: Question


def ask(space: EmbeddingSpace) -> Asked:
    words = [int(word) for word in dict.fromkeys(CHANCE.choice(VOCABULARY, 6, p=ODDS))]
    text = " ".join(f"w{word}" for word in words)
    vector = CHANCE.normal(size=DIMENSION).astype(np.float32)
    return Asked(words, text, Question([TERMS[word] for word in words], text, vector, space))


def fill(agent: Agent, size: int, space: EmbeddingSpace) -> Filled:
    """Write an owner of `size` chunks, with their postings and vectors."""
    owner = resolve_owner(agent=agent, user=f"owner-{size}")
    session = Session.objects.create(owner=owner, state="closed", number=1)
    texts = CHANCE.choice(VOCABULARY, (size, WORDS_A_TEXT), p=ODDS)
    centres = CHANCE.normal(size=(25, DIMENSION))
    vectors = centres[CHANCE.integers(0, 25, size)] + CHANCE.normal(size=(size, DIMENSION)) * 0.7
    vectors = (vectors / np.linalg.norm(vectors, axis=1, keepdims=True)).astype(np.float32)
    with psycopg.connect(**arguments()) as raw:
        register_vector(raw)
        _chunks(raw, owner, session, texts)
        _postings(raw, owner, texts)
        _vectors(raw, owner, space, vectors)
        raw.execute(
            "insert into memory_ownerindex (owner_id, next_chunk, next_block, next_session, chunks, "
            "chunk_terms, sessions, session_terms) values (%s, %s, %s, 2, %s, %s, 1, %s)",
            (owner.pk, size + 1, size + 1, size, size * WORDS_A_TEXT, size * WORDS_A_TEXT),
        )
    return Filled(owner, texts, vectors)


def repeat(agent: Agent, raw: psycopg.Connection, source: Owner, times: int) -> None:
    """Give `times` new owners the same memory as `source`: the store grows, each owner does not."""
    for n in range(times):
        owner = resolve_owner(agent=agent, user=f"copy-{n}-of-{source.pk}")
        session = Session.objects.create(owner=owner, state="closed", number=1)
        own = {
            "id": "gen_random_uuid()",
            "owner_id": str(owner.pk),
            "session_id": f"'{session.pk}'",
        }
        _copy(raw, "memory_chunk", source, own)
        for table in ("memory_posting", "memory_term", "memory_embedding", "memory_ownerindex"):
            _copy(raw, table, source, {"owner_id": str(owner.pk)})
    raw.execute("vacuum analyze")


def _copy(raw: psycopg.Connection, table: str, source: Owner, own: dict[str, str]) -> None:
    known = "select column_name from information_schema.columns where table_name = %s and is_generated = 'NEVER'"
    names = [name for (name,) in raw.execute(known, (table,)).fetchall()]
    values = ", ".join(own.get(name, name) for name in names)
    raw.execute(
        f"insert into {table} ({', '.join(names)}) select {values} from {table} where owner_id = %s",
        (source.pk,),
    )


def _chunks(raw: psycopg.Connection, owner: Owner, session: Session, texts: NDArray) -> None:
    names = ["id", "owner_id", "session_id", "number", "block", "first_seq", "last_seq", "text"]
    columns = ", ".join([*names, *CHUNK])
    with raw.cursor().copy(f"copy memory_chunk ({columns}) from stdin") as copy:
        for n, text in enumerate(texts, start=1):
            words = " ".join(f"w{word}" for word in text)
            own = (uuid.uuid4(), owner.pk, session.pk, n, n, n, n, words)
            copy.write_row((*own, *CHUNK.values()))


def _postings(raw: psycopg.Connection, owner: Owner, texts: NDArray) -> None:
    documents: dict[int, int] = {}
    columns = "owner_id, unit, term, document, count, length"
    with raw.cursor().copy(f"copy memory_posting ({columns}) from stdin") as copy:
        for n, text in enumerate(texts, start=1):
            for word, count in zip(*np.unique(text, return_counts=True), strict=True):
                term = TERMS[int(word)]
                documents[term] = documents.get(term, 0) + 1
                copy.write_row((owner.pk, 0, term, n, int(count), WORDS_A_TEXT))
    with raw.cursor().copy("copy memory_term (owner_id, unit, term, documents) from stdin") as copy:
        for term, count in documents.items():
            copy.write_row((owner.pk, 0, term, count))


def _vectors(
    raw: psycopg.Connection, owner: Owner, space: EmbeddingSpace, vectors: NDArray
) -> None:
    columns = "owner_id, space_id, document, embedding"
    text = f"copy memory_embedding ({columns}) from stdin with (format binary)"
    with raw.cursor().copy(text) as copy:
        copy.set_types(["int4", "int2", "int4", "halfvec"])
        for n, vector in enumerate(vectors, start=1):
            copy.write_row((owner.pk, space.pk, n, HalfVector(vector)))
