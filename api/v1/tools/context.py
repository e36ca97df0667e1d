"""context_tool.record_observation, update_user_context and update_connection_context."""

from rest_framework import serializers

from accounts.owners import scope_of
from api.v1.fields import Body, Text
from api.v1.tools.base import Json, Tool, ToolInvocation
from api.v1.tools.whose import person_of
from consolidation.observations.record import LONGEST, Observed, record_observation
from consolidation.observations.user_context import ChangeOrigin, UserContext, request_update
from knowledge.connections import find_connection, update_connection_context
from knowledge.models.profile import Channel
from recall.prompt import tools as offered

MOST_PARTS = 50
INCOGNITO: Json = {"recorded": False, "reason": "incognito"}


class ObservationIn(Body):
    """Which categories there are is told by an error of their own."""

    content = Text(max_length=LONGEST)
    category = Text(max_length=50)


class UserContextIn(Body):
    scaffold_updates = serializers.DictField(
        child=serializers.JSONField(allow_null=True), required=False
    )
    persistent_info_additions = serializers.ListField(
        child=Text(max_length=LONGEST), max_length=MOST_PARTS, required=False
    )

    def validate_scaffold_updates(self, value: dict[str, object]) -> dict[str, object]:
        if len(value) > MOST_PARTS:
            raise serializers.ValidationError(f"at most {MOST_PARTS} keys at once")
        return value


class ConnectionContextIn(Body):
    connection = serializers.UUIDField()
    learned_info = serializers.DictField()


def record(call: ToolInvocation, arguments: Json) -> Json:
    """Note what the model has noticed; it is worked in later."""
    if call.is_incognito:
        return INCOGNITO
    observed = Observed(str(arguments["category"]), str(arguments["content"]), call.session)
    made, _ = record_observation(owner=person_of(call), observed=observed, key=call.request_key)
    return {"recorded": True, "id": made.pk}


def update_user(call: ToolInvocation, arguments: Json) -> Json:
    """Note each new value of the picture, and each fact, as an observation of its own."""
    if call.is_incognito:
        return INCOGNITO
    found = ChangeOrigin(Channel.INTERACTIVE, session=call.session)
    update = UserContext(**arguments)  # type: ignore[arg-type]  # the fields are the update's
    made = request_update(owner=person_of(call), update=update, found=found, key=call.request_key)
    return {"recorded": True, "ids": [event.pk for event in made]}


def update_connection(call: ToolInvocation, arguments: Json) -> Json:
    """Keep at once what the model has learned of a connection of the session's user."""
    if call.is_incognito:
        return INCOGNITO
    scope = scope_of(call.agent, owner=person_of(call).pk)
    found = find_connection(scope=scope, connection=arguments["connection"])  # type: ignore[arg-type]  # checked
    changed = update_connection_context(
        connection=found,
        learned_info=arguments["learned_info"],  # type: ignore[arg-type]  # checked
    )
    return {"recorded": True, "id": changed.pk, "version": changed.version}


RECORD = Tool(
    name=offered.RECORD,
    description=offered.RECORD_DESCRIPTION,
    parameters=offered.RECORD_PARAMETERS,
    arguments=ObservationIn,
    run=record,
    knows_incognito=True,
)
UPDATE_USER = Tool(
    name="context_tool.update_user_context",
    description=(
        "Note what is to change in what is known of the user: values of the profile's keys, and "
        "facts to be added."
    ),
    parameters={
        "type": "object",
        "properties": {
            "scaffold_updates": {
                "type": "object",
                "description": "Keys of the profile and their new values; null takes a key away.",
            },
            "persistent_info_additions": {
                "type": "array",
                "items": {"type": "string", "maxLength": LONGEST},
                "description": "Facts, each a sentence.",
                "maxItems": MOST_PARTS,
            },
        },
        "required": [],
        "additionalProperties": False,
    },
    arguments=UserContextIn,
    run=update_user,
    knows_incognito=True,
)
UPDATE_CONNECTION = Tool(
    name=offered.UPDATE,
    description=offered.UPDATE_DESCRIPTION,
    parameters=offered.UPDATE_PARAMETERS,
    arguments=ConnectionContextIn,
    run=update_connection,
    knows_incognito=True,
)
TOOLS = (RECORD, UPDATE_USER, UPDATE_CONNECTION)
