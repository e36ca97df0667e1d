"""choir.memory.query, choir.memory.upsert and choir.memory.compact."""

from uuid import UUID

from rest_framework import serializers

from accounts.models import Owner
from accounts.owners import find_agent_owner
from api.v1.events import shown
from api.v1.fields import Body, Metadata, Number, Text
from api.v1.tools.base import Json, Tool, ToolInvocation
from consolidation.compaction.request import request_compaction
from consolidation.edits.own import forget_knowledge
from consolidation.embedding.documents import keep_document
from consolidation.models import CompactionRun
from knowledge.documents.agent import CONTENT_BYTES, KEY_CHARACTERS
from knowledge.errors import DocumentUnnamed
from knowledge.models import KnowledgeDocument
from memory.models import Session
from recall.answers.across_agents import events_across, recall_across
from recall.answers.answer import Answer, recall
from recall.answers.session_log import find_by_hash, find_by_keyword, read_session
from recall.errors import BadMode, ReadForbidden, SessionIdRequired
from recall.search.context import ContextHit
from recall.search.documents import KnowledgeHit
from recall.search.fuse import AnyHit, FusedQuestion
from recall.search.questions.question import SearchMode

MODES = {
    "working": ("keyword", "hash"),
    "session": ("semantic", "text", "session_detail"),
    "knowledge": ("semantic", "text"),
}
EVERY_MODE = ("keyword", "hash", "semantic", "text", "session_detail")
# What each mode looks for.
NEEDS = {"keyword": "query", "hash": "hash", "semantic": "query", "text": "query"}
QUERY_CHARACTERS = 1_000
DEFAULT_RESULTS = 10
MOST_RESULTS = 200
# A whole session is read in pages of this many events.
MOST_EVENTS = 1_000


class QueryIn(Body):
    """Which store and mode there are is told by one error for the pair."""

    store = Text(max_length=40)
    mode = Text(max_length=40)
    query = Text(max_length=QUERY_CHARACTERS, required=False, allow_null=True)
    hash = Text(max_length=100, required=False, allow_null=True)
    session_id = serializers.UUIDField(required=False, allow_null=True)
    target_agent = Text(max_length=41, required=False, allow_null=True)
    limit = Number(min_value=1, max_value=MOST_RESULTS, required=False, allow_null=True)
    after = serializers.UUIDField(required=False, allow_null=True)


class UpsertIn(Body):
    op = serializers.ChoiceField(choices=["insert", "update", "delete"])
    key = Text(max_length=KEY_CHARACTERS, required=False, allow_null=True)
    id = serializers.UUIDField(required=False, allow_null=True)
    content = Text(max_length=CONTENT_BYTES, required=False, allow_null=True)
    metadata = Metadata(required=False, allow_null=True)
    target_agent = Text(max_length=41, required=False, allow_null=True)


def query(call: ToolInvocation, arguments: Json) -> Json:
    """Search the store in the mode. Raises BadMode for a pair that there is not."""
    store, mode = str(arguments["store"]), str(arguments["mode"])
    if mode not in MODES.get(store, ()):
        raise BadMode(f"store {store} has no mode {mode}")
    target = _other_agent(call, arguments)
    if target and store == "working":
        raise ReadForbidden("working memory is the session's own")
    needed = NEEDS.get(mode)
    if needed and not arguments.get(needed):
        raise serializers.ValidationError({needed: [f"mode {mode} needs it"]})
    found = _ask_other(call, target, arguments) if target else ASK[store](call, arguments)
    return {"store": store, "mode": mode, **found}


