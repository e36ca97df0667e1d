"""The Model Context Protocol: streamable HTTP at /mcp, stateless, each answer one JSON."""
