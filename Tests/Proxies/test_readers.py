"""Clients that ask for much and read little or slowly: their cost is bounded, and nobody waits for them."""

import time

import pytest

from cost import IDLE, MB, attacked, check_prompt, download, flood
from streams import Streams
from wire import Wire, get


@pytest.mark.parametrize("tls", [False, True], ids=["plain", "TLS"])
def test_unread_files(start, tls):
    server = start(tls=tls)
    with attacked(server) as cost:
        wires = [Wire(server.port, context=server.context).send(get("/15.bin")) for _ in range(40)]
        check_prompt(server)
        assert cost.added() < 8 * MB
        # The kernel takes megabytes for each when it is let.
        assert server.queued() < 8 * MB
        assert server.share(0.5) < IDLE
        for wire in wires:
            wire.close()


@pytest.mark.parametrize("window", [0, 65_535])
def test_unread_streams(start, window):
    """The connection's own window holds 65,535 bytes for all of them."""
    server = start(tls=True)
    with attacked(server) as cost:
        with Streams(server.port, window) as streams:
            numbers = {streams.get("/10.bin") for _ in range(100)}
            while set(streams.statuses) != numbers:
                streams.receive()
            assert set(streams.statuses.values()) == {"200"}
            check_prompt(server)
            assert cost.added() < 10 * MB
            assert server.share(0.5) < IDLE


def test_unread_answers_of_requests_in_a_row(start):
    """Each request is small, each answer is not; nobody reads any."""
    server = start()
    with attacked(server) as cost:
        wires = [Wire(server.port) for _ in range(20)]
        for wire in wires:
            wire.socket.setblocking(False)
            flood(wire.socket, get("/2.bin") * 1000)
        check_prompt(server)
        assert cost.added() < 8 * MB
        assert server.share(0.5) < IDLE
        for wire in wires:
            wire.close()


@pytest.mark.parametrize("tls", [False, True], ids=["plain", "TLS"])
def test_a_large_file_comes_as_fast_as_it_is_read(start, tls):
    """Again and again: what is left of it must not wait for a clock."""
    server = start(tls=tls)
    times = sorted(download(server, "15.bin") for _ in range(12))
    # The machine may stall during two of them.
    assert times[-3] < 2, times


@pytest.mark.parametrize("window", [65_535, 64 << 20], ids=["small windows", "large windows"])
def test_large_files_over_http2(start, window):
    """A client with large windows, as browsers and curl have, says nothing while it is being sent to."""
    server = start(tls=True)
    expected = (server.public / "10.bin").read_bytes()
    with Streams(server.port, window, room=window) as streams:
        numbers = [streams.get("/10.bin") for _ in range(4)]
        beginning = time.monotonic()
        while len(streams.ended) < len(numbers):
            streams.receive(takes=True)
        assert time.monotonic() - beginning < 30
    assert all(streams.bytes[number] == expected for number in numbers)


@pytest.mark.parametrize("tls", [False, True], ids=["plain", "TLS"])
def test_a_slow_reader_gets_it_all(start, tls):
    """Deadlines are for those who take nothing."""
    server = start(tls=tls, write_seconds=1)
    assert 2 < download(server, "2.bin", pause=0.02, piece=1 << 14) < 20
