"""Saved facts: what an agent keeps under a key, and what matters of it."""

from uuid import UUID

from drf_spectacular.utils import extend_schema
from rest_framework import serializers, status
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from accounts.models import Owner
from accounts.owners import agent_owner, resolve_owner, scope_of
from api.authentication import caller_of
from api.pagination import page
from api.v1.fields import Body, Flag, IdPage, Number, Text
from api.v1.whose import owner_named
from api.v1.workspace import WHOSE, PersonIn
from consolidation.edits.own import forget_saved_fact
from consolidation.embedding.save_fact import keep_fact
from consolidation.embedding.saved_facts import nudge_if_any_waits
from knowledge.errors import FactUnknown
from knowledge.models import SavedFact
from knowledge.saved_facts.save import NewFact, change_fact, find_fact
from recall.search.questions.text_vectors import SWITCH
from recall.search.saved_facts import recall_saved

KEY_CHARACTERS, VALUE_CHARACTERS, CATEGORY_CHARACTERS = 200, 4_000, 100
NAMES = (
    "key",
    "value",
    "category",
    "source",
    "source_session",
    "source_event",
    "confidence",
    "access_count",
    "last_accessed_at",
    "decay_score",
    "created_at",
    "updated_at",
)


class FactIn(PersonIn):
    """A fact; under a key that is there already it gives that key the new value."""

    key = Text(max_length=KEY_CHARACTERS)
    value = Text(max_length=VALUE_CHARACTERS)
    category = Text(max_length=CATEGORY_CHARACTERS, default="general")
    confidence = serializers.FloatField(min_value=0, max_value=1, default=1.0)


class FactEdit(Body):
    value = Text(max_length=VALUE_CHARACTERS, required=False)
    category = Text(max_length=CATEGORY_CHARACTERS, required=False)

    def validate(self, attrs: dict[str, object]) -> dict[str, object]:
        if not attrs:
            raise serializers.ValidationError("name a field that can be changed")
        return attrs


class ListIn(IdPage, PersonIn):
    category = Text(max_length=CATEGORY_CHARACTERS, required=False)


class SavedFactSearchIn(PersonIn):
    """With `vectors` true, vectors that failures switched off are tried again."""

    query = Text(max_length=1_000)
    limit = Number(min_value=1, max_value=50, default=5)
    category = Text(max_length=CATEGORY_CHARACTERS, required=False, allow_null=True)
    vectors = Flag(default=False)


class SavedFactList(APIView):
    @extend_schema(request=FactIn)
    def post(self, request: Request) -> Response:
        """Save a fact under its key."""
        body = FactIn(data=request.data)
        body.is_valid(raise_exception=True)
        asked = body.validated_data
        fact = NewFact(
            asked["key"], asked["value"], asked["category"], confidence=asked["confidence"]
        )
        saved = keep_fact(owner=_made(request, asked), fact=fact, source=SavedFact.Source.MANUAL)
        return Response(shown(saved), status=status.HTTP_201_CREATED)

    @extend_schema(
        parameters=[ListIn],
    )
    def get(self, request: Request) -> Response:
        """List saved facts, newest first; looking at them counts as no access."""
        query = ListIn(data=request.query_params)
        query.is_valid(raise_exception=True)
        asked = query.validated_data
        owner = _known(request, asked)
        if owner is None:
            return Response({"results": [], "next": None})
        rows = SavedFact.objects.within(scope_of(owner.agent, owner=owner.pk)).order_by("-pk")
        if asked["after"]:
            rows = rows.filter(pk__lt=asked["after"])
        if "category" in asked:
            rows = rows.of_category(asked["category"])
        listed = rows.defer("tsv", "embedding")[: asked["limit"] + 1]
        found, has_more = page(list(listed), asked["limit"])
        results = [shown(fact) for fact in found]
        return Response({"results": results, "next": found[-1].pk if has_more else None})


class SavedFactSearch(APIView):
    @extend_schema(request=SavedFactSearchIn)
    def post(self, request: Request) -> Response:
        """Find saved facts by words and meaning; those that are returned matter more from now on."""
        body = SavedFactSearchIn(data=request.data)
        body.is_valid(raise_exception=True)
        asked = body.validated_data
        if asked["vectors"]:
            SWITCH.enable()
        owner = _known(request, asked)
        if owner is None:
            return Response({"results": [], "searched_by": "words", "degraded": None})
        found = recall_saved(
            owner=owner,
            query=asked["query"],
            limit=asked["limit"],
            category=asked.get("category"),
        )
        results = [
            shown(hit.fact) | {"score": hit.score, "vector": hit.vector, "keyword": hit.keyword}
            for hit in found.hits
        ]
        return Response(
            {
                "results": results,
                "searched_by": found.searched_by,
                "degraded": found.degraded or None,
            }
        )


class SavedFactDetail(APIView):
    @extend_schema(parameters=WHOSE)
    def get(self, request: Request, fact: UUID) -> Response:
        """Show a saved fact."""
        return Response(shown(find_fact(owner=_owner(request), id=fact)))

    @extend_schema(request=FactEdit, parameters=WHOSE)
    def patch(self, request: Request, fact: UUID) -> Response:
        """Change the value or the category."""
        owner = _owner(request)
        body = FactEdit(data=request.data)
        body.is_valid(raise_exception=True)
        changed = change_fact(
            owner=owner, id=fact, fields=body.validated_data, actor=caller_of(request).name
        )
        nudge_if_any_waits()
        return Response(shown(changed))

    @extend_schema(parameters=WHOSE)
    def delete(self, request: Request, fact: UUID) -> Response:
        """Delete a saved fact for good, and its lines in MEMORY.md and the daily logs."""
        owner = _owner(request)
        forget_saved_fact(owner=owner, id=fact, actor=caller_of(request).name)
        return Response(status=status.HTTP_204_NO_CONTENT)


def shown(fact: SavedFact) -> dict[str, object]:
    """Return a fact with where it came from and how much it matters."""
    return {"id": fact.pk, **{name: getattr(fact, name) for name in NAMES}}


def _owner(request: Request) -> Owner:
    """Return whose fact is meant. Raises FactUnknown for a user the agent has never met."""
    query = PersonIn(data=request.query_params)
    query.is_valid(raise_exception=True)
    owner = _known(request, query.validated_data)
    if owner is None:
        raise FactUnknown("the agent has never met this user")
    return owner


def _known(request: Request, asked: dict[str, object]) -> Owner | None:
    agent = caller_of(request).agent
    named = asked.get("user") or asked.get("session")
    return owner_named(agent, asked) if named else agent_owner(agent)


def _made(request: Request, asked: dict[str, object]) -> Owner:
    """Return the owner, known from now on."""
    user = asked.get("user")
    if isinstance(user, str) and user:
        return resolve_owner(agent=caller_of(request).agent, user=user)
    found = _known(request, asked)
    assert found is not None, "a session has an owner"  # noqa: S101 - narrows
    return found
