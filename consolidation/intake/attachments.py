"""The text of attachments that a tool brought, found in later conversations as well.

A tool's result may carry `attachments` in its payload, each with `id`, `filename` and `text`.
"""

from collections.abc import Iterator, Sequence

from consolidation.embedding.context import keep_context
from consolidation.jobs.queue import Attempt, enqueue, holding
from knowledge.documents.context import NewDocument, cut
from knowledge.models import ContextDocument
from memory.models import Event, Session

KIND = "index_attachments"
NAME, LINK = 100, 255


def index_attachments(*, session: Session, stored: Sequence[Event]) -> None:
    """Make a job for each new event with attachments, in the caller's transaction."""
    for event in stored:
        if any(_documents(event)):
            enqueue(
                kind=KIND,
                key=str(event.pk),
                subject=f"attachments:{session.owner_id}",
                owner=session.owner_id,
            )


def run(run: Attempt) -> None:
    """Keep the passages of an event's attachments; an event that was erased has none."""
    event = Event.objects.filter(pk=run.key).select_related("session__owner__agent").first()
    if event is None:
        return
    passages = [passage for document in _documents(event) for passage in cut(document)]
    with holding(run):
        keep_context(owner=event.session.owner, documents=passages)


def _documents(event: Event) -> Iterator[NewDocument]:
    """Yield what a tool's result has attached, as far as it has words."""
    found = event.content.get("attachments")
    if event.type != Event.Type.TOOL_RESULT or not isinstance(found, list):
        return
    for one in found:
        text = one.get("text") if isinstance(one, dict) else None
        if isinstance(text, str) and text.strip():
            yield NewDocument(
                text,
                context_type=ContextDocument.ContextType.TOOL_ATTACHMENT_CONTENT,
                source=ContextDocument.Source.TOOL_EXTRACTED_CONTENT,
                tool_id=str(event.content.get("name") or "")[:NAME],
                message_id=event.reference,
                attachment_id=str(one.get("id") or "")[:LINK],
                filename=str(one.get("filename") or "")[:LINK],
            )
