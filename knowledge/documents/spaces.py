"""The documents in a space that is built beside the current one."""

from django.db import connection
from psycopg import Cursor

from knowledge.documents.vectors import Found, rows
from knowledge.models import KnowledgeDocument
from memory.models import EmbeddingSpace
from memory.spaces import Lack, Place
from memory.vectors import driver

LACKING = """
knowledge_knowledgedocument document where not exists (
  select from knowledge_knowledgeembedding found
  where found.owner_id = document.owner_id and found.space_id = %(space)s
    and found.document = document.number
)"""
COUNT = f"""
select count(*), coalesce(sum(tokens), 0) from (select tokens from {LACKING} limit %(most)s) lacking
"""  # noqa: S608 - literals
NEXT = f"""
select id, owner_id, number, key, content, version from {LACKING}
and (owner_id, number) > (%(owner)s, %(number)s) order by owner_id, number limit %(limit)s
"""  # noqa: S608 - literals
# Locked: one that is being changed or deleted is waited for, and then gets none.
ADD = """
insert into knowledge_knowledgeembedding (owner_id, space_id, document, embedding)
select owner_id, %(space)s, number, %(vector)s from knowledge_knowledgedocument
where id = %(document)s and version = %(version)s for share
on conflict do nothing
"""
SETTLE = """
update knowledge_knowledgedocument document
set embedding_state = case when embedding_state = 'done' then 'pending' else 'done' end,
    embedding_attempts = 0
where (document.embedding_state = 'done') <> exists (
  select from knowledge_knowledgeembedding found
  where found.owner_id = document.owner_id and found.space_id = %(space)s
    and found.document = document.number
)"""


def lack_of_documents(space: EmbeddingSpace | None, *, most: int | None = None) -> Lack:
    """Return what a space lacks of documents, up to `most`; without one, what a new one would."""
    with connection.cursor() as cursor:
        cursor.execute(COUNT, {"space": space.pk if space else 0, "most": most})
        texts, tokens = cursor.fetchone()
    return Lack(texts, int(tokens))


def next_lacking_documents(
    space: EmbeddingSpace, *, after: Place, limit: int
) -> list[KnowledgeDocument]:
    """Return the next documents, by owner and number, that have no vector in a space."""
    values = {"space": space.pk, "owner": after[0], "number": after[1], "limit": limit}
    return list(KnowledgeDocument.objects.raw(NEXT, values))


def add_document_vectors(*, space: EmbeddingSpace, found: Found) -> int:
    """Write vectors to a space that is not searched, in the caller's transaction; return how many."""
    with Cursor(driver()) as cursor:
        cursor.executemany(ADD, rows(space, found))
        return max(cursor.rowcount, 0)


def settle_documents(space: EmbeddingSpace) -> int:
    """Say of each document whether the space has its vector; return how many wait for one."""
    with connection.cursor() as cursor:
        cursor.execute(SETTLE, {"space": space.pk})
    return KnowledgeDocument.objects.waiting_for_a_vector().count()
