"""What a person may demand: a way in, all that is known, and that it goes."""

from uuid import UUID

from django.db.models import QuerySet
from django.http import StreamingHttpResponse
from django.urls import reverse
from drf_spectacular.utils import extend_schema
from rest_framework import status
from rest_framework.generics import get_object_or_404
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from accounts.errors import UserUnknown
from accounts.models import Owner
from accounts.owners import find_owner
from accounts.page_links import DEFAULT_SECONDS, LONGEST_SECONDS, make_page_link
from api.authentication import Caller, caller_of
from api.v1.fields import Body, Flag, Number, Text
from audit.log import record
from consolidation.deletion.erasure.job import progress
from consolidation.deletion.erasure.request import check_confirmed, erase_owner, preview
from consolidation.models import Erasure
from consolidation.portable.export import exported


class PageLinkIn(Body):
    """How long the link may wait to be used."""

    expires_in_seconds = Number(
        min_value=1, max_value=LONGEST_SECONDS, required=False, default=DEFAULT_SECONDS
    )


class EraseIn(Body):
    """First a preview; then the user's id again as `confirm`, with `dry_run` false."""

    dry_run = Flag(default=True)
    confirm = Text(max_length=255, required=False, allow_blank=True, default="")


class UserPageLink(APIView):
    @extend_schema(request=PageLinkIn)
    def post(self, request: Request, user: str) -> Response:
        """Make a link with which the user signs in once and sees their own pages."""
        body = PageLinkIn(data=request.data)
        body.is_valid(raise_exception=True)
        caller, owner = caller_of(request), _known(request, user)
        if owner.user is None:
            raise UserUnknown("the agent has never met this user")
        seconds = body.validated_data["expires_in_seconds"]
        token = make_page_link(
            person=owner.user, seconds=seconds, actor=caller.name, agent=owner.agent_id
        )
        address = request.build_absolute_uri(reverse("enter", args=(token,)))
        return Response(
            {"url": address, "expires_in_seconds": seconds}, status=status.HTTP_201_CREATED
        )


class UserErase(APIView):
    @extend_schema(request=EraseIn)
    def post(self, request: Request, user: str) -> Response:
        """Show what an erasure of the user would delete, or begin it."""
        body = EraseIn(data=request.data)
        body.is_valid(raise_exception=True)
        asked, owner = body.validated_data, _known(request, user)
        if asked["dry_run"]:
            return Response({"would_erase": preview([owner])})
        check_confirmed(given=asked["confirm"], name=owner.key)
        made = erase_owner(owner=owner, actor=caller_of(request).name)
        return Response(_shown(made), status=status.HTTP_202_ACCEPTED)


class ErasureDetail(APIView):
    def get(self, request: Request, erasure: UUID) -> Response:
        """Show how far an erasure is, and its certificate once it is done."""
        found = get_object_or_404(_erasures(caller_of(request)), pk=erasure)
        return Response(_shown(found))


class UserExport(APIView):
    def get(self, request: Request, user: str) -> StreamingHttpResponse:
        """Send all that is known of the user, as it is read."""
        owner = _known(request, user)
        record(actor=caller_of(request).name, action="export", subject=str(owner.pk))
        answer = StreamingHttpResponse(exported([owner]), content_type="application/json")
        answer["Content-Disposition"] = 'attachment; filename="memory.json"'
        return answer


def _known(request: Request, user: str) -> Owner:
    owner = find_owner(agent=caller_of(request).agent, user=user)
    if owner is None:
        raise UserUnknown("the agent has never met this user")
    return owner


def _erasures(caller: Caller) -> QuerySet[Erasure]:
    return Erasure.objects.within(caller.scope)


def _shown(erasure: Erasure) -> dict[str, object]:
    return {
        "id": erasure.pk,
        "state": erasure.state,
        "progress": round(progress(erasure), 3),
        "counts": erasure.counts,
        "started_at": erasure.created_at,
        "finished_at": erasure.finished_at,
        "error_code": erasure.error_code,
        "certificate": erasure.certificate,
        "certificate_hash": erasure.certificate_hash,
    }
