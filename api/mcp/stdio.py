"""The same server over standard input and output, for hosts that start what they talk to."""

from mcp.server.stdio import stdio_server

from api.mcp.asking import Asking
from api.mcp.server import server_for


async def serve(asking: Asking) -> None:
    """Answer one host until it closes its end. Nothing else may write to standard output."""
    server = server_for(asking)
    async with stdio_server() as (requests, answers):
        await server.run(requests, answers, server.create_initialization_options())
