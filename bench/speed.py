"""How fast the server is, as ratios against bare SQL measured interleaved in one run.

    python -m memory_project.with_postgres python -m bench.speed

Every figure is a median over rounds in which each way is tried once, in random order.
"""

import os
import random
import statistics
import threading
import time
import uuid
from collections.abc import Callable

import django

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "memory_project.settings")
os.environ.setdefault("RECOLLECT_EMBEDDER", "hashing")
# One client that never waits: the limit is counted and never met.
os.environ.setdefault("RECOLLECT_REQUESTS_PER_SECOND", "100000")
django.setup()

import numpy as np
import orjson
import psycopg
from django.conf import settings
from django.core.management import call_command
from django.db import connection
from pgvector import HalfVector
from pgvector.psycopg import register_vector
from rest_framework.test import APIClient

from accounts.keys import issue_key
from accounts.models import Agent
from accounts.owners import resolve_owner
from accounts.setup import first_run
from consolidation.intake import accept_events
from memory.messages import draft_of
from memory.models import EmbeddingSpace, Session
from memory.sessions import open_session
from ranking.bm25 import Bm25
from recall.profiles import CALIBRATED, WORDS, Profile
from recall.search import Filters, Question, run
from recall.statement import Arm, statement

SIZES = (1_000, 3_000, 10_000)
ROUNDS, WARM = 60, 8
DIMENSION, WORDS_A_TEXT, VOCABULARY = 384, 27, 30_000
CHANCE = np.random.default_rng(7)
ODDS = 1 / (np.arange(VOCABULARY) + 60.0) ** 1.05
ODDS /= ODDS.sum()
# BM25 and nothing else, to be held against a reference.
PLAIN = Profile("plain", cosine=0.0, neighbours=0.0, session=0.0, speaker=0.0)


def main() -> None:
    settings.ALLOWED_HOSTS.append("testserver")
    call_command("migrate", verbosity=0)
    first_run()
    agent = Agent.objects.get()
    space = EmbeddingSpace.objects.get_or_create(model="bench", version="1", dimension=DIMENSION)[0]
    filled = {size: fill(agent, size, space) for size in SIZES}
    with psycopg.connect(**raw_arguments(), autocommit=True) as raw:
        raw.execute("vacuum analyze")
        register_vector(raw)
        raw.execute("set jit = off")
        raw.execute("set plan_cache_mode = force_generic_plan")
        raw.execute("set max_parallel_workers_per_gather = 0")
        print(f"{'what':46s}{'p50 ms':>9s}{'p95 ms':>9s}{'ratio':>8s}  goal")
        for size, (owner, texts, vectors) in filled.items():
            search(raw, agent, owner, space, size)
            check(owner, texts, vectors, space, size)
        append(raw, agent)
        context(agent)


def fill(agent: Agent, size: int, space: EmbeddingSpace) -> tuple:
    """Write an owner of `size` chunks straight into the tables; return it, its texts and vectors."""
    owner = resolve_owner(agent=agent, user=f"owner-{size}")
    session = Session.objects.create(owner=owner, state="closed", number=1)
    texts = CHANCE.choice(VOCABULARY, (size, WORDS_A_TEXT), p=ODDS)
    centres = CHANCE.normal(size=(25, DIMENSION))
    vectors = centres[CHANCE.integers(0, 25, size)] + CHANCE.normal(size=(size, DIMENSION)) * 0.7
    vectors = (vectors / np.linalg.norm(vectors, axis=1, keepdims=True)).astype(np.float32)
    with psycopg.connect(**raw_arguments()) as raw:
        register_vector(raw)
        cursor = raw.cursor()
        columns = "id, owner_id, number, block, session_id, lane, tier, kind, first_seq, last_seq, passage, speaker, occurred_at, text, language, tokens, embedding_state, embedding_attempts, created_at"
        with cursor.copy(f"copy memory_chunk ({columns}) from stdin") as copy:
            for n in range(1, size + 1):
                words = " ".join(f"w{word}" for word in texts[n - 1])
                copy.write_row(
                    (
                        uuid.uuid4(),
                        owner.pk,
                        n,
                        n,
                        session.pk,
                        "edge",
                        "mid_term",
                        "fixed",
                        n,
                        n,
                        0,
                        "user",
                        "2026-05-08",
                        words,
                        "english",
                        40,
                        "done",
                        0,
                        "2026-05-08",
                    )
                )
        counts: dict[int, int] = {}
        with cursor.copy(
            "copy memory_posting (owner_id, unit, term, document, count, length) from stdin"
        ) as copy:
            for n, text in enumerate(texts, start=1):
                terms, found = np.unique(text, return_counts=True)
                for term, count in zip(terms, found, strict=True):
                    counts[int(term)] = counts.get(int(term), 0) + 1
                    copy.write_row((owner.pk, 0, int(term), n, int(count), WORDS_A_TEXT))
        with cursor.copy("copy memory_term (owner_id, unit, term, documents) from stdin") as copy:
            for term, count in counts.items():
                copy.write_row((owner.pk, 0, term, count))
        with cursor.copy(
            "copy memory_embedding (owner_id, space_id, document, embedding) from stdin with (format binary)"
        ) as copy:
            copy.set_types(["int4", "int2", "int4", "halfvec"])
            for n, vector in enumerate(vectors, start=1):
                copy.write_row((owner.pk, space.pk, n, HalfVector(vector)))
        cursor.execute(
            "insert into memory_ownerindex (owner_id, next_chunk, next_block, next_session, chunks, chunk_terms, sessions, session_terms) values (%s, %s, %s, 2, %s, %s, 1, %s)",
            (owner.pk, size + 1, size + 1, size, size * WORDS_A_TEXT, size * WORDS_A_TEXT),
        )
    return owner, texts, vectors


