"""The word index: which terms stand in which document, and in how many documents a term stands."""

from collections import Counter
from collections.abc import Iterable, Sequence

from django.db import connection
from psycopg import Cursor

from memory.models import OwnerIndex
from memory.models.document import Unit
from ranking.tokens import index_terms, term_id

SMALLINT = 32_767
COPY = "copy memory_posting (owner_id, unit, term, document, count, length) from stdin"
# Sorted, so that two writers take the rows in one order.
COUNT = """
insert into memory_term (owner_id, unit, term, documents)
select %s, %s, term, documents from unnest(%s::int[], %s::int[]) as new (term, documents)
order by term
on conflict (owner_id, unit, term)
do update set documents = memory_term.documents + excluded.documents
"""
REMOVE = """
delete from memory_posting where owner_id = %s and unit = %s and document = any(%s)
returning document, term, length
"""
DISCOUNT = """
update memory_term known set documents = known.documents - gone.documents
from unnest(%s::int[], %s::int[]) as gone (term, documents)
where known.owner_id = %s and known.unit = %s and known.term = gone.term
"""
FORGET = """
delete from memory_term
where owner_id = %s and unit = %s and term = any(%s) and documents <= 0
"""

Terms = Counter[int]


def lock_index(owner: int) -> OwnerIndex:
    """Return the row under whose lock an owner's index changes, in the caller's transaction."""
    OwnerIndex.objects.bulk_create([OwnerIndex(owner_id=owner)], ignore_conflicts=True)
    return OwnerIndex.objects.select_for_update().get(owner_id=owner)


def count_terms(text: str, language: str) -> Terms:
    """Return how often each term stands in a text."""
    return Counter(term_id(term) for term in index_terms(text, language))


def post(owner: int, unit: Unit, documents: Iterable[tuple[int, Terms]]) -> None:
    """Add documents, each a number and its terms, under the owner's lock."""
    seen: Terms = Counter()
    connection.ensure_connection()
    with Cursor(connection.connection) as cursor:
        with cursor.copy(COPY) as copy:
            for document, terms in documents:
                length = terms.total()
                seen.update(terms.keys())
                for term, count in terms.items():
                    copy.write_row((owner, int(unit), term, document, min(count, SMALLINT), length))
        cursor.execute(COUNT, (owner, int(unit), list(seen), list(seen.values())))


def unpost(owner: int, unit: Unit, documents: Sequence[int]) -> int:
    """Take documents out, under the owner's lock; return how many terms they held together.

    Removed is what the index holds and not what their texts would give today: the way a text
    becomes terms may have changed since.
    """
    with connection.cursor() as cursor:
        cursor.execute(REMOVE, (owner, int(unit), list(documents)))
        rows = cursor.fetchall()
        gone = Counter(term for _, term, _ in rows)
        cursor.execute(DISCOUNT, (list(gone), list(gone.values()), owner, int(unit)))
        cursor.execute(FORGET, (owner, int(unit), list(gone)))
    return sum({document: length for document, _, length in rows}.values())
