"""One HTTP exchange with the SDK's own transport, inside an ordinary request."""

import asyncio
from collections.abc import Mapping, MutableMapping
from dataclasses import dataclass, field
from typing import Any

from mcp.server.lowlevel import Server
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from mcp.server.transport_security import TransportSecuritySettings

# As ASGI has it: what the values are hangs on its `type`.
Message = MutableMapping[str, Any]
# Origin and Host are checked before this.
UNGUARDED = TransportSecuritySettings(enable_dns_rebinding_protection=False)


@dataclass(slots=True)
class ExchangeReply:
    status: int = 500
    headers: dict[str, str] = field(default_factory=dict)
    body: bytes = b""

    async def take(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self.status = message["status"]
            pairs = message.get("headers", [])
            self.headers = {
                name.decode("latin-1"): value.decode("latin-1") for name, value in pairs
            }
        elif message["type"] == "http.response.body":
            self.body += message.get("body", b"")


async def exchange(
    server: Server[object], headers: Mapping[str, str], body: bytes
) -> ExchangeReply:
    """Let the transport answer one POST; it keeps nothing from one to the next."""
    reply, pending = ExchangeReply(), [body]

    async def receive() -> Message:
        if not pending:
            await asyncio.Event().wait()
        return {"type": "http.request", "body": pending.pop(), "more_body": False}

    manager = StreamableHTTPSessionManager(
        server, json_response=True, stateless=True, security_settings=UNGUARDED
    )
    async with manager.run():
        await manager.handle_request(_scope(headers), receive, reply.take)
    return reply


def _scope(headers: Mapping[str, str]) -> dict[str, object]:
    raw = [
        (name.lower().encode("latin-1"), value.encode("latin-1")) for name, value in headers.items()
    ]
    return {
        "type": "http",
        "asgi": {"version": "3.0"},
        "http_version": "1.1",
        "method": "POST",
        "scheme": "http",
        "path": "/mcp",
        "raw_path": b"/mcp",
        "root_path": "",
        "query_string": b"",
        "headers": raw,
        "client": None,
        "server": None,
    }