def upsert(call: ToolInvocation, arguments: Json) -> Json:
    """Insert, update or delete a document of the caller's own knowledge."""
    if _other_agent(call, arguments):
        raise ReadForbidden("only its own agent writes knowledge")
    if arguments["op"] == "delete":
        return _delete(call, arguments)
    key, content, metadata = (arguments.get(name) for name in ("key", "content", "metadata"))
    if not isinstance(content, str):
        raise serializers.ValidationError({"content": ["insert and update need it"]})
    if arguments["op"] == "update" and key is None:
        raise DocumentUnnamed("an update needs the key of what it replaces")
    put = keep_document(
        agent=call.agent,
        actor=call.actor,
        key=key if isinstance(key, str) else None,
        content=content,
        metadata=metadata if isinstance(metadata, dict) else None,
        request_key=call.request_key,
    )
    outcome = "inserted" if put.is_new else "updated" if put.is_changed else "unchanged"
    return _named(put.document, outcome)


def compact(call: ToolInvocation, arguments: Json) -> Json:
    """Fold what may leave the prompt of the calling lane, and of no other."""
    session = _session_of(call)
    outcome = request_compaction(
        session=session, lane=call.lane, trigger=CompactionRun.Trigger.TOOL
    )
    return {"outcome": outcome.value, "lane": call.lane}


def _in_working(call: ToolInvocation, arguments: Json) -> Json:
    session = _session_of(call)
    if arguments["mode"] == "hash":
        return {"results": [shown(find_by_hash(session=session, hash=str(arguments["hash"])))]}
    found = find_by_keyword(
        session=session, query=str(arguments["query"]), limit=_limit(arguments, DEFAULT_RESULTS)
    )
    return {"results": [shown(event) for event in found]}


def _in_sessions(call: ToolInvocation, arguments: Json) -> Json:
    owner = call.session.owner if call.session else find_agent_owner(call.agent)
    if arguments["mode"] != "session_detail":
        return _answer(recall(owner=owner, asked=_asked(arguments)))
    session, after = _page(arguments)
    events, following = read_session(
        agent=call.agent,
        owner=owner,
        session=session,
        limit=_limit(arguments, MOST_EVENTS),
        after=after,
    )
    return {"results": [shown(event) for event in events], "next": following}


def _ask_other(call: ToolInvocation, target: str, arguments: Json) -> Json:
    """Ask another agent's memory: of the person of the call's session, or else its own."""
    owner = call.session.owner if call.session else None
    user = owner.key if owner and owner.kind == Owner.Kind.USER else None
    if arguments["mode"] != "session_detail":
        return _answer(
            recall_across(
                caller=call.agent,
                target=target,
                asked=_asked(arguments),
                stores=[str(arguments["store"])],
                user=user,
            )
        )
    session, after = _page(arguments)
    events, following = events_across(
        caller=call.agent,
        target=target,
        session=session,
        limit=_limit(arguments, MOST_EVENTS),
        after=after,
        user=user,
    )
    return {"results": [shown(event) for event in events], "next": following}


def _in_knowledge(call: ToolInvocation, arguments: Json) -> Json:
    owner = find_agent_owner(call.agent)
    return _answer(recall(owner=None, knowledge=owner, asked=_asked(arguments)))


def _delete(call: ToolInvocation, arguments: Json) -> Json:
    key, id = arguments.get("key"), arguments.get("id")
    gone = forget_knowledge(
        agent=call.agent,
        actor=call.actor,
        key=key if isinstance(key, str) else None,
        id=id if isinstance(id, UUID) else None,
    )
    return _named(gone, "deleted")


def _other_agent(call: ToolInvocation, arguments: Json) -> str | None:
    """Return the agent that is named; None for the caller itself."""
    target = arguments.get("target_agent")
    return target if isinstance(target, str) and target != call.agent.slug else None


def _page(arguments: Json) -> tuple[UUID, UUID | None]:
    """Return which session is wanted, and after which event. Raises SessionIdRequired."""
    session, after = arguments.get("session_id"), arguments.get("after")
    if not isinstance(session, UUID):
        raise SessionIdRequired("session_detail needs the session_id of one session")
    return session, after if isinstance(after, UUID) else None


def _session_of(call: ToolInvocation) -> Session:
    if call.session is None:
        raise SessionIdRequired("the call does not say in which session it is made")
    return call.session


