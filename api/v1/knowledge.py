"""Knowledge: what an agent or an operator wrote on purpose, under a key or found by search."""

from drf_spectacular.utils import extend_schema
from rest_framework import serializers, status
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from accounts.owners import find_agent_owner
from api.authentication import caller_of
from api.idempotency import KEY, key_of
from api.pagination import page
from api.v1.fields import Body, IdPage, Metadata, Text
from api.versions import IF_MATCH, version_of
from consolidation.edits.own import forget_knowledge
from consolidation.embedding.documents import keep_document
from knowledge.documents.agent import CONTENT_BYTES, KEY_CHARACTERS, Put, find_named
from knowledge.models import KnowledgeDocument


class ContentIn(Body):
    """The words, and what else is to be kept with them; `metadata` left out stays as it is."""

    content = Text(max_length=CONTENT_BYTES)
    metadata = Metadata(required=False)


class DocumentIn(ContentIn):
    """A document; with a `key` that is there already it replaces the one of that key."""

    key = Text(max_length=KEY_CHARACTERS, required=False, allow_null=True)


class DocumentPage(IdPage):
    """Of the keys that begin with `prefix`; `contents=yes` brings texts and metadata too."""

    prefix = Text(max_length=KEY_CHARACTERS, allow_blank=True, default="")
    contents = serializers.ChoiceField(choices=["yes", "no"], default="no")


class KnowledgeList(APIView):
    @extend_schema(
        request=DocumentIn,
        parameters=[KEY],
    )
    def post(self, request: Request) -> Response:
        """Write a document of the agent's own."""
        body = DocumentIn(data=request.data)
        body.is_valid(raise_exception=True)
        caller = caller_of(request)
        put = keep_document(
            agent=caller.agent,
            actor=caller.name,
            request_key=key_of(request),
            **body.validated_data,
        )
        return _put(put)

    @extend_schema(
        parameters=[DocumentPage],
    )
    def get(self, request: Request) -> Response:
        """List the agent's documents, without their contents unless asked, newest first."""
        query = DocumentPage(data=request.query_params)
        query.is_valid(raise_exception=True)
        asked = query.validated_data
        mine = KnowledgeDocument.objects.within(caller_of(request).scope)
        is_whole = asked["contents"] == "yes"
        rows = (mine.defer("tsv") if is_whole else mine.listed()).order_by("-pk")
        if asked["prefix"]:
            rows = rows.filter(key__startswith=asked["prefix"])
        if asked["after"]:
            rows = rows.filter(pk__lt=asked["after"])
        found, has_more = page(list(rows[: asked["limit"] + 1]), asked["limit"])
        show = shown if is_whole else _named
        results = [show(document) for document in found]
        return Response({"results": results, "next": found[-1].pk if has_more else None})


class KnowledgeDetail(APIView):
    def get(self, request: Request, key: str) -> Response:
        """Show a document by its key, or by its id where it has none."""
        return _answer(_found(request, key))

    @extend_schema(
        request=ContentIn,
        parameters=[IF_MATCH],
    )
    def put(self, request: Request, key: str) -> Response:
        """Write a document under this key, in the place of the one that is there."""
        body = ContentIn(data=request.data)
        body.is_valid(raise_exception=True)
        caller = caller_of(request)
        put = keep_document(
            agent=caller.agent,
            actor=caller.name,
            key=key,
            expected=version_of(request),
            **body.validated_data,
        )
        return _put(put)

    @extend_schema(parameters=[IF_MATCH])
    def delete(self, request: Request, key: str) -> Response:
        """Delete a document by its key, or by its id where it has none."""
        caller = caller_of(request)
        forget_knowledge(
            agent=caller.agent,
            actor=caller.name,
            id=_found(request, key).pk,
            expected=version_of(request),
        )
        return Response(status=status.HTTP_204_NO_CONTENT)


def shown(document: KnowledgeDocument) -> dict[str, object]:
    """Return a document as its calls answer with it."""
    return _named(document) | {"content": document.content, "metadata": document.metadata}


def _named(document: KnowledgeDocument) -> dict[str, object]:
    names = ("key", "version", "language", "tokens", "created_at", "updated_at")
    found = {name: getattr(document, name) for name in names}
    return {"id": document.pk, **found, "embedding_state": document.embedding_state}


def _put(put: Put) -> Response:
    code = status.HTTP_201_CREATED if put.is_new else status.HTTP_200_OK
    return _answer(put.document, code)


def _answer(document: KnowledgeDocument, code: int = status.HTTP_200_OK) -> Response:
    return Response(shown(document), status=code, headers={"ETag": f'"{document.version}"'})


def _found(request: Request, name: str) -> KnowledgeDocument:
    owner = find_agent_owner(caller_of(request).agent)
    return find_named(owner=owner, name=name)
