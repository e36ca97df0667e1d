"""Sessions: open, append, look, build a prompt, end."""

from collections.abc import Mapping
from dataclasses import asdict
from uuid import UUID

from drf_spectacular.utils import extend_schema
from rest_framework import serializers, status
from rest_framework.exceptions import NotFound
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from accounts.errors import OwnerMissing
from accounts.modes import NAMES, RetentionMode
from api.authentication import caller_of
from api.idempotency import KEY, key_of
from api.pagination import page
from api.v1 import incognito
from api.v1.events import AppendIn, MessageIn, receipt_of, shown
from api.v1.fields import Body, IdPage, Metadata, Number, Page, Text
from api.v1.given import GivenIn
from consolidation.compaction.plan import latest_runs
from consolidation.compaction.request import RequestOutcome, request_compaction
from consolidation.intake.accept import accept_events, accept_transcript, end_session
from consolidation.learning.report import learning_of
from consolidation.models import CompactionRun
from consolidation.session_end.snapshots import beat_session
from feedback.models import FeedbackRecord
from feedback.record import record_feedback
from knowledge.workspace.injection import heartbeat_rules
from memory.incognito import is_incognito
from memory.models import Event, LaneWindow, Session
from memory.models.window import Lane
from memory.sessions import find_session, mode_in_force, open_session
from recall.prompt.assembly import assemble_context

MOST_TRANSCRIPT = 1_000
MODES = tuple(NAMES)


class SessionIn(Body):
    """Whose conversation it is: `user`, the agent as `owner`, or the thread of `external_id`."""

    user = Text(max_length=255, required=False)
    owner = serializers.ChoiceField(choices=["agent"], required=False)
    external_id = Text(max_length=255, required=False)
    mode = serializers.ChoiceField(choices=MODES, default="local")
    strategy = serializers.ChoiceField(
        choices=Session.Strategy.choices, default=Session.Strategy.REFERENCE_SUMMARY
    )
    metadata = Metadata(default=dict)

    def validate(self, attrs: dict[str, object]) -> dict[str, object]:
        if "owner" in attrs and "user" in attrs:
            raise serializers.ValidationError("name either a `user` or the agent as `owner`")
        return attrs


class LaneIn(Body):
    lane = serializers.ChoiceField(choices=Lane.choices, default=Lane.EDGE)


class TranscriptIn(Body):
    """A whole conversation: 1 to 1,000 chat messages.

    `is_import`: it was held long ago, and gives way to whoever talks now.
    """

    messages = serializers.ListField(
        child=MessageIn(), allow_empty=False, max_length=MOST_TRANSCRIPT
    )
    is_import = serializers.BooleanField(default=False)


class EndIn(Body):
    """`feedback` is how the session was liked; null, or left out, says nothing."""

    reason = serializers.ChoiceField(choices=["explicit", "web"], default="explicit")
    feedback = serializers.ChoiceField(
        choices=FeedbackRecord.Label.choices, required=False, allow_null=True, default=None
    )


class ContextIn(GivenIn):
    """`query` None asks with the user's latest words; `max_tokens` None is the agent's window."""

    lane = serializers.ChoiceField(choices=Lane.choices, default=Lane.EDGE)
    query = Text(max_length=1_000, required=False, allow_null=True, default=None)
    max_tokens = Number(
        min_value=1, max_value=10_000_000, required=False, allow_null=True, default=None
    )


# Made once: building the fields anew takes longer than checking a body with them.
APPEND, CONTEXT = AppendIn(), ContextIn()


class EventPage(Page):
    lane = serializers.ChoiceField(choices=Lane.choices, default=Lane.EDGE)

    def validate_after(self, value: str) -> int:
        if not value:
            return 0
        if not (value.isascii() and value.isdigit() and len(value) <= 9):
            raise serializers.ValidationError("the cursor is the `next` of the page before")
        return int(value)


class SessionPage(IdPage):
    user = serializers.CharField(max_length=255, required=False)


