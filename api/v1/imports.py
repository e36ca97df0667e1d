"""What was exported of a user, given back: looked at first, or taken in."""

from collections.abc import Mapping
from typing import IO
from uuid import UUID

from django.db import transaction
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema
from rest_framework import serializers, status
from rest_framework.generics import get_object_or_404
from rest_framework.parsers import BaseParser
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from accounts.owners import resolve_owner
from api.authentication import caller_of
from api.v1.fields import Body, Text
from consolidation.errors import ImportTooLarge
from consolidation.models import Import
from consolidation.portable.reading.document import MOST_BYTES, check_person, read_export
from consolidation.portable.request import (
    cancel_import,
    confirm_import,
    offer_of,
    prepare_import,
    progress_of,
)


class ImportQuery(Body):
    """Whose memory it becomes; `of` is whom the file names, where that is another id."""

    user = Text(max_length=255)
    of = Text(max_length=255, required=False, allow_blank=True, default="")
    dry_run = serializers.BooleanField(default=False)


class Untouched(BaseParser):
    """Keep a body as it is, JSON or a zip: what it must look like, the import says."""

    media_type = "application/json"

    def parse(
        self,
        stream: IO[bytes],
        media_type: str | None = None,
        parser_context: Mapping[str, object] | None = None,
    ) -> Mapping[str, object]:
        body = stream.read(MOST_BYTES + 1)
        if len(body) > MOST_BYTES:
            raise ImportTooLarge(f"a file is at most {MOST_BYTES} bytes")
        return {"file": body}


class ImportList(APIView):
    parser_classes = (Untouched,)

    @extend_schema(
        parameters=[ImportQuery],
        request=OpenApiTypes.OBJECT,
    )
    def post(self, request: Request) -> Response:
        """Take an export of a user in; a long one goes on after the answer. Twice adds nothing."""
        query = ImportQuery(data=request.query_params)
        query.is_valid(raise_exception=True)
        asked, caller = query.validated_data, caller_of(request)
        data = request.data.get("file", b"")
        if asked["dry_run"]:
            return Response(_offered(request, asked, data))
        with transaction.atomic():
            owner = resolve_owner(agent=caller.agent, user=asked["user"])
            made, _ = prepare_import(owner=owner, data=data, actor=caller.name, of=asked["of"])
        made = confirm_import(waiting=made, actor=caller.name)
        is_over = made.state != Import.State.RUNNING
        code = status.HTTP_200_OK if is_over else status.HTTP_202_ACCEPTED
        return Response(_shown(made), status=code)


class ImportDetail(APIView):
    def get(self, request: Request, id: UUID) -> Response:
        """Show how far an import is, and what came of it once it is done."""
        mine = Import.objects.within(caller_of(request).scope)
        return Response(_shown(get_object_or_404(mine, pk=id)))

    def delete(self, request: Request, id: UUID) -> Response:
        """Stop an import; what is in stays, and the same file goes on from there."""
        caller = caller_of(request)
        begun = get_object_or_404(Import.objects.within(caller.scope), pk=id)
        return Response(_shown(cancel_import(begun=begun, actor=caller.name)))


def _offered(request: Request, asked: Mapping[str, str], data: bytes) -> dict[str, object]:
    agent = caller_of(request).agent
    export = read_export(data, agent=agent.slug, most=MOST_BYTES)
    check_person(export, key=asked["user"], of=asked["of"])
    with transaction.atomic():
        # A user whom nobody has met yet is not made known by a look.
        offer = offer_of(owner=resolve_owner(agent=agent, user=asked["user"]), export=export)
        transaction.set_rollback(True)
    return {
        "would_import": offer.counts,
        "left_out": offer.left,
        "vectors": {"tokens": offer.forecast.tokens, "micro_usd": offer.forecast.micro_usd},
    }


def _shown(found: Import) -> dict[str, object]:
    return {
        "id": found.pk,
        "state": found.state,
        "progress": round(progress_of(found), 3),
        "counts": found.counts,
        "changeset": found.changeset,
        "started_at": found.created_at,
        "finished_at": found.finished_at,
        "error_code": found.error_code,
    }
