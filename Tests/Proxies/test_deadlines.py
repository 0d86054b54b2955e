"""Clients that fall silent, send too slowly or leave at once: nothing of them stays, and no loop is kept busy."""

import socket
import struct
import time
from dataclasses import dataclass

import pytest

from cost import IDLE, attacked, check_prompt, flood
from servers import ATTACKERS_KEY, page, until
from wire import Wire, bearer, get, post, request


@dataclass
class Idler:
    """Sends something, reads some of the answer, then falls silent."""

    name: str
    sent: bytes
    reads: bytes = b""
    tls: bool = False
    # Without a handshake.
    is_raw: bool = False


IDLERS = [
    Idler("nothing", b""),
    Idler("half a head", b"GET /up HTTP/1.1\r\nHost: loc"),
    Idler("half a body", request("POST /webhooks/apple HTTP/1.1", "Content-Length: 500", body=b"only a part")),
    Idler("a body that is never continued",
          request("POST /orders HTTP/1.1", "Content-Length: 5", "Expect: 100-continue"), b"100 Continue"),
    Idler("one request", get("/up"), b"up\n"),
    Idler("one request and a half", get("/up") + b"GET /up", b"up\n"),
    Idler("a flaw", get("/up", "X : b"), b"malformed_request"),
    Idler("a large file", get("/15.bin"), b"200 OK"),
    Idler("large files in a row", get("/15.bin") * 100, b"200 OK"),
    Idler("no handshake", b"", tls=True, is_raw=True),
    Idler("half a handshake", b"\x16\x03\x01\x02\x00\x01\x00", tls=True, is_raw=True),
    Idler("half a head over TLS", b"GET /up HTTP/1.1\r\nHost: loc", tls=True),
    Idler("one request over TLS", get("/up"), b"up\n", tls=True),
    Idler("a large file over TLS", get("/15.bin"), b"200 OK", tls=True),
]
SECONDS = {"header_seconds": 1, "body_seconds": 1, "idle_seconds": 1, "write_seconds": 1}


@pytest.mark.parametrize("tls", [False, True], ids=["plain", "TLS"])
def test_who_says_nothing_is_left(start, tls):
    """The server closes idle clients; until then they cost no CPU time."""
    server = start(tls=tls, **SECONDS)
    idlers = [idler for idler in IDLERS if idler.tls == tls]
    with attacked(server):
        wires, before = [], server.descriptors()
        for idler in idlers * 5:
            wires.append(Wire(server.port, context=None if idler.is_raw else server.context))
            wires[-1].send(idler.sent)
            if idler.reads:
                assert idler.reads in wires[-1].read(idler.reads)
        assert server.share(0.5) < 2 * IDLE
        # Before any of them leaves. What was said last has some seconds of its own to be read.
        assert until(lambda: server.descriptors() <= before, 15), server.descriptors() - before
        for wire in wires:
            wire.close()


# Each is longer than the test: none of them is ever whole.
DRIPS = [
    (b"", get("/up", "X: " + "x" * 1000)),
    (b"", post("/webhooks/apple", b"x" * 1000)),
    (post("/webhooks/apple", b"x"), get("/up", "X: " + "x" * 1000)),
    (post("/webhooks/apple", b"x"), post("/webhooks/apple", b"x" * 1000)),
]


@pytest.mark.parametrize("tls", [False, True], ids=["plain", "TLS"])
def test_a_byte_now_and_then_wins_no_time(start, tls):
    """Deadlines are for the whole of a head and of a body, the second request's as well as the first one's."""
    server = start(tls=tls, **SECONDS)
    with attacked(server):
        dripping = []
        for first, rest in DRIPS:
            wire = Wire(server.port, context=server.context)
            if first:
                assert wire.send(first).answer().status == 400
            head = rest.index(b"\r\n\r\n") + 4 if rest.startswith(b"POST") else 1
            dripping.append((wire.send(rest[:head]), iter(rest[head:])))
        # Sooner than by the deadlines that a server has without settings.
        assert until(lambda: not [wire for wire, rest in dripping if drip(wire, rest)], 15, pause=0.1)


def drip(wire, rest):
    """Whether it still takes bytes."""
    try:
        wire.send(bytes([next(rest)]))
        return not (wire.receive(time.monotonic() + 0.001) or wire.has_ended)
    except OSError:
        return False


def test_nobody_who_stays_keeps_a_loop_busy(start):
    """Each has bytes waiting that nobody reads, or reads nothing of what waits for it."""
    server = start()
    kinds = [
        get(page("a")) + get("/up") * 2000,
        get(page("a"), "Connection: Upgrade", "Upgrade: websocket", "Sec-WebSocket-Version: 13",
            "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ=="),
        get("/15.bin") + get("/up") * 2000,
        get("/up") + request("POST /orders HTTP/1.1", "Content-Le")[:-4],
        request("POST /orders HTTP/1.1", "Content-Length: 500", body=b"only a part"),
        post("/orders", b"x" * 300_000),
        b"\r\n",
    ]
    with attacked(server):
        wires = []
        for index, sent in enumerate(kinds * 4):
            wires.append(Wire(server.port))
            wires[-1].socket.setblocking(False)
            flood(wires[-1].socket, sent)
            if index % 2:
                wires[-1].socket.shutdown(socket.SHUT_WR)
        assert until(lambda: server.share(0.2) < IDLE, 30) and server.share(0.5) < IDLE
        for wire in wires:
            wire.close()


def test_sudden_ends(start):
    """Resets in every phase of a request, thousands of them, leave nothing behind."""
    server = start()
    kinds = [
        b"", b"GET /u", get("/up", "X : b"), get("/15.bin"), get(page("a")), get("/up") * 20,
        request("POST /orders HTTP/1.1", bearer(ATTACKERS_KEY), "Content-Length: 500", body=b"a part"),
        post("/orders", b'{"user":"u","product":"p"}', bearer(ATTACKERS_KEY)),
        get(page("a"), "Connection: Upgrade", "Upgrade: websocket", "Sec-WebSocket-Version: 13",
            "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==", body=b"\x81\x85\0\0"),
    ]
    with attacked(server):
        for index in range(3000):
            with socket.create_connection(("127.0.0.1", server.port), 5) as client:
                client.sendall(kinds[index % len(kinds)])
                if index % 3 == 0:
                    client.settimeout(0.001)
                    try:
                        client.recv(100)
                    except OSError:
                        pass
                # Closing resets.
                client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        check_prompt(server)
