"""The statement that reads what records are compared by: their words, and their cosines."""

from collections.abc import Sequence
from functools import cache
from uuid import UUID

from pgvector import HalfVector
from psycopg import Cursor

from accounts.models import Owner
from knowledge.stores.base import Kind, StoreQuery
from memory.vectors import driver
from ranking.hybrid import LEAST_COSINE, Comparable
from ranking.tokens import meaningful

# The same words as knowledge.items.text has of a row that was read whole.
COLUMNS = {
    Kind.SEMANTIC: (
        "knowledge_fact",
        "concat_ws(' ', category, subject, predicate, object, evidence_quote, nullif(statement, ''))",
        "coalesce(nullif(statement, ''), evidence_quote)",
    ),
    Kind.EPISODIC: (
        "knowledge_arc",
        "concat_ws(' ', summary, array_to_string(themes || open_loops || resolved_threads, ' '))",
        "summary",
    ),
    Kind.PROCEDURAL: (
        "knowledge_rule",
        "concat_ws(' ', text, array_to_string(evidence, ' '))",
        "concat_ws(' ', text, array_to_string(evidence, ' '))",
    ),
}
# A vector is compared only in the space that the question's is in, so that its dimension fits.
COSINE = """
case when %(vector)s::halfvec is not null and embedding is not null and space_id = (
  select id from memory_embeddingspace
  where model || '@' || version = %(model)s and dimension = %(dimension)s
) then 1 - (embedding <=> %(vector)s::halfvec) end
"""
READ = """
select id, {words}, {main}, {cosine} from {table}
where owner_id = %(owner)s and ({newest} >= %(since)s or %(since)s::timestamptz is null)
  and (%(with_inactive)s or (user_visible and dormant_at is null and superseded_by = ''
                             and not is_quarantined)) {those}
order by {newest} desc, id desc
"""
# No other record can be a hit: it has none of the question's words, and no meaning near to it.
THOSE = """
and id in (
  select id from {table} where {parts} @@ accounts_holding_any(%(owner)s, %(tokens)s::text[])
  union all
  select id from {table}
  where owner_id = %(owner)s and embedding is not null and %(vector)s::halfvec is not null
    and ({cosine}) >= %(least)s
)
"""
PARTS = {
    Kind.SEMANTIC: "accounts_parts(owner_id, object, subject, predicate, evidence_quote, category)",
    Kind.EPISODIC: "accounts_parts(owner_id, summary, accounts_joined(themes), "
    "accounts_joined(open_loops), accounts_joined(resolved_threads))",
}
# Half a digit below what is compared after rounding.
NEAR = LEAST_COSINE - 0.0001


def read_comparables(
    owner: Owner, kind: Kind, newest: str, sought: StoreQuery
) -> Sequence[tuple[UUID, Comparable]]:
    """Return what an owner's records are compared by, newest first, with their ids.

    Among many those are left out that no comparison would find.
    """
    vector = sought.vector
    values: dict[str, object] = {
        "owner": owner.pk,
        "since": sought.since,
        "with_inactive": sought.with_inactive,
    }
    if kind is not Kind.PROCEDURAL:
        values |= {
            "vector": None if vector is None else HalfVector(vector),
            "model": sought.embedding_model,
            "dimension": 0 if vector is None else len(vector),
        }
    is_narrow = sought.among_many and kind in PARTS
    if is_narrow:
        values |= {"tokens": sorted(set(meaningful(sought.text))), "least": NEAR}
    with Cursor(driver()) as cursor:
        cursor.execute(_statement(kind, newest, is_narrow), values, prepare=True, binary=True)
        return [(id, Comparable(words, main, cosine)) for id, words, main, cosine in cursor]


@cache
def _statement(kind: Kind, newest: str, is_narrow: bool) -> str:
    table, words, main = COLUMNS[kind]
    cosine = "null::float8" if kind is Kind.PROCEDURAL else COSINE
    those = THOSE.format(table=table, parts=PARTS[kind], cosine=cosine) if is_narrow else ""
    return READ.format(
        table=table, words=words, main=main, cosine=cosine, newest=newest, those=those
    )
