"""Recall, and the receipts that say why."""

from collections.abc import Mapping
from dataclasses import asdict
from datetime import datetime
from functools import partial
from uuid import UUID

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.generics import get_object_or_404
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from accounts.errors import OwnerMissing
from accounts.models import Agent, Owner
from accounts.owners import find_agent_owner, find_owner
from api.authentication import caller_of
from api.v1.fields import Body, Moment, Number, Text
from memory.messages import speaker_of, text_of
from memory.models import Event
from recall.answers.across_agents import recall_across
from recall.answers.answer import Answer, owner_of_session, recall
from recall.answers.around import Around
from recall.models import Receipt
from recall.search.context import ContextHit
from recall.search.documents import KnowledgeHit
from recall.search.fuse import AnyHit, FusedQuestion
from recall.search.hits import Filters, Hit
from recall.search.questions.question import SearchMode

STORES = ("session", "knowledge", "context")
QUERY_CHARACTERS = 1_000
QUOTE_CHARACTERS = 280
MOST_BESIDE = 3


class FiltersIn(Body):
    """What each result must satisfy; times are those of the events."""

    session = serializers.UUIDField(required=False)
    since = Moment(required=False, help_text="Said at this moment or later.")
    until = Moment(required=False, help_text="Said before this moment.")
    speaker = Text(max_length=100, required=False)

    def validate(self, attrs: dict[str, object]) -> dict[str, object]:
        since, until = attrs.get("since"), attrs.get("until")
        if isinstance(since, datetime) and isinstance(until, datetime) and since > until:
            raise serializers.ValidationError(
                "`since` lies after `until`: nothing was said then; exchange them"
            )
        return attrs


class RecallIn(Body):
    """A question to the memory of `user`, or of a `session`'s owner, or of the agent's own.

    With `target_agent` to that of another agent, which is its own unless one of these is given.
    """

    query = Text(max_length=QUERY_CHARACTERS)
    user = Text(max_length=255, required=False)
    session = serializers.UUIDField(required=False)
    owner = serializers.ChoiceField(choices=["agent"], required=False)
    target_agent = Text(max_length=41, required=False)
    stores = serializers.ListField(
        child=serializers.ChoiceField(choices=STORES), default=list, max_length=10
    )
    mode = serializers.ChoiceField(choices=[mode.value for mode in SearchMode], default="hybrid")
    filters = FiltersIn(required=False)
    limit = Number(min_value=1, max_value=200, default=10)
    max_tokens = Number(min_value=1, max_value=1_000_000, required=False)
    as_of = Moment(required=False)
    widen = Number(
        min_value=0,
        max_value=MOST_BESIDE,
        default=0,
        help_text="How many events before and after each result come with it.",
    )


# Made once: building the fields anew takes longer than checking a body with them.
RECALL = RecallIn()


class RecallView(APIView):
    @extend_schema(request=RecallIn)
    def post(self, request: Request) -> Response:
        """Find what was said, best first, each result with its source and its signals."""
        asked = RECALL.run_validation(request.data)
        ask = _asking(caller_of(request).agent, asked)
        answer = ask(
            asked=FusedQuestion(
                asked["query"],
                asked["limit"],
                SearchMode(asked["mode"]),
                Filters(**asked.get("filters", {}), as_of=asked.get("as_of")),
            ),
            max_tokens=asked.get("max_tokens"),
            widen=asked["widen"],
        )
        return Response(
            {
                "results": [
                    _shown(hit) | _beside(answer.around.get(hit.id)) for hit in answer.found.hits
                ],
                "receipt": answer.receipt,
                "searched_by": answer.found.searched_by,
                "degraded": answer.found.degraded or None,
            }
        )


class ReceiptDetail(APIView):
    def get(self, request: Request, receipt: UUID) -> Response:
        """Show what a recall or a prompt contained, with scores, and what was left out."""
        mine = Receipt.objects.within(caller_of(request).scope)
        found: Receipt = get_object_or_404(mine, pk=receipt)
        names = ("kind", "query", "profile", "searched_by", "items", "left_out", "tokens")
        shown = {name: getattr(found, name) for name in names}
        session = {"session": found.session_id, "degraded": found.degraded or None}
        return Response({"id": found.pk, **shown, **session, "created_at": found.created_at})


