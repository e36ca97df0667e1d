"""Context documents: facts, attachments and tool outputs of a user, found by what they mean."""

from uuid import UUID

from drf_spectacular.utils import extend_schema
from rest_framework import serializers, status
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from accounts.models import Agent, Owner
from accounts.owners import resolve_owner
from api.authentication import caller_of
from api.pagination import page
from api.v1.fields import Body, IdPage, Number, Text
from api.v1.whose import WHOSE, WhoseIn, owner_in_query, owner_named
from consolidation.edits.documents import change_document
from consolidation.edits.own import forget_document
from consolidation.embedding.context import store_context
from knowledge.documents.context import CONTENT_BYTES, NewDocument, metadata_of_row
from knowledge.models import ContextDocument
from recall.search.context import LIMIT, Retrieved, retrieve

CHARACTERS = 1_048_576
QUERY_CHARACTERS = 1_000
MOST_CONNECTIONS = 200
TYPES = ContextDocument.ContextType.choices
# The longest that each link has room for.
NAME, LINK = 100, 255


class DocumentQueryIn(WhoseIn):
    """A text of a `user`, or of whoever a `session` belongs to, and where it is from.

    The text of an attachment is cut into passages, each a document of its own.
    """

    content = Text(max_length=CHARACTERS)
    context_type = serializers.ChoiceField(choices=TYPES)
    source = serializers.ChoiceField(  # type: ignore[assignment]  # a field, taken off the class
        choices=ContextDocument.Source.choices
    )
    tool_id = Text(max_length=NAME, default="", allow_blank=True)
    connection = serializers.UUIDField(required=False, allow_null=True)
    message_id = Text(max_length=NAME, default="", allow_blank=True)
    attachment_id = Text(max_length=LINK, default="", allow_blank=True)
    filename = Text(max_length=LINK, default="", allow_blank=True)


class DocumentContentIn(Body):
    """What a document is to say instead."""

    content = Text(max_length=CONTENT_BYTES)


class DocumentSearchIn(WhoseIn):
    """A question; without `active_connections` those count that the user has switched on."""

    query = Text(max_length=QUERY_CHARACTERS)
    active_connections = serializers.ListField(
        child=serializers.UUIDField(), required=False, allow_null=True, max_length=MOST_CONNECTIONS
    )
    context_types = serializers.ListField(
        child=serializers.ChoiceField(choices=TYPES), required=False, max_length=len(TYPES)
    )
    limit = Number(min_value=1, max_value=200, default=LIMIT)


class ContextPage(IdPage, WhoseIn):
    context_type = serializers.ChoiceField(choices=TYPES, required=False)


class ContextList(APIView):
    @extend_schema(request=DocumentQueryIn)
    def post(self, request: Request) -> Response:
        """Keep a text; the same text with the same metadata is kept once."""
        body = DocumentQueryIn(data=request.data)
        body.is_valid(raise_exception=True)
        asked = dict(body.validated_data)
        owner = _owner(caller_of(request).agent, asked)
        document = NewDocument(**{name: asked[name] for name in asked.keys() - {"user", "session"}})
        ids = store_context(owner=owner, document=document)
        return Response({"ids": ids}, status=status.HTTP_201_CREATED)

    @extend_schema(
        parameters=[ContextPage],
    )
    def get(self, request: Request) -> Response:
        """List a user's documents in the order of their ids."""
        query = ContextPage(data=request.query_params)
        query.is_valid(raise_exception=True)
        asked = query.validated_data
        owner = owner_named(caller_of(request).agent, asked)
        rows = ContextDocument.objects.filter(owner=owner) if owner else None
        rows = (ContextDocument.objects.none() if rows is None else rows).order_by("pk")
        if "context_type" in asked:
            rows = rows.filter(context_type=asked["context_type"])
        if asked["after"]:
            rows = rows.filter(pk__gt=asked["after"])
        wanted = rows.select_related("owner").defer("embedding")
        found, has_more = page(list(wanted[: asked["limit"] + 1]), asked["limit"])
        results = [_shown(row) for row in found]
        return Response({"results": results, "next": found[-1].pk if has_more else None})


class ContextSearch(APIView):
    @extend_schema(request=DocumentSearchIn)
    def post(self, request: Request) -> Response:
        """Find a user's documents that answer a question, nearest first."""
        body = DocumentSearchIn(data=request.data)
        body.is_valid(raise_exception=True)
        asked = body.validated_data
        owner = owner_named(caller_of(request).agent, asked)
        found = Retrieved()
        if owner:
            found = retrieve(
                owner=owner,
                query=asked["query"],
                active_connections=asked.get("active_connections"),
                context_types=asked.get("context_types"),
                limit=asked["limit"],
            )
        return Response(
            {
                "results": [
                    {
                        "id": hit.id,
                        "content": hit.content,
                        "metadata": hit.metadata.said,
                        "distance": hit.distance,
                    }
                    for hit in found.hits
                ],
                "searched_by": found.searched_by,
                "degraded": found.degraded or None,
            }
        )


class ContextDetail(APIView):
    @extend_schema(request=DocumentContentIn, parameters=WHOSE)
    def put(self, request: Request, document: UUID) -> Response:
        """Put the person's own text in the place of a document; its id goes with the old one."""
        body = DocumentContentIn(data=request.data)
        body.is_valid(raise_exception=True)
        made = change_document(
            owner=owner_in_query(request),
            id=document,
            content=body.validated_data["content"],
            actor=caller_of(request).name,
        )
        return Response({"id": made})

    @extend_schema(parameters=WHOSE)
    def delete(self, request: Request, document: UUID) -> Response:
        """Delete a document for good: its text is not kept again for this user."""
        owner = owner_in_query(request)
        forget_document(owner=owner, id=document, actor=caller_of(request).name)
        return Response(status=status.HTTP_204_NO_CONTENT)


def _owner(agent: Agent, asked: dict[str, object]) -> Owner:
    """Return whose document it is; a user is known from the first one on."""
    found = owner_named(agent, asked)
    return found or resolve_owner(agent=agent, user=str(asked["user"]))


def _shown(row: ContextDocument) -> dict[str, object]:
    return {
        "id": row.pk,
        "content": row.content,
        "metadata": metadata_of_row(row).said,
        "embedding_state": row.embedding_state,
        "created_at": row.created_at,
    }
