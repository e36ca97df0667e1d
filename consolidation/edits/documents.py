"""What a person does to a single text that is found by what it means: put their own in its place."""

from uuid import UUID

from django.db import transaction

from accounts.ids import new_id
from accounts.models import Owner
from audit.log import record
from consolidation.embedding.context import keep_context
from knowledge.changes.corrections import CORRECTED
from knowledge.documents.context import NewDocument
from knowledge.documents.items import document_as_json
from knowledge.errors import ContextForgotten, DocumentUnknown
from knowledge.items.rows import lock_memory
from knowledge.models import ChangeItem, Changeset, ContextDocument

Act = ChangeItem.Act


@transaction.atomic
def change_document(*, owner: Owner | None, id: UUID, content: str, actor: str) -> UUID:
    """Put a person's text in the place of a document; return its id, which is another with its text.

    So nothing newer is overwritten. Raises DocumentUnknown, ContextForgotten, or what
    put_documents raises.
    """
    row = _seen(owner, id)
    text = content.strip()
    if text == row.content:
        return row.pk
    document = NewDocument(
        text,
        context_type=row.context_type,
        source=ContextDocument.Source.USER_PROVIDED,
        tool_id=row.tool_id,
        connection=row.connection_id,
        message_id=row.message_id,
        attachment_id=row.attachment_id,
        filename=row.filename,
    )
    known = set(
        ContextDocument.objects.filter(owner=owner, content=text).values_list("pk", flat=True)
    )
    ids = keep_context(owner=owner, documents=[document])
    if not ids:
        raise ContextForgotten("the text was deleted for good once")
    _replace(row, ids[0], text, actor, is_new=ids[0] not in known)
    return ids[0]


def heir_of(owner: Owner, id: UUID) -> ContextDocument | None:
    """Return what took the place of a document that is gone; None where nothing did."""
    items = ChangeItem.objects.filter(changeset__owner=owner, kind=ChangeItem.Kind.DOCUMENT)
    item = items.filter(before__id=str(id), state=ChangeItem.State.APPLIED).order_by("-pk").first()
    if item is None or item.target is None:
        return None
    return ContextDocument.objects.filter(owner=owner, pk=item.target).first()


def _seen(owner: Owner | None, id: UUID) -> ContextDocument:
    if owner is not None:
        lock_memory(owner)
        row = ContextDocument.objects.filter(owner=owner, pk=id).defer("embedding").first()
        if row:
            return row
    raise DocumentUnknown("no such document")


def _replace(row: ContextDocument, heir: UUID, text: str, actor: str, *, is_new: bool) -> None:
    """Delete a document and keep it in a changeset, from which it comes back."""
    person = Changeset.Origin.PERSON
    made = Changeset.objects.create(
        owner=row.owner, origin=person, actor=actor, run_key=f"{Act.EDIT}:{new_id()}"
    )
    ChangeItem.objects.create(
        changeset=made,
        place=0,
        kind=ChangeItem.Kind.DOCUMENT,
        # What was there before stays when this is taken back.
        act=Act.EDIT if is_new else Act.RETIRE,
        target=heir if is_new else row.pk,
        before=document_as_json(row),
        after={"content": text} if is_new else None,
        code=CORRECTED,
        decided_by=actor,
    )
    record(actor=actor, action="context.edit", subject=str(heir))
    row.delete()
