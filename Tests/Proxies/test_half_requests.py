"""Thousands of clients that send half a request: their cost is bounded, and all of it is released."""

import resource
import subprocess
import sys
import threading
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

from cost import IDLE, MB, attacked, check_prompt
from servers import until
from wire import get, request


@contextmanager
def crowd(server, count, sent):
    """Clients from several addresses that sent the same bytes and hold their connections."""
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
        assert until(lambda: server.share(0.5) < IDLE, 60)
        # What is promised of a new webhook beside 20,000 half heads.
        check_prompt(server, count=40, most=0.05)
        assert cost.added() < half.each * count + MB


def test_half_requests_beyond_the_limit(start):
    """Clients without a whole request make room for clients with one."""
    server = start(max_connections=300)
    with attacked(server), crowd(server, 1000, b"GET /u"):
        assert until(lambda: server.share(0.2) < IDLE, 60)
        check_prompt(server)


def test_a_flood_leaves_the_server_descriptors(start):
    """Clients that must go are closed before others are accepted: the ledger and the loops need descriptors, too."""
    server = start(max_connections=300)
    with attacked(server), Peak(server) as peak:
        for _ in range(4):
            with crowd(server, 5000, b"GET /u"):
                pass
        assert server.process.poll() is None, server.log.read_text()
        assert peak.descriptors + 32 < server.descriptor_limit()
        assert until(lambda: server.share(0.2) < IDLE, 60)
        check_prompt(server)


class Peak(threading.Thread):
    """Watches the highest number of descriptors that a server has had."""

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