def _asked(arguments: Json) -> FusedQuestion:
    limit = _limit(arguments, DEFAULT_RESULTS)
    return FusedQuestion(str(arguments["query"]), limit, SearchMode(arguments["mode"]))


def _limit(arguments: Json, default: int) -> int:
    limit = arguments.get("limit")
    return limit if isinstance(limit, int) else default


def _answer(answer: Answer) -> Json:
    return {
        "results": [_hit(hit) for hit in answer.found.hits],
        "searched_by": answer.found.searched_by,
        "degraded": answer.found.degraded or None,
        "receipt": answer.receipt,
    }


def _hit(hit: AnyHit) -> Json:
    """Return what a model needs of a hit: it pays for every word of it."""
    found: dict[str, object] = {"id": hit.id, "text": hit.text, "score": round(hit.score, 4)}
    if isinstance(hit, KnowledgeHit):
        return found | {"key": hit.key, "metadata": hit.metadata, "updated_at": hit.updated_at}
    if isinstance(hit, ContextHit):
        return found | {"metadata": hit.metadata.said}
    place = {"session_id": hit.session, "events": hit.events, "tier": hit.tier}
    return found | place | {"speaker": hit.speaker, "occurred_at": hit.occurred_at}


def _named(document: KnowledgeDocument, outcome: str) -> Json:
    version = None if outcome == "deleted" else document.version
    return {"id": document.pk, "key": document.key, "version": version, "outcome": outcome}


ASK = {"working": _in_working, "session": _in_sessions, "knowledge": _in_knowledge}


def _text(description: str, **more: object) -> Json:
    return {"type": "string", "description": description, **more}


def _parameters(properties: Json, *required: str) -> Json:
    return {
        "type": "object",
        "properties": properties,
        "required": list(required),
        "additionalProperties": False,
    }


TARGET = _text("Slug of another agent whose memory to read; left out, your own.")
QUERY = Tool(
    name="choir.memory.query",
    description=(
        "Search your memory. store=working: the log of this session, by keyword, or one event by "
        "its hash. store=session: ended sessions, by meaning (semantic), by words (text; exact "
        "phrases between double quotes), or all events of one (session_detail with session_id). "
        "store=knowledge: what was kept on purpose, semantic or text."
    ),
    parameters=_parameters(
        {
            "store": _text("Where to look.", enum=list(MODES)),
            "mode": _text("How to look.", enum=list(EVERY_MODE)),
            "query": _text("What to look for: keyword, semantic and text need it."),
            "hash": _text("An event's hash, as ev-0123…; mode hash needs it."),
            "session_id": _text("A session's id; session_detail needs it.", format="uuid"),
            "target_agent": TARGET,
            "limit": {
                "type": "integer",
                "description": "The most results; 10 unless told, all events for session_detail.",
                "minimum": 1,
                "maximum": MOST_RESULTS,
            },
            "after": _text("`next` of the answer before, for a long session_detail."),
        },
        "store",
        "mode",
    ),
    arguments=QueryIn,
    run=query,
    is_read_only=True,
)
UPSERT = Tool(
    name="choir.memory.upsert",
    description=(
        "Keep something on purpose in your own knowledge: insert a text, update the one under a "
        "key (or insert it there), or delete one by its key or its id."
    ),
    parameters=_parameters(
        {
            "op": _text("What to do.", enum=["insert", "update", "delete"]),
            "key": _text("A name to find and replace it by.", maxLength=KEY_CHARACTERS),
            "id": _text("The id of what to delete, where it has no key.", format="uuid"),
            "content": _text("The text; insert and update need it."),
            "metadata": {"type": "object", "description": "What else to keep with it."},
        },
        "op",
    ),
    arguments=UpsertIn,
    run=upsert,
    is_destructive=True,
)
COMPACT = Tool(
    name="choir.memory.compact",
    description="Fold the older part of your own view of this session into its summary, now.",
    parameters=_parameters({}),
    arguments=serializers.Serializer,
    run=compact,
)
TOOLS = (QUERY, UPSERT, COMPACT)
