"""Whether the web server can have its port."""

import socket

import pytest

from memory_project.address import HOST, AddressTaken, check_port


def test_a_free_port_is_fine():
    with socket.socket() as probe:
        probe.bind((HOST, 0))
        port = probe.getsockname()[1]

    check_port(port)


def test_a_taken_port_is_named_with_the_way_out():
    with socket.socket() as other:
        other.bind((HOST, 0))
        other.listen()
        port = other.getsockname()[1]

        with pytest.raises(AddressTaken, match=f"port {port} .*is taken.*RECOLLECT_PORT"):
            check_port(port)


def test_a_number_too_high_is_no_port():
    with pytest.raises(AddressTaken, match="highest is 65535"):
        check_port(70_000)
