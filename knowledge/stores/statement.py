"""The statement that reads what records are compared by: their words, and their cosines."""

from collections.abc import Sequence
from functools import cache
from uuid import UUID

from pgvector import HalfVector
from psycopg import Cursor

from accounts.models import Owner
from knowledge.store import Kind, Sought
from memory.vectors import driver
from ranking.hybrid import Comparable

# The same words as knowledge.wording has of a row that was read whole.
COLUMNS = {
    Kind.SEMANTIC: (
        "knowledge_fact",
        "concat_ws(' ', category, subject, predicate, object, evidence_quote)",
        "evidence_quote",
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
                             and not is_quarantined))
order by {newest} desc, id desc
"""


def read_comparables(
    owner: Owner, kind: Kind, newest: str, sought: Sought
) -> Sequence[tuple[UUID, Comparable]]:
    """Return what an owner's records are compared by, newest first, with their ids."""
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
    with Cursor(driver()) as cursor:
        cursor.execute(_statement(kind, newest), values, prepare=True, binary=True)
        return [(id, Comparable(words, main, cosine)) for id, words, main, cosine in cursor]


@cache
def _statement(kind: Kind, newest: str) -> str:
    table, words, main = COLUMNS[kind]
    cosine = "null::float8" if kind is Kind.PROCEDURAL else COSINE
    return READ.format(table=table, words=words, main=main, cosine=cosine, newest=newest)