def question(space: EmbeddingSpace, *, has_vector: bool = True) -> Question:
    terms = [int(word) for word in CHANCE.choice(VOCABULARY, 6, p=ODDS)]
    vector = CHANCE.normal(size=DIMENSION).astype(np.float32)
    return Question(
        terms, "what was it", vector if has_vector else None, space if has_vector else None
    )


def search(raw: psycopg.Connection, agent: Agent, owner, space: EmbeddingSpace, size: int) -> None:
    """Compare the service call, and the whole call through the framework, with the bare statement."""
    hybrid, words = statement(CALIBRATED, Arm.EXACT), statement(WORDS, Arm.NONE)
    asked = [question(space) for _ in range(ROUNDS + WARM)]
    client = APIClient()
    key = issue_key(organization=agent.organization, agent=agent, actor="bench").text
    client.credentials(HTTP_AUTHORIZATION=f"Bearer {key}")
    text = " ".join(f"w{word}" for word in asked[0].terms)

    def bare(sql: str, one: Question) -> None:
        values = {
            "owner": owner.pk,
            "space": space.pk,
            "terms": one.terms,
            "query": one.text,
            "limit": 10,
        }
        values["vector"] = HalfVector(one.vector)
        raw.execute(sql, values, prepare=True, binary=True).fetchall()

    def service(n: int) -> None:
        run(owner=owner, question=asked[n], limit=10, filters=Filters(), profile=CALIBRATED)

    def whole(n: int) -> None:
        body = orjson.dumps({"query": text, "user": owner.key})
        assert (
            client.generic(
                "POST", "/api/v1/recall", body, content_type="application/json"
            ).status_code
            == 200
        )

    found = interleave(
        {
            "bare hybrid": lambda n: bare(hybrid, asked[n]),
            "service": service,
            "bare words": lambda n: bare(words, asked[n]),
            "/recall": whole,
        }
    )
    goals = {1_000: 2.0, 3_000: 1.5, 10_000: 1.2}
    show(f"hybrid statement, bare, {size:,} chunks", found["bare hybrid"])
    show("  through recall.search", found["service"], found["bare hybrid"], "≤ 1.3")
    show(f"words statement, bare, {size:,} chunks", found["bare words"])
    show(
        "  /recall in process, by words", found["/recall"], found["bare words"], f"≤ {goals[size]}"
    )


def check(owner, texts: np.ndarray, vectors: np.ndarray, space: EmbeddingSpace, size: int) -> None:
    """Compare what is found with exact references."""
    bm25, equal, recall = Bm25(), 0, []
    df = np.bincount(np.concatenate([np.unique(text) for text in texts]), minlength=VOCABULARY)
    for _ in range(20):
        one = question(space)
        scores = np.zeros(size)
        for term in {t for t in one.terms if df[t]}:
            counts = (texts == term).sum(1)
            weight = counts * 2.2 / (counts + 1.2)
            scores += bm25.idf(size, int(df[term])) * weight
        words = Question(one.terms, one.text, None, None)
        hits = run(owner=owner, question=words, limit=50, filters=Filters(), profile=PLAIN)
        best = np.sort(scores)[::-1][: len(hits)]
        ceiling = 2.2 * sum(bm25.idf(size, int(df[t])) for t in {t for t in one.terms if df[t]})
        got = np.sort([hit.signals.words * ceiling for hit in hits])[::-1]
        equal += bool(np.allclose(got, best, atol=1e-6))
        exact = set(np.argsort(-(vectors @ one.vector))[:10] + 1)
        dense = Question([], one.text, one.vector, space)
        found = run(owner=owner, question=dense, limit=200, filters=Filters(), profile=CALIBRATED)
        top = sorted(found, key=lambda hit: -hit.signals.meaning)[:10]
        recall.append(len(exact & {hit.block for hit in top}) / 10)
    print(f"{f'  BM25 top 50 equal to the reference, {size:,}':46s}{equal:>9d} of 20")
    print(
        f"{f'  dense recall@10 against exact, {size:,}':46s}{statistics.mean(recall):>9.3f}{'':17s}  ≥ .99"
    )


