"""What a connection's tool says of itself: asked for at its address, or sent by the agent."""

from collections.abc import Mapping
from typing import Protocol

import httpx2
from django.conf import settings
from django.utils import timezone

from accounts.models import Connection
from consolidation.errors import FetchFailed
from knowledge.models import ConnectionContext
from memory.hashing import canonical
from memory.strict_json import InvalidJson, read_json
from providers.http import ReplyEndless, client

Data = Mapping[str, object]
MOST_BYTES = 65_536
SECONDS = 5.0


class Fetcher(Protocol):
    """One way to what a tool says of itself."""

    def fetch(self, connection: Connection, kind: str) -> Data:
        """Return a JSON object of at most 64 KiB. Raises FetchFailed."""
        ...


class HttpFetcher:
    """Asks a connection's `schema_url`, at the operator's own choice of hosts alone."""

    def fetch(self, connection: Connection, kind: str) -> Data:
        address = _allowed(connection.schema_url).copy_merge_params({"kind": kind})
        try:
            with client() as http:
                reply = http.get(address, timeout=SECONDS)
        except (httpx2.HTTPError, ReplyEndless) as error:
            raise FetchFailed("fetch_unavailable") from error
        if reply.status_code != httpx2.codes.OK:
            raise FetchFailed("fetch_unavailable")
        return fit(_read(reply.content))


class PushedFetcher:
    """Has only what the agent sent, for as long as it counts: nobody can be asked for more."""

    def fetch(self, connection: Connection, kind: str) -> Data:
        rows = ConnectionContext.objects.filter(connection=connection, kind=kind)
        found = rows.filter(expires_at__gt=timezone.now()).first()
        if found is None:
            raise FetchFailed("context_not_pushed")
        data: Data = found.data
        return data


FETCHERS: Mapping[str, Fetcher] = {
    Connection.Refresh.HTTP: HttpFetcher(),
    Connection.Refresh.PUSHED: PushedFetcher(),
}


def fit(data: object) -> Data:
    """Return an object that can be kept. Raises FetchFailed."""
    if not isinstance(data, dict) or len(canonical(data)) > MOST_BYTES:
        raise FetchFailed("fetch_unfit")
    return data


def _read(content: bytes) -> object:
    if len(content) > MOST_BYTES:
        raise FetchFailed("fetch_unfit")
    try:
        return read_json(content)
    except InvalidJson as error:
        raise FetchFailed("fetch_unfit") from error


def _allowed(address: str) -> httpx2.URL:
    """Return the address. Raises FetchFailed for any host that the operator has not listed."""
    try:
        # Read by what sends it: two readers could see two hosts.
        url = httpx2.URL(address)
    except httpx2.InvalidURL as error:
        raise FetchFailed("fetch_refused") from error
    host = f"{url.host}:{url.port}" if url.port else url.host
    is_plain = url.scheme in {"http", "https"} and not url.userinfo
    if not is_plain or host not in settings.TOOL_HOSTS:
        raise FetchFailed("fetch_refused")
    return url