def _asking(agent: Agent, asked: Mapping[str, object]) -> partial[Answer]:
    """Choose whose memory is asked: the agent's own, or that of another."""
    named, target = asked.get("stores"), asked.get("target_agent")
    stores = named if isinstance(named, list) and named else ["session"]
    if isinstance(target, str) and target != agent.slug:
        user, session = asked.get("user"), asked.get("session")
        return partial(
            recall_across,
            caller=agent,
            target=target,
            stores=stores,
            user=user if isinstance(user, str) else None,
            session=session if isinstance(session, UUID) else None,
        )
    return partial(
        recall,
        owner=_owner(agent, asked) if "session" in stores else None,
        knowledge=find_agent_owner(agent) if "knowledge" in stores else None,
        context=_owner(agent, asked) if "context" in stores else None,
    )


def _owner(agent: Agent, asked: Mapping[str, object]) -> Owner | None:
    """Return whose sessions are asked; None for a user the agent has never met."""
    user, session = asked.get("user"), asked.get("session")
    if isinstance(user, str):
        return find_owner(agent=agent, user=user)
    if isinstance(session, UUID):
        return owner_of_session(agent=agent, session=session)
    if asked.get("owner"):
        return find_agent_owner(agent)
    raise OwnerMissing("neither `user` nor `session` nor `owner` was given")


def _shown(hit: AnyHit) -> dict[str, object]:
    if isinstance(hit, ContextHit):
        return of_context(hit)
    return of_document(hit) if isinstance(hit, KnowledgeHit) else of_session(hit)


def of_document(hit: KnowledgeHit) -> dict[str, object]:
    """Return a document found, as an answer shows it."""
    return {
        "id": hit.id,
        "store": "knowledge",
        "text": hit.text,
        "score": hit.score,
        "signals": {"words": hit.signals.words, "meaning": hit.signals.meaning},
        "has_vector": hit.has_vector,
        "tokens": hit.tokens,
        "updated_at": hit.updated_at,
        "source": {
            "key": hit.key,
            "version": hit.version,
            "metadata": hit.metadata,
            "quote": hit.text[:QUOTE_CHARACTERS],
        },
    }


def of_context(hit: ContextHit) -> dict[str, object]:
    """Return a document of V found, as an answer shows it."""
    return {
        "id": hit.id,
        "store": "context",
        "text": hit.content,
        "score": hit.score,
        "distance": hit.distance,
        "has_vector": hit.distance is not None,
        "tokens": hit.tokens,
        "source": {"metadata": hit.metadata.said, "quote": hit.content[:QUOTE_CHARACTERS]},
    }


def of_session(hit: Hit) -> dict[str, object]:
    """Return a block of an ended session found, as an answer shows it."""
    return {
        "id": hit.id,
        "store": "session",
        "text": hit.text,
        "score": hit.score,
        "signals": asdict(hit.signals),
        "has_vector": hit.has_vector,
        "tokens": hit.tokens,
        "speaker": hit.speaker,
        "occurred_at": hit.occurred_at,
        "source": {
            "session": hit.session,
            "lane": hit.lane,
            "events": hit.events,
            "quote": hit.text[:QUOTE_CHARACTERS],
        },
    }


def _beside(around: Around | None) -> dict[str, object]:
    """Return what was said next to a result, oldest first; nothing unless it was asked for."""
    if around is None:
        return {}
    return {
        "before": [_event(event) for event in reversed(around.before)],
        "after": [_event(event) for event in around.after],
    }


def _event(event: Event) -> dict[str, object]:
    return {
        "id": event.pk,
        "text": text_of(event.content),
        "speaker": speaker_of(event.type, event.content),
        "tokens": event.tokens,
        "occurred_at": event.occurred_at,
    }
