"""A proxy in front of a Paycast of its own, and a bystander who uses it as everybody does."""

import itertools
import json
import re
import threading
import time
from dataclasses import dataclass
from pathlib import Path

import pytest

from proxies import PROXIES
from servers import KEY, Paycast, page
from wire import Wire, bearer, get, post

STREAM = "bystander"
# In the public folder, each with a text of its own.
FILES = 500


def called(name, trusts):
    return f"trusted {name}" if trusts else name


# Through every proxy, trusted and not; for the fixture `passage`.
PASSAGES = [pytest.param((name, trusts), id=called(name, trusts)) for name in PROXIES for trusts in (False, True)]


@dataclass
class Expected:
    """A request and the only answer that it may get."""

    request: bytes
    status: int
    body: bytes
    # The body says more than that.
    is_part: bool = False

    def check(self, answer):
        is_right = self.body in answer.body if self.is_part else answer.body == self.body
        assert answer.status == self.status and is_right, f"{self.request[:70]!r} was answered {answer!r}"


class Passage:
    def __init__(self, kind, folder, public, trusts):
        self.public = public
        self.numbers = itertools.count()
        self.published = []
        # An attack went through, so later results would mean nothing.
        self.is_spoilt = False
        self.paycast = Paycast(folder / "paycast", public, **({"trusted_proxies": "127.0.0.1"} if trusts else {}))
        self.proxy = kind(folder / "proxy", self.paycast.port, is_announced=trusts)
        # The page that must show the broadcasts. It connects directly, where no attack passes.
        self.page = Wire(self.paycast.port).send(get(page(STREAM)))
        assert self.page.read(b"\n\n").startswith(b"HTTP/1.1 200")

    def stop(self):
        self.page.close()
        self.proxy.kill()
        return self.paycast.stop()

    def wire(self):
        return Wire(self.proxy.port).send(self.proxy.preface)

    # The bystander's requests

    def next(self):
        """In turn one of each kind: two that read, two that write."""
        number = next(self.numbers)
        kinds = [self.file, self.order, self.holdings, self.broadcast]
        return kinds[number % len(kinds)](number, f"bystander-{number}")

    def file(self, number, marker):
        name = f"{number % FILES}.txt"
        return Expected(get(f"/{name}?{marker}"), 200, (self.public / name).read_bytes())

    def order(self, number, marker):
        body = json.dumps({"user": marker, "product": "p"}).encode()
        return Expected(post("/orders", body, bearer(KEY)), 201, f'"user":"{marker}"'.encode(), is_part=True)

    def holdings(self, number, marker):
        request = get(f"/users/{marker}/entitlements", bearer(KEY))
        return Expected(request, 200, f'"user":"{marker}"'.encode(), is_part=True)

    def broadcast(self, number, marker):
        html = f'<turbo-stream action="remove" target="{marker}"></turbo-stream>'
        body = json.dumps({"stream": STREAM, "html": html, "transient": True}).encode()
        self.published.append(marker)
        return Expected(post("/broadcasts", body, bearer(KEY)), 202, b'{"cursors":[null]}')

    def ask(self):
        """Asks on a new connection, which meets whichever of the proxy's connections is free."""
        expected = self.next()
        with self.wire() as wire:
            expected.check(wire.send(expected.request).answer())

    def check_page(self):
        """Checks that the page showed each broadcast once since the last check."""
        deadline = time.monotonic() + 30
        while len(shown := re.findall(rb'target="(bystander-\d+)"', self.page.buffer)) < len(self.published):
            if not self.page.receive(deadline):
                break
        assert sorted(shown) == sorted(marker.encode() for marker in self.published)
        self.page.buffer.clear()
        self.published.clear()

    # What the kernel knows

    def connections(self):
        """The proxy's to Paycast, those that have ended lately among them: by their ports on this side."""
        rows = [line.split() for line in Path("/proc/net/tcp").read_text().splitlines()[1:]]
        target = f"0100007F:{self.paycast.port:04X}"
        return {row[1] for row in rows if row[2] == target}


class Bystander(threading.Thread):
    """Sends requests all the time over one connection, two at once."""

    def __init__(self, passage):
        super().__init__(daemon=True)
        self.passage = passage
        self.is_asked = True
        self.flaw = None

    def __enter__(self):
        self.start()
        return self

    def __exit__(self, *_):
        self.is_asked = False
        # It may wait for two answers, each as long as a `Wire` does.
        self.join(90)
        assert not self.is_alive()

    def run(self):
        wire = None
        try:
            while self.is_asked:
                wire = wire or self.passage.wire()
                wire = self.turn(wire)
        except Exception as error:
            self.flaw = error
        finally:
            if wire:
                wire.close()

    def turn(self, wire):
        """The connection, if more can be asked on it."""
        both = [self.passage.next(), self.passage.next()]
        assert wire.is_quiet(), f"said without a question: {wire.all(0.1)!r}"
        wire.send(b"".join(expected.request for expected in both))
        for expected in both:
            answer = wire.answer()
            expected.check(answer)
            if (answer.header("Connection") or "").lower() == "close":
                # The second one is asked anew; it was never heard.
                return self.again(wire, both[both.index(expected) + 1 :])
        return wire

    def again(self, wire, rest):
        wire.close()
        for expected in rest:
            with self.passage.wire() as wire:
                expected.check(wire.send(expected.request).answer())
        return None
