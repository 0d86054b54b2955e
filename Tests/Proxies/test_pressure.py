"""Clients that take much and give little: what they cost is bounded, nobody waits for them, and all of it comes back."""

import hashlib
import resource
import socket
import statistics
import struct
import subprocess
import sys
import threading
import time
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

from servers import ATTACKERS_KEY, UNVERIFIED, Paycast, page, until
from streams import Streams
from wire import Wire, bearer, get, post, request

# As Paycast's memory is counted.
MB = 1024
FILES = {"2.bin": 2 << 20, "10.bin": 10 << 20, "15.bin": 15 << 20}
PROMPT = 0.05
# Of a core, in a second in which nobody says anything: a loop that spins takes all of one.
IDLE = 0.1
# What may stay: the first thousand connections fill tables that are kept.
KEPT = 4 * MB


@pytest.fixture(scope="module")
def large(tmp_path_factory):
    folder = tmp_path_factory.mktemp("large")
    for name, size in FILES.items():
        (folder / name).write_bytes(hashlib.shake_128(name.encode()).digest(size))
    return folder


@pytest.fixture
def start(tmp_path, large, certificate):
    """Starts a server, with what its first requests cost behind it."""
    servers = []

    def start(tls=False, **settings):
        server = Paycast(tmp_path, large, certificate if tls else None, **settings)
        servers.append(server)
        server.context = UNVERIFIED if tls else None
        for _ in range(20):
            assert ask(server, post("/webhooks/apple", b"junk")).status == 400
            assert ask(server, get("/up")).status == 200
        assert download(server, "10.bin") < 10
        return server

    yield start
    for server in servers:
        assert server.stop(), server.log.read_text()


def ask(server, sent, seconds=5.0):
    with Wire(server.port, seconds, server.context) as wire:
        return wire.send(sent).answer()


def download(server, name, pause=0.0, piece=1 << 16):
    """Seconds until the whole file has come, and is the right one."""
    start, digest = time.monotonic(), hashlib.sha256()
    with Wire(server.port, 5, server.context) as wire:
        wire.send(get(f"/{name}", "Connection: close")).read(b"\r\n\r\n")
        digest.update(wire.buffer)
        while chunk := wire.socket.recv(piece):
            digest.update(chunk)
            if pause:
                time.sleep(pause)
    assert digest.digest() == hashlib.sha256((server.public / name).read_bytes()).digest()
    return time.monotonic() - start


class Cost:
    """KB of memory since the beginning."""

    def __init__(self, server):
        self.server = server
        self.before = server.settled()

    def added(self):
        return self.server.settled() - self.before


@contextmanager
def attacked(server):
    """When it is over, memory and descriptors are back where they were, and no loop has anything left to do."""
    cost, descriptors = Cost(server), server.descriptors()
    yield cost
    assert until(lambda: server.descriptors() <= descriptors), f"{server.descriptors()} descriptors, not {descriptors}"
    assert until(lambda: server.resident() < cost.before + KEPT, 5), f"{cost.added()} KB stay"
    assert server.share() < IDLE


def check_prompt(server, count=20):
    """Others are answered: a store's webhook and a probe, each on a new connection."""
    for sent, status in ((post("/webhooks/apple", b"junk"), 400), (get("/up"), 200)):
        times = []
        for _ in range(count):
            start = time.monotonic()
            assert ask(server, sent).status == status
            times.append(time.monotonic() - start)
        # Not each of them: the machine does other things, too.
        assert statistics.median(times) < PROMPT and max(times) < 20 * PROMPT, sorted(times)


# Half-sent requests


@contextmanager
def crowd(server, count, sent):
    """So many clients, from several addresses, that said that much and hold their connections."""
    share = min(count, descriptors() - 100)
    program = [sys.executable, Path(__file__).with_name("crowd.py"), str(server.port)]
    clients = []
    for first in range(0, count, share):
        command = [*program, str(min(share, count - first)), str(first)]
        clients.append(subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True))
        clients[-1].stdin.write(f"{sent.hex()}\n")
        clients[-1].stdin.flush()
    held = sum(int(client.stdout.readline().split()[1]) for client in clients)
    try:
        yield held
    finally:
        for client in clients:
            client.communicate("\n", timeout=60)


def descriptors():
    """Of one process."""
    return resource.getrlimit(resource.RLIMIT_NOFILE)[1]


@dataclass
class Half:
    name: str
    sent: bytes
    # KB of memory that one may take.
    each: float
    # Of all those that a test opens.
    part: float = 1.0


