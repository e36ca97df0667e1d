"""The search as one SQL statement: both arms, their fusion, the context and the rows.

Each part is a common table expression; the reference in tests computes the same in plain Python.
Constants are written as float8: a bare `1.2` is numeric in SQL and makes the whole twice as slow.
"""

from functools import cache

from recall.search.messages import clauses
from recall.search.messages.clauses import Arm
from recall.search.ranking_profiles import Fusion, RankingProfile

# Terms in more than this share of an owner's chunks, and more than this many, are scored last.
FREQUENT_SHARE = 0.05
FREQUENT_CHUNKS = 500
# Of so many passages, evenly spaced, the cosines say what is usual for a question.
BACKGROUND = 128
# So many passages on, a block's last passage is looked for no more.
LONGEST_BLOCK = 8
# Beyond so many scales a time is zero to any ranking, and too small for floats of the server.
FAR = 100.0
# So many facts are asked which events they were learned from.
FACTS = 20


def number(value: float) -> str:
    return f"'{value:g}'::float8"


@cache
def statement(
    profile: RankingProfile,
    arm: Arm,
    *,
    is_filtered: bool = False,
    is_large: bool = False,
    is_dated: bool = False,
    dimension: int = 0,
    owner: int = 0,
    space: int = 0,
) -> str:
    """Return the search for a profile and an arm, with named parameters.

    Parameters: owner, space, vector, terms (term ids), query (folded), candidates (of each arm), limit;
    session, since, until, as_of, speaker when `is_filtered`; begins, ends, scales (seconds), weights when `is_dated`.
    `is_large` is for owners in whom a term may be frequent. A graph is found by literal `owner` and
    `space`, which are integers of our own.
    """
    has_vector = arm is not Arm.NONE
    text = "with " + "".join(
        (
            clauses.ALLOWED if is_filtered else "",
            "" if profile.keeps_details else clauses.DETAILS,
            clauses.STATISTICS,
            clauses.MAX_SCORE if is_large else clauses.EVERY,
            clauses.DENSE[arm],
            clauses.BACKGROUND_OF[has_vector],
            clauses.LEARNED[has_vector and profile.learned > 0],
            clauses.COMPLETED[has_vector],
            clauses.CALIBRATED if profile.fusion is Fusion.CALIBRATED else clauses.RECIPROCAL_RANK,
            clauses.CONTEXT,
            clauses.ROWS,
        )
    )
    # The parts stand in parts: what holds names is filled in before what it names.
    for values in (
        {
            "time_of_chunk": clauses.TIME[is_dated],
            "placed": clauses.PLACED,
            "chunk_is_of_a_model": clauses.IS_OF_A_MODEL.replace("{row}", "chunk"),
            "block_is_of_a_model": clauses.IS_OF_A_MODEL.replace("{row}", "surrounded"),
        },
        _completions(has_vector, is_large),
        _allowed(is_filtered),
        {"embedded": "" if profile.keeps_details else "and document not in (table details)"},
        _weights(profile),
        {"dimension": f"{dimension:d}", "owner": f"{owner:d}", "space": f"{space:d}"},
        _constants(profile),
    ):
        for name, value in values.items():
            text = text.replace("{" + name + "}", value)
    return text


def _completions(has_vector: bool, is_large: bool) -> dict[str, str]:
    """Return what completes a chunk in the arm that did not find it."""
    rest = f"({clauses.REST.strip()})"
    words = f"coalesce(known.score, 0) + coalesce({rest}, 0)" if is_large else "known.score"
    return {
        "rest_of_known": clauses.REST.replace("{of}", "known.document"),
        "words_of_candidate": f"({words.replace('{of}', 'c.document')})",
        "words_of_answer": f"({words.replace('{of}', 'chunk.number')})",
        "cosine_of_answer": clauses.COSINE_OF[has_vector],
    }


def _constants(profile: RankingProfile) -> dict[str, str]:
    values = {
        "zero": 0.0,
        "half": 0.5,
        "one": 1.0,
        "far": FAR,
        "k1_and_one": profile.bm25.k1 + 1,
        "frequent_share": FREQUENT_SHARE,
        "meaning": profile.meaning,
        "neighbours": profile.neighbours,
        "farther": profile.farther,
        "reply": profile.reply,
        "session": profile.session,
        "summary": profile.summary,
        "learned": profile.learned,
        "time": profile.time,
        "speaker": profile.speaker,
        "rrf_k": profile.rrf_k,
    }
    counts = {
        "frequent_chunks": FREQUENT_CHUNKS,
        "background": BACKGROUND,
        "longest_block": LONGEST_BLOCK,
        "facts": FACTS,
    }
    numbers = {name: number(value) for name, value in values.items()}
    return numbers | {name: f"{value:d}" for name, value in counts.items()}


def _weights(profile: RankingProfile) -> dict[str, str]:
    return {
        "weight": _weight(profile, "chunk_length"),
        "session_weight": _weight(profile, "session_length"),
    }


def _weight(profile: RankingProfile, average: str) -> str:
    k1, b = profile.bm25.k1, profile.bm25.b
    return clauses.WEIGHT.format(k1=number(k1), b=number(b), b_rest=number(1 - b), average=average)


def _allowed(is_filtered: bool) -> dict[str, str]:
    clause = "and {} in (select number from allowed)"
    columns = {
        "allowed_posting": "posting.document",
        "allowed_embedding": "memory_embedding.document",
        "allowed_chunk": "chunk.number",
    }
    return {name: clause.format(column) if is_filtered else "" for name, column in columns.items()}
