"""Record what should come, and take it out of the set again."""

from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID

from django.db import transaction

from accounts.errors import ErasureUnderWay
from accounts.idempotency import fingerprint, once
from accounts.models import Owner
from accounts.owners import scope_of
from accounts.scope import Scope
from audit.log import record
from memory.hashing import canonical
from recall.errors import ExpectedUnknown, GoldenUnfit, GoldenUnknown
from recall.golden.expecting import events_of
from recall.models import GoldenQuestion, Receipt
from recall.receipts.items import SESSIONS, read_items

QUERY_CHARACTERS = 4_000
NOTE_CHARACTERS = 500
MOST_EXPECTED = 50
# So many results of a receipt should come, unless some are named.
FIRST = 5


@dataclass(frozen=True, slots=True)
class RecordedQuestion:
    """A golden question; not new where what should come of a known one was replaced."""

    question: GoldenQuestion
    is_new: bool


def keep_question(
    *,
    owner: Owner,
    query: str,
    expected: Sequence[UUID],
    actor: str,
    note: str = "",
    receipt: Receipt | None = None,
    request_key: str | None = None,
) -> RecordedQuestion:
    """Record what should come of a question; of one that is known it replaces what was expected.

    `expected` are ids of results from sessions or of events. A repetition of `request_key` changes
    nothing. Raises GoldenUnfit, ExpectedUnknown, ErasureUnderWay, GoldenUnknown where the question
    of a repetition was dropped since, or IdempotencyConflict.
    """
    events = events_of(owner, expected)
    unknown = [one for one in expected if one not in events]
    if unknown:
        raise ExpectedUnknown(f"{unknown[0]} cannot be expected", detail={"id": str(unknown[0])})
    ids = list(dict.fromkeys(event for one in expected for event in events[one]))
    _check(query, ids, note)
    fields = {"expected": ids, "note": note, "actor": actor, "receipt": receipt}
    digest = fingerprint(canonical(["golden", owner.pk, query, [str(one) for one in ids], note]))
    written: list[RecordedQuestion] = []

    def write() -> list[UUID]:
        question, is_new = GoldenQuestion.objects.update_or_create(
            owner=owner, query=query, defaults=fields
        )
        record(actor=actor, action="golden.keep", subject=f"{owner.pk}/{question.pk}")
        written.append(RecordedQuestion(question, is_new))
        return [question.pk]

    with transaction.atomic():
        _hold(owner)
        ids, is_repeated = once(agent=owner.agent, key=request_key, request=digest, write=write)
    if is_repeated:
        return RecordedQuestion(
            find_question(scope_of(owner.agent, owner=owner.pk), ids[0]), is_new=False
        )
    return written[0]


def keep_receipt(
    *,
    receipt: Receipt,
    actor: str,
    expected: Sequence[UUID] | None = None,
    note: str = "",
    request_key: str | None = None,
) -> RecordedQuestion:
    """Record of a receipt's question that these results should come; None are its first five.

    The owner and agent must be loaded. Raises what keep_question raises.
    """
    owner = receipt.owner
    if expected is None:
        first = passages_of(receipt)[:FIRST]
        known = events_of(owner, first)
        expected = [one for one in first if one in known]
    return keep_question(
        owner=owner,
        query=receipt.query,
        expected=expected,
        actor=actor,
        note=note,
        receipt=receipt,
        request_key=request_key,
    )


def passages_of(receipt: Receipt) -> list[UUID]:
    """Return the results from sessions that a receipt held, best first."""
    if receipt.kind == Receipt.Kind.SYNTHESIS:
        return []
    return [UUID(item.id) for item in read_items(receipt.items) if item.store == SESSIONS]


def find_question(scope: Scope, id: UUID) -> GoldenQuestion:
    """Return a question that the scope may read. Raises GoldenUnknown."""
    found = GoldenQuestion.objects.within(scope).filter(pk=id).first()
    if found is None:
        raise GoldenUnknown("no such golden question")
    return found


@transaction.atomic
def drop_question(*, question: GoldenQuestion, actor: str) -> None:
    """Take a question out of the set."""
    subject = f"{question.owner_id}/{question.pk}"
    question.delete()
    record(actor=actor, action="golden.drop", subject=subject)


def _check(query: str, expected: Sequence[UUID], note: str) -> None:
    if not query.strip():
        raise GoldenUnfit("no question was asked here")
    if len(query) > QUERY_CHARACTERS:
        raise GoldenUnfit(f"the question has {len(query)} characters")
    if not expected:
        raise GoldenUnfit("no passage of a session is left that should come")
    if len(expected) > MOST_EXPECTED:
        raise GoldenUnfit(f"{len(expected)} events should come")
    if len(note) > NOTE_CHARACTERS or "\0" in note:
        raise GoldenUnfit(f"a note is text of at most {NOTE_CHARACTERS} characters")


def _hold(owner: Owner) -> None:
    """Let two who record for an owner take their turns. Raises ErasureUnderWay."""
    held = Owner.objects.select_for_update(no_key=True).filter(pk=owner.pk, erasure=None)
    if not held.exists():
        raise ErasureUnderWay("what is known of the person is being deleted")