HALVES = [
    Half("half a head", get("/up", "X-Half: " + "x" * 100)[:-2], 4),
    Half("nothing", b"", 4, part=0.3),
    Half("half a line", b"GET /u", 4, part=0.3),
    Half("a head that goes on", get("/up", "X-Half: " + "x" * 15_000)[:-4], 24, part=0.1),
    Half("a promised body", request("POST /webhooks/apple HTTP/1.1", "Content-Length: 262144"), 4, part=0.3),
    Half("a body that waits to be continued",
         request("POST /webhooks/apple HTTP/1.1", "Content-Length: 262144", "Expect: 100-continue"), 4, part=0.3),
]


@pytest.mark.parametrize("half", HALVES, ids=lambda half: half.name)
def test_half_requests(start, half, pytestconfig):
    """More than a pool of 8,192 headers, which all requests once shared, can hold."""
    server = start()
    most = descriptors() - 1000
    count = int(half.part * min(most, 20_000 if pytestconfig.getoption("full") else 9000))
    with attacked(server) as cost, crowd(server, count, half.sent) as held:
        assert held == count
        assert until(lambda: server.share(0.5) < IDLE, 30)
        check_prompt(server)
        assert cost.added() < half.each * count + MB


def test_half_requests_beyond_the_limit(start):
    """Those who have said nothing whole make room for those who have."""
    server = start(max_connections=300)
    with attacked(server), crowd(server, 1000, b"GET /u"):
        assert until(lambda: server.share(0.2) < IDLE, 10)
        check_prompt(server)


def test_a_flood_leaves_the_server_descriptors(start):
    """Those who have to go must be gone before others are let in: the ledger and the loops need some, too."""
    server = start(max_connections=300)
    with attacked(server), Peak(server) as peak:
        for _ in range(4):
            with crowd(server, 5000, b"GET /u"):
                pass
        assert server.process.poll() is None, server.log.read_text()
        assert peak.descriptors + 32 < server.descriptor_limit()
        assert until(lambda: server.share(0.2) < IDLE, 10)
        check_prompt(server)


class Peak(threading.Thread):
    """The most descriptors that a server has had."""

    def __init__(self, server):
        super().__init__(daemon=True)
        self.server = server
        self.descriptors = 0
        self.is_over = False

    def __enter__(self):
        self.start()
        return self

    def __exit__(self, *_):
        self.is_over = True
        self.join(10)

    def run(self):
        while not self.is_over and self.server.process.poll() is None:
            self.descriptors = max(self.descriptors, self.server.descriptors())


# Answers that nobody reads


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


def flood(client, sent):
    """As much as the connection takes."""
    try:
        while sent:
            sent = sent[client.send(sent) :]
    except BlockingIOError:
        pass


# Readers


@pytest.mark.parametrize("tls", [False, True], ids=["plain", "TLS"])
def test_a_large_file_comes_as_fast_as_it_is_read(start, tls):
    """Again and again: what is left of it must not wait for a clock."""
    server = start(tls=tls)
    assert max(download(server, "15.bin") for _ in range(12)) < 2


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
        assert time.monotonic() - beginning < 10
    assert all(streams.bytes[number] == expected for number in numbers)


@pytest.mark.parametrize("tls", [False, True], ids=["plain", "TLS"])
def test_a_slow_reader_gets_it_all(start, tls):
    """Deadlines are for those who take nothing."""
    server = start(tls=tls, write_seconds=1)
    assert 2 < download(server, "2.bin", pause=0.02, piece=1 << 14) < 20


# Deadlines


@dataclass
class Idler:
    """What is said, and what of the answer is read; then nothing any more."""

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
    """By the server, and while they wait they cost no time."""
    server = start(tls=tls, **SECONDS)
    idlers = [idler for idler in IDLERS if idler.tls == tls]
    with attacked(server):
        wires = []
        for idler in idlers * 5:
            wires.append(Wire(server.port, context=None if idler.is_raw else server.context))
            wires[-1].send(idler.sent)
            if idler.reads:
                assert idler.reads in wires[-1].read(idler.reads)
        before = server.descriptors()
        assert server.share(0.5) < 2 * IDLE
        # Before any of them leaves. A handshake has five seconds of its own, and what was said last some to be read.
        assert until(lambda: server.descriptors() <= before - len(wires), 15), server.descriptors() - before
        for wire in wires:
            wire.close()


DRIPS = [
    (b"", get("/up", "X: " + "x" * 200)),
    (b"", post("/webhooks/apple", b"x" * 1000)),
    (post("/webhooks/apple", b"x"), get("/up", "X: " + "x" * 200)),
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
        assert until(lambda: not [wire for wire, rest in dripping if drip(wire, rest)], 6, pause=0.1)


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
        assert until(lambda: server.share(0.2) < IDLE, 5) and server.share(0.5) < IDLE
        for wire in wires:
            wire.close()


# Ends


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
