"""Search and prompts against the bare statement, exact references, and a store grown meanwhile."""

import statistics
from collections.abc import Callable

import numpy as np
import orjson
import psycopg
from pgvector import HalfVector
from rest_framework.test import APIClient

from accounts.keys import issue_key
from accounts.models import Agent
from bench.measure import ROUNDS, WARM, interleave, show, show_plain
from bench.store import VOCABULARY, Asked, Filled, ask, repeat
from consolidation.intake.accept import accept_events
from memory.messages import draft_of
from memory.models import EmbeddingSpace
from memory.sessions import open_session
from ranking.bm25 import Bm25
from recall.search.hits import Filters
from recall.search.messages.clauses import Arm
from recall.search.messages.search import run
from recall.search.messages.statement import statement
from recall.search.questions.question import Question
from recall.search.ranking_profiles import CALIBRATED, WORDS, RankingProfile

GOALS = {1_000: 2.0, 3_000: 1.5, 10_000: 1.2}
YARDSTICK = "select sum(sqrt(n)) from generate_series(1, 30000) n"
# BM25 and nothing else, to be held against a reference.
PLAIN = RankingProfile("plain", meaning=0.0, neighbours=0.0, reply=0.0, session=0.0, speaker=0.0)


def search(raw: psycopg.Connection, agent: Agent, filled: Filled, space: EmbeddingSpace) -> None:
    """Compare the service call, and the whole call through the framework, with the bare statement."""
    owner, size = filled.owner, len(filled.texts)
    hybrid, words = statement(CALIBRATED, Arm.EXACT), statement(WORDS, Arm.NONE)
    asked = [ask(space) for _ in range(ROUNDS + WARM)]
    client = _client(agent)

    def bare(sql: str, one: Asked) -> int:
        question = one.question
        values = {"owner": owner.pk, "space": space.pk, "query": question.text, "limit": 10}
        values |= {
            "candidates": CALIBRATED.candidates,
            "terms": question.terms,
            "vector": HalfVector(question.vector),
        }
        return len(raw.execute(sql, values, prepare=True, binary=True).fetchall())

    def whole(n: int) -> int:
        body = orjson.dumps({"query": asked[n].text, "user": owner.key})
        answer = client.generic("POST", "/api/v1/recall", body, content_type="application/json")
        assert answer.status_code == 200
        return len(answer.data["results"])

    assert all(bare(words, one) == whole(n) for n, one in enumerate(asked))
    found = interleave(
        {
            "bare hybrid": lambda n: bare(hybrid, asked[n]),
            "service": lambda n: _service(filled, asked[n]),
            "bare words": lambda n: bare(words, asked[n]),
            "/recall": whole,
        }
    )
    show(f"hybrid statement, bare, {size:,} chunks", found["bare hybrid"])
    show("  through recall.search.messages.search", found["service"], found["bare hybrid"], "≤ 1.3")
    show(f"words statement, bare, {size:,} chunks", found["bare words"])
    goal = f"≤ {GOALS[size]}"
    show("  /recall in process, by words", found["/recall"], found["bare words"], goal)


def check(filled: Filled, space: EmbeddingSpace) -> None:
    """Compare what is found with exact references."""
    size, equal, recall = len(filled.texts), 0, []
    present = [np.unique(text) for text in filled.texts]
    df = np.bincount(np.concatenate(present), minlength=VOCABULARY)
    for _ in range(20):
        asked = ask(space)
        equal += _is_equal(filled, asked, df)
        question = asked.question
        exact = set(np.argsort(-(filled.vectors @ question.vector))[:10] + 1)
        dense = Question([], question.text, question.vector, space)
        found = run(
            owner=filled.owner, question=dense, limit=200, filters=Filters(), profile=CALIBRATED
        )
        top = sorted(found, key=lambda hit: -hit.signals.meaning)[:10]
        recall.append(len(exact & {hit.block for hit in top}) / 10)
    show_plain(f"  BM25 top 50 equal to the reference, {size:,}", f"{equal} of 20", "equal")
    mean = f"{statistics.mean(recall):.3f}"
    show_plain(f"  dense recall@10 against exact, {size:,}", mean, "≥ .99")


def _is_equal(filled: Filled, asked: Asked, df: np.ndarray) -> bool:
    bm25, size = Bm25(), len(filled.texts)
    known = [word for word in asked.words if df[word]]
    scores = np.zeros(size)
    for word in known:
        counts = (filled.texts == word).sum(1)
        scores += bm25.idf(size, int(df[word])) * counts * 2.2 / (counts + 1.2)
    question = Question(asked.question.terms, asked.text, None, None)
    hits = run(owner=filled.owner, question=question, limit=50, filters=Filters(), profile=PLAIN)
    best = np.sort(scores)[::-1][: len(hits)]
    ceiling = 2.2 * sum(bm25.idf(size, int(df[word])) for word in known)
    got = np.sort([hit.signals.words * ceiling for hit in hits])[::-1]
    return bool(np.allclose(got, best, atol=1e-6))


def grow(
    raw: psycopg.Connection, agent: Agent, filled: dict[int, Filled], space: EmbeddingSpace
) -> None:
    """Ask one owner the same questions before and after ten times as much lies around it.

    The machine may be busier then than before: each time is divided by that of a statement which
    reads no table, asked in the same rounds.
    """
    asked = [ask(space) for _ in range(ROUNDS + WARM)]
    ways: dict[str, Callable[[int], object]] = {
        f"{size:,}": lambda n, one=one: _service(one, asked[n]) for size, one in filled.items()
    }
    ways["yardstick"] = lambda n: raw.execute(YARDSTICK, prepare=True)
    # As after `repeat`: no plan that was made while a table was empty.
    raw.execute("vacuum analyze")
    count = "select count(*) from memory_chunk"
    ((small,),), before = raw.execute(count).fetchall(), interleave(ways)
    largest = filled[max(filled)]
    repeat(agent, raw, largest.owner, round(9 * small / len(largest.texts)))
    ((large,),), after = raw.execute(count).fetchall(), interleave(ways)
    slower = statistics.median(after["yardstick"]) / statistics.median(before["yardstick"])
    for name in list(ways)[:-1]:
        show(f"owner of {name}, store of {small:,} chunks", before[name])
        expected = [time * slower for time in before[name]]
        show(f"  the same, {large:,} chunks", after[name], expected, "≤ 1.3")


def context(agent: Agent) -> None:
    """Time the building of a prompt for the owner of 10,000 chunks."""
    client = _client(agent)
    session = open_session(agent=agent, user="owner-10000").session
    said = [
        draft_of({"role": "user", "content": f"w{n} w{n + 7} w{n + 50} was it?"}) for n in range(50)
    ]
    accept_events(agent=agent, session=session, drafts=said)

    def build(n: int) -> None:
        answer = client.post(f"/api/v1/sessions/{session.pk}/context", {}, format="json")
        assert answer.status_code == 200

    found = interleave({"build": build})["build"]
    show("/context in process, owner of 10,000 chunks", found, None, "p95 ≤ 50 ms")


def _service(filled: Filled, asked: Asked) -> None:
    run(
        owner=filled.owner,
        question=asked.question,
        limit=10,
        filters=Filters(),
        profile=CALIBRATED,
    )


def _client(agent: Agent) -> APIClient:
    client = APIClient()
    key = issue_key(organization=agent.organization, agent=agent, actor="bench").text
    client.credentials(HTTP_AUTHORIZATION=f"Bearer {key}")
    return client
