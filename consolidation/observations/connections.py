"""What a connection's tool says of itself: kept for a while, then asked for again."""

import logging
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.conf import settings
from django.utils import timezone

from accounts.models import Connection
from consolidation.errors import FetchFailed
from consolidation.observations.tool_fetching import FETCHERS, fit
from knowledge.errors import ConnectionUnfit
from knowledge.models import ConnectionContext

log = logging.getLogger(__name__)
Kind = ConnectionContext.Kind


@dataclass(frozen=True, slots=True)
class ToolContext:
    """`degraded` is the code of why it is old, or empty; empty itself while it counts."""

    data: Mapping[str, object]
    fetched_at: datetime | None = None
    expires_at: datetime | None = None
    degraded: str = ""


def read_context(*, connection: Connection, kind: str = Kind.SCHEMA) -> ToolContext:
    """Return what the tool says of itself, asked for anew once it is too old.

    When it cannot be had, what was known is returned, and says so; it is asked again next time.
    """
    held = _held(connection, kind)
    if held and held.expires_at > timezone.now():
        return _shown(held)
    try:
        data = FETCHERS[connection.refresh].fetch(connection, kind)
    except FetchFailed as error:
        log.warning("connection %s not refreshed: %s", connection.pk, error.code)
        if held is None:
            return ToolContext({}, degraded=error.code)
        ConnectionContext.objects.filter(pk=held.pk).update(error_code=error.code)
        return _shown(held, error.code)
    return _shown(_keep(connection, kind, data))


def push_context(
    *, connection: Connection, data: Mapping[str, object], kind: str = Kind.SCHEMA
) -> ToolContext:
    """Keep what the agent sends of its tool. Raises ConnectionUnfit."""
    if connection.refresh != Connection.Refresh.PUSHED:
        raise ConnectionUnfit("it is fetched from the connection's address, and not sent")
    try:
        return _shown(_keep(connection, kind, fit(data)))
    except FetchFailed as error:
        raise ConnectionUnfit("what a tool says of itself takes at most 65,536 bytes") from error


def _held(connection: Connection, kind: str) -> ConnectionContext | None:
    return ConnectionContext.objects.filter(connection=connection, kind=kind).first()


def _keep(connection: Connection, kind: str, data: Mapping[str, object]) -> ConnectionContext:
    now = timezone.now()
    lifetime = timedelta(seconds=settings.CONNECTION_CONTEXT_SECONDS)
    kept: ConnectionContext
    kept, _ = ConnectionContext.objects.update_or_create(
        connection=connection,
        kind=kind,
        defaults={
            "data": data,
            "fetched_at": now,
            "expires_at": now + lifetime,
            "error_code": "",
        },
    )
    return kept


def _shown(row: ConnectionContext, degraded: str = "") -> ToolContext:
    return ToolContext(row.data, row.fetched_at, row.expires_at, degraded)
