"""Whether the endpoint of the models can be reached, found out without asking it anything."""

import socket
from urllib.parse import urlsplit
from urllib.request import getproxies, proxy_bypass

PORTS = {"http": 80, "https": 443}
SECONDS = 3.0


def why_unreachable(url: str) -> str:
    """Return why nothing answers at an address, or the proxy before it; empty where something does."""
    try:
        place = _place(url)
    except ValueError:
        place = None
    if place is None:
        return "it is no address that begins with http:// or https://"
    try:
        with socket.create_connection(place, timeout=SECONDS):
            return ""
    except OSError as error:
        return error.strerror or str(error) or type(error).__name__


def _place(url: str) -> tuple[str, int] | None:
    """Return the host and port to connect to; None where the address names none."""
    parts = urlsplit(url)
    if parts.scheme not in PORTS or not parts.hostname:
        return None
    proxy = getproxies().get(parts.scheme)
    if proxy and not proxy_bypass(parts.hostname):
        parts = urlsplit(proxy if "://" in proxy else f"http://{proxy}")
    return (parts.hostname or "", parts.port or PORTS.get(parts.scheme, 80))
