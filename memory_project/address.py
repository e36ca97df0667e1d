"""The address the web server listens on: is it free, does it answer."""

import errno
import http.client
import socket

HOST = "127.0.0.1"
EVERY = frozenset({"", "0.0.0.0", "::"})  # noqa: S104 - named, not bound


class AddressTaken(Exception):
    """Nothing can listen there; the text says why, and what to do."""


def check_port(port: int, host: str = HOST) -> None:
    """Do nothing where the port is free. Raises AddressTaken."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with socket.socket(family) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((host, port))
        except (OSError, OverflowError) as error:
            fix = "choose another, like RECOLLECT_PORT=8711"
            raise AddressTaken(f"port {port} cannot be used ({_reason(error)}); {fix}") from error


def _reason(error: OSError | OverflowError) -> str:
    if isinstance(error, OverflowError):
        return "the highest is 65535"
    return "it is taken" if error.errno == errno.EADDRINUSE else f"{error.strerror}"


def reached_at(bind: str) -> str:
    """Return the address at which this machine reaches what listens on `bind`."""
    return HOST if bind in EVERY else bind


def is_ready(port: int, host: str = HOST) -> bool:
    # Not with urllib: a proxy of the environment is not asked about this machine.
    asked = http.client.HTTPConnection(host, port, timeout=5)
    try:
        # This machine's own name is always among those the server answers to.
        asked.request("GET", "/health/ready", headers={"Host": "localhost"})
        return asked.getresponse().status == http.HTTPStatus.OK
    except (OSError, http.client.HTTPException):
        return False
    finally:
        asked.close()
