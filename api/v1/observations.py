"""Observations: what an agent has noticed of a user, and what has become of it."""

from collections.abc import Mapping
from datetime import datetime
from uuid import UUID

from django.db import transaction
from drf_spectacular.utils import extend_schema
from rest_framework import serializers, status
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from accounts.models import Owner
from accounts.owners import resolve_owner, scope_of
from api.authentication import caller_of
from api.idempotency import KEY, key_of
from api.pagination import page
from api.v1.fields import IdPage, Moment, Text
from api.v1.sessions import session_of
from api.v1.whose import WHOSE, WhoseIn, owner_in_query
from consolidation.models import ContextEvent
from consolidation.observations.record import LONGEST, Observed, record_observation
from knowledge.connections import find_connection
from memory.incognito import is_incognito
from memory.models import Session
from recall.errors import SessionUnknown

SHOWN = (
    "event_type",
    "content",
    "source_metadata",
    "processed",
    "attempts",
    "error_code",
    "observed_at",
    "created_at",
    "processed_at",
)


class ObservationIn(WhoseIn):
    """What was noticed of a `user`, or of whoever a `session` belongs to."""

    content = Text(max_length=LONGEST)
    category = Text(max_length=50)
    connection = serializers.UUIDField(required=False, allow_null=True)
    occurred_at = Moment(required=False, allow_null=True)


class ObservationList(APIView):
    @extend_schema(
        request=ObservationIn,
        parameters=[KEY],
    )
    def post(self, request: Request) -> Response:
        """Note an observation; what is known of the user changes later."""
        body = ObservationIn(data=request.data)
        body.is_valid(raise_exception=True)
        asked = body.validated_data
        room = asked.get("session")
        if room and is_incognito(room):
            return Response({"recorded": False, "reason": "incognito"})
        with transaction.atomic():
            owner, session = _whose(request, asked)
            observed = _observed(owner, session, asked)
            made, is_repeated = record_observation(
                owner=owner, observed=observed, key=key_of(request)
            )
        code = status.HTTP_200_OK if is_repeated else status.HTTP_201_CREATED
        return Response({"recorded": True, **_shown(made)}, status=code)

    @extend_schema(
        parameters=[IdPage, *WHOSE],
    )
    def get(self, request: Request) -> Response:
        """List a user's observations with what has become of each, newest first."""
        query = IdPage(data=request.query_params)
        query.is_valid(raise_exception=True)
        owner, asked = owner_in_query(request), query.validated_data
        mine = ContextEvent.objects.within(caller_of(request).scope).filter(owner=owner)
        rows = mine.order_by("-pk") if owner else mine.none()
        if asked["after"]:
            rows = rows.filter(pk__lt=asked["after"])
        found, has_more = page(list(rows[: asked["limit"] + 1]), asked["limit"])
        results = [_shown(event) for event in found]
        return Response({"results": results, "next": found[-1].pk if has_more else None})


def _whose(request: Request, asked: Mapping[str, object]) -> tuple[Owner, Session | None]:
    """Return whose it is, known from now on, and the session. Raises SessionUnknown or OwnerMissing."""
    session, user = asked.get("session"), asked.get("user")
    found = session_of(request, session) if isinstance(session, UUID) else None
    if found is None:
        agent = caller_of(request).agent
        return resolve_owner(agent=agent, user=user if isinstance(user, str) else None), None
    if user and (found.owner.kind, found.owner.key) != (Owner.Kind.USER, user):
        raise SessionUnknown("the session is not the user's")
    return found.owner, found


def _observed(owner: Owner, session: Session | None, asked: dict[str, object]) -> Observed:
    """Return the checked fields as what was noticed. Raises ConnectionUnknown."""
    named, at = asked.get("connection"), asked.get("occurred_at")
    return Observed(
        category=str(asked["category"]),
        content=str(asked["content"]),
        session=session,
        connection=find_connection(scope=scope_of(owner.agent, owner=owner.pk), connection=named)
        if isinstance(named, UUID)
        else None,
        observed_at=at if isinstance(at, datetime) else None,
    )


def _shown(event: ContextEvent) -> dict[str, object]:
    fields = {name: getattr(event, name) for name in SHOWN}
    return {"id": event.pk, "state": _state(event), **fields}


def _state(event: ContextEvent) -> str:
    if event.set_aside_at:
        return "set_aside"
    return "processed" if event.processed else "waiting"
