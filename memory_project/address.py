"""The address the web server listens on: is it free, does it answer."""

import errno
import http.client
import socket

HOST = "127.0.0.1"


class AddressTaken(Exception):
    """Nothing can listen there; the text says why, and what to do."""


def check_port(port: int) -> None:
    """Do nothing where the port is free. Raises AddressTaken."""
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((HOST, port))
        except (OSError, OverflowError) as error:
            fix = "choose another: RECOLLECT_PORT=8711 make up"
            raise AddressTaken(f"port {port} cannot be used ({_reason(error)}); {fix}") from error


def _reason(error: OSError | OverflowError) -> str:
    if isinstance(error, OverflowError):
        return "the highest is 65535"
    return "it is taken" if error.errno == errno.EADDRINUSE else f"{error.strerror}"


def is_ready(port: int) -> bool:
    # Not with urllib: a proxy of the environment is not asked about this machine.
    asked = http.client.HTTPConnection(HOST, port, timeout=5)
    try:
        asked.request("GET", "/health/ready")
        return asked.getresponse().status == http.HTTPStatus.OK
    except (OSError, http.client.HTTPException):
        return False
    finally:
        asked.close()
