"""A crisis that an agent detected: written into the sealed log, and never read from here."""

from uuid import UUID

from drf_spectacular.utils import extend_schema
from rest_framework import serializers, status
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from accounts.sealed.keeping import RecordState
from api.v1 import incognito
from api.v1.fields import Body, Flag, Number, Text
from api.v1.sessions import session_of
from crisis.log import Detection, report_crisis
from crisis.models import CrisisRecord
from memory.incognito import is_incognito
from memory.sessions import raise_crisis_level

CODE = r"^[A-Za-z0-9][A-Za-z0-9_.:-]{0,59}\Z"
STATUS = {
    RecordState.RECORDED: status.HTTP_201_CREATED,
    RecordState.REPEATED: status.HTTP_200_OK,
    RecordState.WAITING: status.HTTP_202_ACCEPTED,
}


class CodeField(serializers.RegexField):
    """A code of the caller's: one word, and no sentence of anybody's."""

    def __init__(self, **options: object) -> None:
        super().__init__(CODE, **options)  # type: ignore[arg-type]  # passed on

    def to_internal_value(self, data: object) -> str:
        if not isinstance(data, str):
            self.fail("invalid")
        value: str = super().to_internal_value(data)
        return value


class CrisisIn(Body):
    """`id` makes a repetition harmless. Of `reason` the words of a fixed vocabulary are kept."""

    id = serializers.UUIDField(required=False, allow_null=True, default=None)
    level = Number(min_value=0, max_value=3)
    classifier_path = serializers.ChoiceField(choices=CrisisRecord.Path.choices)
    override_kind = CodeField(required=False, allow_blank=True, default="")
    reason = Text(required=False, allow_blank=True, default="")
    response_node_completed = Flag(default=False)
    llm_failure_occurred = Flag(default=False)
    response_style = CodeField(required=False, allow_blank=True, default="")
    resource_lookup_status = serializers.ChoiceField(
        choices=CrisisRecord.Lookup.choices, default=CrisisRecord.Lookup.NOT_ATTEMPTED.value
    )
    resource_count = Number(min_value=0, max_value=1_000, default=0)
    tool_calls = serializers.ListField(child=CodeField(), max_length=20, default=list)
    response_path = serializers.ChoiceField(
        choices=CrisisRecord.ResponsePath.choices, default=CrisisRecord.ResponsePath.UNKNOWN.value
    )
    fallback_reason = Text(required=False, allow_blank=True, default="")
    trace_id = CodeField(required=False, allow_blank=True, default="")


class SessionCrisis(APIView):
    @extend_schema(
        request=CrisisIn,
    )
    def post(self, request: Request, session: UUID) -> Response:
        """Record a detected crisis: 201 new, 200 known, 202 if it could not be written yet."""
        body = CrisisIn(data=request.data)
        body.is_valid(raise_exception=True)
        fields = body.validated_data
        given = fields.pop("id")
        detection = Detection(**fields)
        if is_incognito(session):
            kept = incognito.crisis(request, session, id=given, detection=detection)
        else:
            found = session_of(request, session)
            kept = report_crisis(session=found.pk, owner=found.owner, id=given, detection=detection)
            raise_crisis_level(session=found, level=detection.level)
        return Response({"outcome": kept.value}, status=STATUS[kept])
