"""Measures what an attack costs a server, and whether others are answered meanwhile."""

import hashlib
import statistics
import time
from contextlib import contextmanager

from servers import until
from wire import Wire, get, post

# As Paycast's memory is counted.
MB = 1024
# Seconds of the median answer, beside whatever else the machine does.
PROMPT = 0.25
# The share of a core in a second without traffic: a loop that spins takes a whole core.
IDLE = 0.1
# KB that may stay: the first thousand connections fill tables that are kept.
KEPT = 4 * MB


def ask(server, sent):
    with Wire(server.port, context=server.context) as wire:
        return wire.send(sent).answer()


def download(server, name, pause=0.0, piece=1 << 16):
    """Seconds until the whole file has come, and is the right one. `pause`: a slow reader's, after each piece."""
    start, digest = time.monotonic(), hashlib.sha256()
    with Wire(server.port, context=server.context) as wire:
        wire.send(get(f"/{name}", "Connection: close")).read(b"\r\n\r\n")
        digest.update(wire.buffer)
        while chunk := wire.socket.recv(piece):
            digest.update(chunk)
            if pause:
                # The reader's own slowness is what is tested: there is nothing to wait for.
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
    """Checks that afterwards memory and descriptors are back where they were, and that no loop is busy."""
    cost, descriptors = Cost(server), server.descriptors()
    yield cost
    assert until(lambda: server.descriptors() <= descriptors), f"{server.descriptors()} descriptors, not {descriptors}"
    assert until(lambda: server.resident() < cost.before + KEPT, 5), f"{cost.added()} KB stay"
    assert server.share() < IDLE


def check_prompt(server, count=20, most=PROMPT):
    """Checks that others are answered: a store's webhook and a probe, each on a new connection."""
    for sent, status in ((post("/webhooks/apple", b"junk"), 400), (get("/up"), 200)):
        times = []
        for _ in range(count):
            start = time.monotonic()
            assert ask(server, sent).status == status
            times.append(time.monotonic() - start)
        # Not each of them: the machine does other things, too.
        assert statistics.median(times) < most and sorted(times)[-3] < 1, sorted(times)


def flood(client, sent):
    """Sends as much as the connection takes."""
    try:
        while sent:
            sent = sent[client.send(sent) :]
    except BlockingIOError:
        pass