def append(raw: psycopg.Connection, agent: Agent) -> None:
    """Compare appends with a bare insert and a bare COPY of rows of the same size, all durable."""
    raw.execute(
        "create table bench_event (id uuid primary key, session uuid, seq int, payload jsonb, hash bytea)"
    )
    sessions = [open_session(agent=agent, user=f"writer-{n}").session for n in range(8)]
    drafts = [
        draft_of({"role": "user", "content": "some words of usual length " * 5}) for _ in range(100)
    ]
    payload = orjson.dumps(drafts[0].payload).decode()

    def insert(n: int) -> None:
        raw.execute(
            "insert into bench_event values (%s, %s, %s, %s, %s)",
            (uuid.uuid4(), uuid.uuid4(), n, payload, b"x" * 32),
            prepare=True,
        )

    def copy(n: int) -> None:
        with raw.cursor().copy("copy bench_event from stdin") as rows:
            for place in range(100):
                rows.write_row((uuid.uuid4(), uuid.uuid4(), place, payload, b"x" * 32))

    def one(n: int) -> None:
        accept_events(agent=agent, session=sessions[0], drafts=drafts[:1])

    def batch(n: int) -> None:
        accept_events(agent=agent, session=sessions[0], drafts=drafts)

    found = interleave({"insert": insert, "one": one, "copy": copy, "batch": batch})
    show("one row, bare INSERT, durable", found["insert"])
    show("  one event, chained, durable", found["one"], found["insert"], "≤ 1.5")
    show("100 rows, bare COPY, durable", found["copy"])
    show("  100 events, chained (goal as time: ≤ 1.67)", found["batch"], found["copy"], "≤ 1.67")
    rates = {count: writers(agent, sessions[:count], drafts[:1]) for count in (1, 8)}
    print(
        f"{'8 writers against 1, events/s':46s}{rates[8]:9.0f}{rates[1]:9.0f}{rates[8] / rates[1]:8.2f}  ≥ 3.5"
    )


def writers(agent: Agent, sessions: list[Session], drafts: list) -> float:
    """Return the events a second that writers of one session each store together."""
    done: list[int] = []
    until = time.monotonic() + 4

    def write(session: Session) -> None:
        count = 0
        while time.monotonic() < until:
            accept_events(agent=agent, session=session, drafts=drafts)
            count += 1
        done.append(count)
        connection.close()

    threads = [threading.Thread(target=write, args=(session,)) for session in sessions]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return sum(done) / 4


def context(agent: Agent) -> None:
    """Time the building of a prompt for the owner of 10,000 chunks."""
    key = issue_key(organization=agent.organization, agent=agent, actor="bench").text
    client = APIClient()
    client.credentials(HTTP_AUTHORIZATION=f"Bearer {key}")
    session = open_session(agent=agent, user="owner-10000").session
    said = [
        draft_of({"role": "user", "content": f"w{n} w{n + 7} w{n + 50} was it?"}) for n in range(50)
    ]
    accept_events(agent=agent, session=session, drafts=said)

    def build(n: int) -> None:
        assert (
            client.post(f"/api/v1/sessions/{session.pk}/context", {}, format="json").status_code
            == 200
        )

    show(
        "/context in process, owner of 10,000 chunks",
        interleave({"build": build})["build"],
        None,
        "p95 ≤ 50 ms",
    )


def interleave(ways: dict[str, Callable[[int], None]]) -> dict[str, list[float]]:
    """Run each way once a round, in random order; return milliseconds without the first rounds."""
    times: dict[str, list[float]] = {name: [] for name in ways}
    for n in range(ROUNDS + WARM):
        for name in random.sample(list(ways), len(ways)):
            start = time.perf_counter()
            ways[name](n)
            times[name].append((time.perf_counter() - start) * 1_000)
    return {name: found[WARM:] for name, found in times.items()}


def show(what: str, times: list[float], against: list[float] | None = None, goal: str = "") -> None:
    p50, p95 = statistics.median(times), sorted(times)[int(0.95 * len(times))]
    ratio = f"{p50 / statistics.median(against):8.2f}" if against else " " * 8
    print(f"{what:46s}{p50:9.2f}{p95:9.2f}{ratio}  {goal}", flush=True)


def raw_arguments() -> dict[str, str]:
    found = connection.settings_dict
    known = {
        "host": found["HOST"],
        "port": str(found["PORT"]),
        "user": found["USER"],
        "dbname": found["NAME"],
    }
    return known | ({"password": found["PASSWORD"]} if found["PASSWORD"] else {})


if __name__ == "__main__":
    main()