class SessionList(APIView):
    @extend_schema(request=SessionIn)
    def post(self, request: Request) -> Response:
        """Open a session, or return the open one of the same owner with this `external_id`."""
        body = SessionIn(data=request.data)
        body.is_valid(raise_exception=True)
        fields = body.validated_data
        is_own = bool(fields.pop("owner", None))
        if not is_own and not fields.get("user") and not fields.get("external_id"):
            raise OwnerMissing("neither `user` nor `external_id` was given")
        if mode_in_force(fields["mode"]) is RetentionMode.INCOGNITO:
            return incognito.open_room(request)
        opened = open_session(agent=caller_of(request).agent, is_own=is_own, **fields)
        code = status.HTTP_201_CREATED if opened.is_new else status.HTTP_200_OK
        return Response(_shown(opened.session), status=code)

    @extend_schema(
        parameters=[SessionPage],
    )
    def get(self, request: Request) -> Response:
        """List sessions, newest first."""
        query = SessionPage(data=request.query_params)
        query.is_valid(raise_exception=True)
        asked = query.validated_data
        rows = Session.objects.within(caller_of(request).scope).order_by("-pk")
        if asked["after"]:
            rows = rows.filter(pk__lt=asked["after"])
        if "user" in asked:
            rows = rows.filter(owner__kind="user", owner__key=asked["user"])
        found, has_more = page(list(rows[: asked["limit"] + 1]), asked["limit"])
        results = [_shown(session) for session in found]
        return Response({"results": results, "next": found[-1].pk if has_more else None})


class SessionDetail(APIView):
    def get(self, request: Request, session: UUID) -> Response:
        """Show a session, its lanes, and how far its end has come."""
        if is_incognito(session):
            return incognito.show_room(request, session)
        found = session_of(request, session)
        lanes = {window.lane: window.last_seq for window in found.windows.all()}
        windows = [_window(window) for window in found.windows.order_by("-lane")]
        steps = [_step(step.name, step.state, step.error_code) for step in found.steps.all()]
        waiting = found.chunks.waiting_for_a_vector().count()
        chunks = {"count": found.chunks.count(), "waiting_for_a_vector": waiting}
        compactions = [_compaction(run) for run in latest_runs(found)]
        return Response(
            _shown(found)
            | {
                "lanes": lanes,
                "windows": windows,
                "compactions": compactions,
                "steps": steps,
                "chunks": chunks,
                "learning": learning_of(found),
            }
        )


class SessionEvents(APIView):
    @extend_schema(request=AppendIn, parameters=[KEY])
    def post(self, request: Request, session: UUID) -> Response:
        """Append 1 to 100 events or chat messages, all or none."""
        if is_incognito(session):
            drafts = APPEND.run_validation(request.data)["drafts"]
            return incognito.append(request, session, drafts)
        found, sent = session_of(request, session), APPEND.run_validation(request.data)
        events, repeated = accept_events(
            agent=caller_of(request).agent,
            session=found,
            drafts=sent["drafts"],
            key=key_of(request),
            usage=sent["usage"],
        )
        code = status.HTTP_200_OK if repeated else status.HTTP_201_CREATED
        return Response({"events": [receipt_of(event) for event in events]}, status=code)

    @extend_schema(parameters=[EventPage])
    def get(self, request: Request, session: UUID) -> Response:
        """Show a lane's log in order, after the cursor."""
        query = EventPage(data=request.query_params)
        query.is_valid(raise_exception=True)
        asked = query.validated_data
        if is_incognito(session):
            return incognito.events(request, session, **asked)
        found = session_of(request, session)
        rows = Event.objects.filter(session=found, lane=asked["lane"], seq__gt=asked["after"])
        events, has_more = page(list(rows.order_by("seq")[: asked["limit"] + 1]), asked["limit"])
        after = str(events[-1].seq) if has_more else None
        return Response({"results": [shown(event) for event in events], "next": after})


class SessionContext(APIView):
    @extend_schema(request=ContextIn)
    def post(self, request: Request, session: UUID) -> Response:
        """Return the next prompt, ready for a chat API, within the budget."""
        if is_incognito(session):
            asked = CONTEXT.run_validation(request.data)
            return incognito.context(request, session, **asked)
        found = session_of(request, session)
        prompt = assemble_context(session=found, **CONTEXT.run_validation(request.data))
        return Response(
            {
                "messages": prompt.messages,
                "tools": prompt.tools,
                "tokens": prompt.tokens,
                "receipt": prompt.receipt,
                "degraded": prompt.degraded or None,
                "turn": asdict(prompt.turn),
                "left_out": prompt.left_out,
            }
        )


