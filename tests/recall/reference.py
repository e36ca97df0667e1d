"""The calibrated formula in plain Python, over whole tables: what the one statement must equal."""

import math
import statistics
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from uuid import UUID

from pgvector import HalfVector

from knowledge.models import Arc, Fact
from memory.indexing import index_text
from memory.models import Chunk, Embedding, Event, OwnerIndex
from providers.base import Vector
from ranking.periods.closeness import closeness
from ranking.periods.period import Period
from ranking.tokens import fold, index_terms, query_terms
from recall.search.messages.statement import BACKGROUND, LONGEST_BLOCK
from recall.search.ranking_profiles import CALIBRATED, RankingProfile

ASKING = "?？؟"


@dataclass(frozen=True, slots=True)
class Candidate:
    """A passage that stands for its block."""

    chunk: Chunk
    words: float
    meaning: float
    score: float
    asks: bool
    is_of_a_model: bool


@dataclass(slots=True)
class Reference:
    """An owner with fewer chunks than there are candidates, and a question."""

    owner: int
    query: str
    vector: Vector | None
    profile: RankingProfile = CALIBRATED
    periods: Sequence[Period] = ()
    chunks: list[Chunk] = field(init=False)
    usual: float = field(init=False, default=0.0)
    coverage: float = field(init=False, default=0.0)

    def scores(self) -> dict[int, float]:
        """Return each block's score."""
        mine = Chunk.objects.filter(owner_id=self.owner, muted_by=None)
        self.chunks = list(mine.order_by("number"))
        counts = [Counter(index_terms(index_text(c), c.language)) for c in self.chunks]
        terms = query_terms(self.query, "english")
        words = _bm25(self.profile, counts, terms)
        cosines = self._cosines(Embedding.objects.filter(owner_id=self.owner))
        self._measure_background(cosines)
        learned, arcs = self._learned(), self._arcs()
        passages = [
            self._candidate(chunk, word, cosines.get(chunk.number))
            for chunk, word in zip(self.chunks, words, strict=True)
        ]
        blocks = self._blocks(passages, cosines, learned)
        summaries = _summaries(blocks)
        blocks = _without_summaries(blocks)
        sessions = _session_words(self.profile, self.chunks, counts, terms)
        return {
            block: self._total(one, blocks, sessions, arcs, summaries, learned)
            for block, one in blocks.items()
        }

    def _candidate(self, chunk: Chunk, words: float, cosine: float | None) -> Candidate:
        meaning = 0.0 if cosine is None else cosine - self.usual
        score = words + self.profile.meaning * self.coverage * meaning
        types = Event.objects.filter(
            session=chunk.session_id, lane=chunk.lane, seq=chunk.first_seq
        ).values_list("type", flat=True)
        asks = any(sign in chunk.text[-60:] for sign in ASKING)
        return Candidate(chunk, words, meaning, score, asks, "ModelOutput" in types)

    def _blocks(
        self,
        passages: list[Candidate],
        cosines: Mapping[int, float],
        learned: Mapping[int, float],
    ) -> dict[int, Candidate]:
        """Return the best passage of each block that is a candidate, and the answers to those."""
        best: dict[int, Candidate] = {}
        for one in passages:
            chunk = one.chunk
            is_candidate = one.words > 0 or chunk.number in cosines or chunk.block in learned
            known = best.get(chunk.block)
            if is_candidate and (known is None or one.score > known.score):
                best[chunk.block] = one
        answers: dict[int, Candidate] = {}
        for asking in best.values():
            later = next((p for p in passages if p.chunk.block > asking.chunk.block), None)
            if self.profile.reply and later is not None and _answers(asking, later):
                answers.setdefault(later.chunk.block, later)
        return answers | best

    def _total(
        self,
        one: Candidate,
        blocks: Mapping[int, Candidate],
        sessions: Mapping[UUID, float],
        arcs: Mapping[UUID, float],
        summaries: Mapping[UUID, float],
        learned: Mapping[int, float],
    ) -> float:
        chunk, profile = one.chunk, self.profile

        def beside(step: int) -> Candidate | None:
            other = blocks.get(chunk.block + step)
            return other if other and other.chunk.session_id == chunk.session_id else None

        def score(step: int) -> float:
            other = beside(step)
            return other.score if other else 0.0

        asking = beside(-1)
        is_reply = (
            asking is not None
            and asking.asks
            and asking.chunk.speaker != chunk.speaker
            and not one.is_of_a_model
            and profile.reply > 0
        )
        reply = score(-1) if is_reply else 0.0
        near = score(1) + (score(-1) - reply) + profile.farther * (score(2) + score(-2))
        named = chunk.speaker != "" and chunk.speaker.lower() in fold(self.query)
        times = [p.weight * closeness(p, chunk.occurred_at) for p in self.periods]
        return (
            one.score
            + profile.neighbours * near
            + profile.reply * reply
            + profile.session * sessions[chunk.session_id]
            + profile.summary
            * max(arcs.get(chunk.session_id, 0.0), summaries.get(chunk.session_id, 0.0))
            + profile.learned * learned.get(chunk.block, 0.0)
            + profile.time * max(times, default=0.0)
            + (profile.speaker if named else 0.0)
        )

    def _measure_background(self, cosines: Mapping[int, float]) -> None:
        index = OwnerIndex.objects.get(owner=self.owner)
        last = index.next_chunk - 1
        places = range(1, last + 1, max(last // BACKGROUND, 1))
        known = [cosines[place] for place in places if place in cosines]
        if known:
            self.usual = statistics.fmean(known) + statistics.pstdev(known)
            self.coverage = len(known) / len(places)

    def _cosines(self, rows) -> dict[int, float]:
        return {
            row.document: self._cosine(row.embedding) for row in rows if self.vector is not None
        }

    def _cosine(self, other) -> float:
        wanted = HalfVector(self.vector).to_list()
        other = other if isinstance(other, list) else other.to_list()
        dot = sum(a * b for a, b in zip(wanted, other, strict=True))
        return dot / (math.hypot(*wanted) * math.hypot(*other))

    def _learned(self) -> dict[int, float]:
        """Return by block how far the best fact that was learned from it exceeds the usual."""
        scores: dict[int, float] = {}
        facts = Fact.objects.active().filter(owner=self.owner, embedding__isnull=False)
        for fact in facts if self.coverage else ():
            score = self._cosine(fact.embedding) - self.usual
            for chunk in self.chunks:
                place = (chunk.session_id, chunk.first_seq, chunk.passage, chunk.lane)
                if score > 0 and place == (fact.source_session, fact.source_turn, 0, "edge"):
                    scores[chunk.block] = max(score, scores.get(chunk.block, 0.0))
        return scores

    def _arcs(self) -> dict[UUID, float]:
        arcs = Arc.objects.active().filter(owner=self.owner, embedding__isnull=False)
        known = arcs if self.coverage else ()
        return {arc.session: max(self._cosine(arc.embedding) - self.usual, 0.0) for arc in known}


def calibrated(
    owner: int,
    query: str,
    vector: Vector | None,
    profile: RankingProfile = CALIBRATED,
    periods: Sequence[Period] = (),
) -> dict[int, float]:
    """Return each block's score, for an owner with fewer chunks than there are candidates."""
    return Reference(owner, query, vector, profile, periods).scores()


def _summaries(blocks: Mapping[int, Candidate]) -> dict[UUID, float]:
    """Return by session how well its summary scores; a bad one is no evidence against it."""
    scores: dict[UUID, float] = {}
    for one in blocks.values():
        if one.chunk.tier == Chunk.Tier.LONG_TERM_SUMMARY:
            session = one.chunk.session_id
            scores[session] = max(one.score, scores.get(session, 0.0))
    return scores


def _without_summaries(blocks: Mapping[int, Candidate]) -> dict[int, Candidate]:
    """Leave out summaries of sessions of which something else was found."""
    is_summary = {b: c.chunk.tier == Chunk.Tier.LONG_TERM_SUMMARY for b, c in blocks.items()}
    others = {one.chunk.session_id for block, one in blocks.items() if not is_summary[block]}
    return {
        block: one
        for block, one in blocks.items()
        if not is_summary[block] or one.chunk.session_id not in others
    }


def _answers(asking: Candidate, later: Candidate) -> bool:
    one, other = asking.chunk, later.chunk
    return (
        asking.asks
        and other.number <= one.number + LONGEST_BLOCK
        and other.block == one.block + 1
        and other.session_id == one.session_id
        and other.speaker != one.speaker
        and not later.is_of_a_model
    )


def _bm25(profile: RankingProfile, documents: list[Counter[str]], terms: list[str]) -> list[float]:
    bm25 = profile.bm25
    containing = {t: sum(t in document for document in documents) for t in terms}
    idfs = {t: bm25.idf(len(documents), df) for t, df in containing.items() if df}
    average = sum(document.total() for document in documents) / len(documents)
    ceiling = bm25.ceiling(idfs.values())
    return [
        sum(idf * bm25.weight(d[t], d.total(), average) for t, idf in idfs.items() if t in d)
        / (ceiling or 1)
        for d in documents
    ]


def _session_words(
    profile: RankingProfile, chunks: list[Chunk], counts: list[Counter[str]], terms: list[str]
) -> dict[UUID, float]:
    whole: dict[UUID, Counter[str]] = defaultdict(Counter)
    for chunk, count in zip(chunks, counts, strict=True):
        whole[chunk.session_id].update(count)
    return dict(zip(whole, _bm25(profile, list(whole.values()), terms), strict=True))
