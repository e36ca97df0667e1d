"""The search as one SQL statement: both arms, their fusion, the context and the rows.

Each part is a common table expression; the reference in tests computes the same in plain Python.
Constants are written as float8: a bare `1.2` is numeric in SQL and makes the whole twice as slow.
"""

from enum import Enum
from functools import cache

from recall.profiles import Fusion, Profile

# Terms in more than this share of an owner's chunks, and more than this many, are scored last.
FREQUENT_SHARE = 0.05
FREQUENT_CHUNKS = 500


class Arm(Enum):
    """How vectors are searched."""

    NONE = "none"
    EXACT = "exact"
    SIGNS = "signs"
    GRAPH = "graph"


def number(value: float) -> str:
    return f"'{value:g}'::float8"


# What a caller may ask of each chunk and its session.
FILTERS = """
  and (%(session)s::uuid is null or chunk.session_id = %(session)s)
  and (%(since)s::timestamptz is null or chunk.occurred_at >= %(since)s)
  and (%(until)s::timestamptz is null or chunk.occurred_at < %(until)s)
  and (%(as_of)s::timestamptz is null or session.ended_at <= %(as_of)s)
  and (%(speaker)s::text is null or lower(chunk.speaker) = lower(%(speaker)s))
"""
# `allowed` is present only when the caller filters: the arms then see nothing else.
ALLOWED = f"""
allowed as materialized (
  select chunk.number from memory_chunk chunk join memory_session session on session.id = chunk.session_id
  where chunk.owner_id = %(owner)s {FILTERS}
),
"""  # noqa: S608 - literals
STATISTICS = """
sizes as (
  select chunks::float8 chunks, greatest(chunk_terms::float8 / greatest(chunks, 1), 1) chunk_length,
         sessions::float8 sessions,
         greatest(session_terms::float8 / greatest(sessions, 1), 1) session_length
  from memory_ownerindex where owner_id = %(owner)s
),
terms as materialized (
  select term, ln({one} + (chunks - documents + {half}) / (documents + {half})) * {k1_and_one} idf,
         chunk_length, documents > {frequent_chunks} and documents > {frequent_share} * chunks frequent
  from memory_term, sizes
  where owner_id = %(owner)s and unit = 0 and term = any(%(terms)s)
),
bounds as materialized (
  select coalesce(sum(idf), 0) ceiling, coalesce(sum(idf) filter (where frequent), 0) reach from terms
),
"""
# MaxScore: frequent terms only complete the chunks that rarer terms already put within reach of
# the last candidate's score. Where the rarer ones cannot prove that score, everything is scored.
LEXICAL = """
rare as materialized (
  select posting.document, sum({weight}) score
  from terms join memory_posting posting
    on posting.owner_id = %(owner)s and posting.unit = 0 and posting.term = terms.term
  where not frequent {allowed_posting} group by posting.document
),
bar as materialized (
  select coalesce((select score from rare order by score desc offset {candidates} - 1 limit 1), 0) score
),
proven as materialized (select bar.score >= bounds.reach yes from bar, bounds),
known as materialized (
  select document, score from rare where (select yes from proven)
  union all
  select posting.document, sum({weight})
  from terms join memory_posting posting
    on posting.owner_id = %(owner)s and posting.unit = 0 and posting.term = terms.term
  where not (select yes from proven) {allowed_posting} group by posting.document
),
lexical as materialized (
  select known.document, known.score + coalesce(({rest}), 0) score
  from known, bar, bounds
  where not (select yes from proven) or known.score >= bar.score - bounds.reach
  order by 2 desc, 1 limit {candidates}
),
"""
REST = """
select sum({weight}) from terms join memory_posting posting
  on posting.owner_id = %(owner)s and posting.unit = 0 and posting.term = terms.term
  and posting.document = {of}
where frequent and (select yes from proven)
"""
DENSE = {
    Arm.NONE: "dense as (select 0 document, {zero} score where false),",
    Arm.EXACT: """
dense as materialized (
  select document, {one} - distance score from (
    select document, embedding <=> %(vector)s distance from memory_embedding
    where owner_id = %(owner)s and space_id = %(space)s and bits is null {allowed_embedding}
    offset 0
  ) measured order by distance limit {candidates}
),
""",
    Arm.SIGNS: """
near as materialized (
  select document from memory_embedding
  where owner_id = %(owner)s and space_id = %(space)s and bits is not null {allowed_embedding}
  order by bits::bit({dimension}) <~> (select binary_quantize(%(vector)s::halfvec({dimension})))
  limit {candidates}
),
dense as materialized (
  select near.document, {one} - (embedding <=> %(vector)s) score
  from near join memory_embedding found
    on found.owner_id = %(owner)s and found.space_id = %(space)s and found.document = near.document
),
""",
    Arm.GRAPH: """
dense as materialized (
  select document, {one} - (embedding::halfvec({dimension}) <=> %(vector)s::halfvec({dimension})) score
  from memory_embedding
  where owner_id = {owner} and space_id = {space} {allowed_embedding}
  order by embedding::halfvec({dimension}) <=> %(vector)s::halfvec({dimension}) limit {candidates}
),
""",
}
# A candidate of one arm gets its score in the other as well: half a score would rank it too low.
CALIBRATED = """
candidates as (select document from lexical union select document from dense),
fused as materialized (
  select c.document,
         coalesce(coalesce(lexical.score, known.score + coalesce(({rest}), 0), ({rest}))
                  / nullif(bounds.ceiling, 0), 0) words,
         {completed} meaning
  from candidates c cross join bounds
  left join lexical using (document) left join known using (document)
  left join dense using (document)
),
scored as materialized (
  select document, words, meaning, words + {cosine} * meaning score from fused
),
"""
RECIPROCAL_RANK = """
scored as materialized (
  select document, sum(words) words, sum(meaning) meaning, sum(part) score from (
    select document, score / nullif(bounds.ceiling, 0) words, {zero} meaning,
           {one} / ({rrf_k} + row_number() over (order by score desc, document)) part
    from lexical, bounds
    union all
    select document, {zero}, score,
           {cosine} / ({rrf_k} + row_number() over (order by score desc, document)) from dense
  ) arms group by document
),
"""
COMPLETED = {
    True: """coalesce(dense.score, (
           select {one} - (found.embedding <=> %(vector)s) from memory_embedding found
           where found.owner_id = %(owner)s and found.space_id = %(space)s
             and found.document = c.document), 0)""",
    False: "{zero}",
}
CONTEXT = """
session_terms as materialized (
  select term, ln({one} + (sessions - documents + {half}) / (documents + {half})) * {k1_and_one} idf,
         session_length
  from memory_term, sizes
  where owner_id = %(owner)s and unit = 1 and term = any(%(terms)s)
),
placed as materialized (
  select scored.*, chunk.id, chunk.session_id, chunk.block,
         chunk.speaker <> '' and strpos(%(query)s, lower(chunk.speaker)) > 0 named
  from scored join memory_chunk chunk
    on chunk.owner_id = %(owner)s and chunk.number = scored.document
  where chunk.muted_by is null
),
sessions as materialized (
  select session.id session_id, sum({session_weight}) / (select sum(idf) from session_terms) score
  from session_terms terms join memory_posting posting
    on posting.owner_id = %(owner)s and posting.unit = 1 and posting.term = terms.term
  join memory_session session
    on session.owner_id = %(owner)s and session.number = posting.document
  group by session.id
),
blocks as materialized (
  select distinct on (block) * from placed order by block, score desc, document
),
surrounded as (
  select blocks.*,
         coalesce(sum(score) over (by_place range between 1 preceding and 1 following
                                   exclude current row), 0) next_to,
         coalesce(sum(score) over (by_place range between 2 preceding and 2 following
                                   exclude current row), 0) within_two
  from blocks window by_place as (partition by session_id order by block)
),
ranked as (
  select surrounded.*, next_to + {farther} * (within_two - next_to) neighbours,
         coalesce(sessions.score, 0) session_words
  from surrounded left join sessions using (session_id)
),
best as (
  select *, score + {neighbours} * neighbours + {session} * session_words
         + case when named then {speaker} else {zero} end total
  from ranked order by total desc, document limit %(limit)s
)
"""
ROWS = """
select chunk.id, chunk.session_id, chunk.lane, chunk.first_seq, chunk.last_seq, chunk.block, chunk.text,
       chunk.tokens, chunk.speaker, chunk.occurred_at, chunk.tier, chunk.embedding_state = 'done',
       best.total, best.words, best.meaning, best.neighbours, best.session_words, best.named,
       array(select event.id from memory_event event
             where event.session_id = chunk.session_id and event.lane = chunk.lane
               and event.seq between chunk.first_seq and chunk.last_seq order by event.seq)
from best join memory_chunk chunk on chunk.id = best.id
order by best.total desc, best.document
"""
WEIGHT = (
    "idf * posting.count / (posting.count + {k1} * ({b_rest} + {b} * posting.length / {average}))"
)