class SessionEnd(APIView):
    @extend_schema(request=EndIn)
    def post(self, request: Request, session: UUID) -> Response:
        """End a session: its log closes now, the rest follows in the background."""
        body = EndIn(data=request.data)
        body.is_valid(raise_exception=True)
        if is_incognito(session):
            return incognito.end(request, session, feedback=body.validated_data["feedback"])
        found = session_of(request, session)
        _record_feedback(found, body.validated_data["feedback"])
        end_session(session=found, reason=body.validated_data["reason"])
        found.refresh_from_db()
        steps = [_step(step.name, step.state, step.error_code) for step in found.steps.all()]
        return Response(_shown(found) | {"steps": steps})


class SessionCompact(APIView):
    @extend_schema(request=LaneIn)
    def post(self, request: Request, session: UUID) -> Response:
        """Fold what may leave a lane's prompt, in the background; nothing of the log is lost."""
        found = session_of(request, session)
        body = LaneIn(data=request.data)
        body.is_valid(raise_exception=True)
        lane = body.validated_data["lane"]
        trigger = CompactionRun.Trigger.API
        outcome = request_compaction(session=found, lane=lane, trigger=trigger)
        code = (
            status.HTTP_202_ACCEPTED if outcome is RequestOutcome.SCHEDULED else status.HTTP_200_OK
        )
        return Response({"outcome": outcome.value, "lane": lane}, status=code)


class SessionHeartbeat(APIView):
    @extend_schema(request=None)
    def post(self, request: Request, session: UUID) -> Response:
        """Keep both lanes' summaries and boundaries, have vectors filled, and read HEARTBEAT.md."""
        found = session_of(request, session)
        taken = beat_session(session=found)
        answer = {"snapshot": taken.pk, "taken_at": taken.taken_at, "lanes": taken.lanes}
        return Response(answer | {"rules": heartbeat_rules(found.owner)})


class SessionTranscript(APIView):
    @extend_schema(request=TranscriptIn, parameters=[KEY])
    def post(self, request: Request, session: UUID) -> Response:
        """Append a whole conversation and end the session, both or neither."""
        found = session_of(request, session)
        body = TranscriptIn(data=request.data)
        body.is_valid(raise_exception=True)
        events, repeated = accept_transcript(
            agent=caller_of(request).agent,
            session=found,
            drafts=body.validated_data["messages"],
            key=key_of(request),
            is_import=body.validated_data["is_import"],
        )
        found.refresh_from_db()
        code = status.HTTP_200_OK if repeated else status.HTTP_201_CREATED
        return Response(_shown(found) | {"events": len(events)}, status=code)


def session_of(request: Request, session: UUID) -> Session:
    """Return the caller's session. Raises NotFound."""
    found = find_session(agent=caller_of(request).agent, session=session)
    if found is None:
        raise NotFound
    return found


def _record_feedback(session: Session, label: str | None) -> None:
    """Record the label before anything is summarised; one is kept of a session, the first."""
    if label is None:
        return
    turns = Event.objects.filter(session=session, lane=Lane.EDGE, type=Event.Type.USER_MSG)
    record_feedback(session=session.pk, owner=session.owner, label=label, turns=turns.count())


def _step(name: str, state: str, error_code: str) -> Mapping[str, str | None]:
    return {"name": name, "state": state, "error_code": error_code or None}


def _window(window: LaneWindow) -> dict[str, object]:
    return {
        "lane": window.lane,
        "start_seq": window.start_seq,
        "kept": window.kept,
        "last_seq": window.last_seq,
        "summary_tokens": window.summary_tokens,
        "calibration": window.calibration,
    }


def _compaction(run: CompactionRun) -> dict[str, object]:
    return {
        "lane": run.lane,
        "strategy": run.strategy,
        "trigger": run.trigger,
        "state": run.state,
        "folded": len(run.folded),
        "error_code": run.error_code or None,
        "at": run.created_at,
    }


def _shown(session: Session) -> dict[str, object]:
    return {
        "id": session.pk,
        "external_id": session.external_id or None,
        "state": session.state,
        "mode": session.mode,
        "strategy": session.strategy,
        "metadata": session.metadata,
        "end_reason": session.end_reason or None,
        "opened_at": session.opened_at,
        "last_event_at": session.last_event_at,
        "ended_at": session.ended_at,
        "tier": session.tier or None,
        "summary": session.summary or None,
    }