@cache
def statement(
    profile: Profile,
    arm: Arm,
    *,
    is_filtered: bool = False,
    dimension: int = 0,
    owner: int = 0,
    space: int = 0,
) -> str:
    """Return the search for a profile and an arm, with named parameters.

    Parameters: owner, space, vector, terms (term ids), query (folded), limit; and session, since,
    until, as_of, speaker when `is_filtered`. A graph is found by literal `owner` and `space`, which
    are integers of our own.
    """
    parts = [
        ALLOWED if is_filtered else "",
        STATISTICS,
        LEXICAL,
        DENSE[arm],
        CALIBRATED if profile.fusion is Fusion.CALIBRATED else RECIPROCAL_RANK,
        CONTEXT,
        ROWS,
    ]
    # A REST stands in a part, and a weight in both: values that hold names are filled in first.
    text = "with " + "".join(parts)
    text = text.replace("({rest})", "(" + REST.format(weight="{weight}", of="{of}") + ")")
    text = _per_part(text)
    values = {
        **_values(profile),
        **_names(is_filtered),
        "completed": COMPLETED[arm is not Arm.NONE],
    }
    integers = {"dimension": f"{dimension:d}", "owner": f"{owner:d}", "space": f"{space:d}"}
    text = text.replace("{completed}", values.pop("completed"))
    for name, value in {**values, **integers}.items():
        text = text.replace("{" + name + "}", value)
    return text


def _per_part(text: str) -> str:
    """Name the document that each completion is for: `known` in the one arm, the candidate after."""
    head, _, tail = text.partition("fused as")
    return (
        head.replace("{of}", "known.document")
        + ("fused as" if tail else "")
        + tail.replace("{of}", "c.document")
    )


def _values(profile: Profile) -> dict[str, str]:
    constants = {
        "zero": 0.0,
        "half": 0.5,
        "one": 1.0,
        "k1_and_one": profile.bm25.k1 + 1,
        "frequent_share": FREQUENT_SHARE,
        "cosine": profile.cosine,
        "neighbours": profile.neighbours,
        "farther": profile.farther,
        "session": profile.session,
        "speaker": profile.speaker,
        "rrf_k": profile.rrf_k,
    }
    found = {name: number(value) for name, value in constants.items()}
    found["weight"] = _weight(profile, "chunk_length")
    found["session_weight"] = _weight(profile, "session_length")
    found["candidates"] = f"{profile.candidates:d}"
    found["frequent_chunks"] = f"{FREQUENT_CHUNKS:d}"
    return found


def _weight(profile: Profile, average: str) -> str:
    k1, b = profile.bm25.k1, profile.bm25.b
    return WEIGHT.format(k1=number(k1), b=number(b), b_rest=number(1 - b), average=average)


def _names(is_filtered: bool) -> dict[str, str]:
    clause = "and {}.document in (select number from allowed)"
    return {
        "allowed_posting": clause.format("posting") if is_filtered else "",
        "allowed_embedding": clause.format("memory_embedding") if is_filtered else "",
    }
