"""`paycast tail --stream` while its server is killed, drained or cut off: each fragment is shown once."""

import json
import socket
import subprocess
import threading
import time
from contextlib import suppress
from http.client import HTTPException

import pytest

from program import OUTSIDE, binary
from servers import KEY, Paycast

TRANSPORTS = ["websocket", "cable", "sse"]
LAST = "last"
STATE = '<turbo-stream action="update" target="state"><template>{}</template></turbo-stream>'
ROW = '<turbo-stream action="append" target="{}"></turbo-stream>'


class Tail:
    """One that prints what it is shown until the last fragment has come."""

    def __init__(self, folder, url, transport):
        self.output = folder / transport
        with self.output.open("w") as output:
            self.process = subprocess.Popen(
                [binary(), "tail", "--stream", "room", "--over", transport, "--url", url, "--json"]
                + ["--until", f"target={LAST}", "--timeout", "150"],
                stdout=output,
                stderr=subprocess.PIPE,
                text=True,
                cwd=folder,
                env={**OUTSIDE, "PAYCAST_STREAM_KEYS": KEY},
            )
        while not self.output.stat().st_size and self.process.poll() is None:
            time.sleep(0.01)

    def shown(self):
        """The elements, and what was said about the connection."""
        _, errors = self.process.communicate()
        assert self.process.returncode == 0, errors
        output = self.output.read_text()
        assert "turbo-stream-source" not in output, "what only the page's own element is told"
        return [json.loads(line) for line in output.splitlines()], errors


class Publisher(threading.Thread):
    """Publishes again and again; what a dead server has not answered is not published again.

    Less than 100 fragments in all: a page that missed more gets the newest ones and loads itself again.
    """

    def __init__(self, server, pause=0.05):
        super().__init__(daemon=True)
        self.server = server
        self.pause = pause
        self.accepted = []
        self.has_enough = threading.Event()

    def run(self):
        number = 0
        while not self.has_enough.wait(self.pause):
            number += 1
            with suppress(OSError, HTTPException):
                self.publish(f"n{number}")

    def publish(self, target):
        # Of two kinds: what a newer one replaces for those who were away, and what stays. A tail ends with the latter.
        self.server.post("/broadcasts", {"stream": "room", "html": STATE.format(target) + ROW.format(target)})
        self.accepted.append(target)

    def finish(self):
        self.has_enough.set()
        self.join()
        self.publish(LAST)


@pytest.fixture
def server(tmp_path):
    server = Paycast(tmp_path / "server")
    # Where it was, from now on.
    server.command[server.command.index("--port") + 1] = str(server.port)
    yield server
    server.stop()


def check(publisher, tail):
    shown, errors = tail.shown()
    elements = [element["html"] for element in shown]
    assert len(elements) == len(set(elements)), sorted({html for html in elements if elements.count(html) > 1})
    assert elements[-2:] == [STATE.format(LAST), ROW.format(LAST)]
    targets = [element["target"] for element in shown if element["action"] == "append"]
    # A fragment is shown before its publisher hears of it, or is even alive to.
    begin = next(index for index, name in enumerate(publisher.accepted) if name in targets)
    assert [name for name in targets if name in publisher.accepted] == publisher.accepted[begin:]
    assert "connected again, continuing after " in errors, errors


@pytest.mark.parametrize("transport", TRANSPORTS)
@pytest.mark.parametrize("end", ["kill", "stop"])
def test_a_server_that_comes_back_repeats_nothing(server, tmp_path, transport, end):
    publisher = Publisher(server)
    publisher.start()
    tail = Tail(tmp_path, f"http://{server.address}", transport)
    for _ in range(2):
        getattr(server, end)()
        server.start()
        shown = len(publisher.accepted) + 10
        while len(publisher.accepted) < shown:
            time.sleep(0.01)
    publisher.finish()
    check(publisher, tail)


class Relay:
    """Passes everything on; while it is cut, it keeps what comes, as a network does whose packets are sent again."""

    def __init__(self, target):
        self.target = target
        self.flows = threading.Event()
        self.flows.set()
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self.listener.getsockname()[1]}"
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        with suppress(OSError):
            while True:
                near, _ = self.listener.accept()
                far = socket.create_connection(self.target)
                for pair in ((near, far), (far, near)):
                    threading.Thread(target=self.pump, args=pair, daemon=True).start()

    def pump(self, source, sink):
        with suppress(OSError):
            while data := source.recv(65536):
                self.flows.wait()
                sink.sendall(data)
            self.flows.wait()
            sink.shutdown(socket.SHUT_WR)


def test_a_network_that_is_cut_for_a_minute_loses_nothing(server, tmp_path):
    relay = Relay(("127.0.0.1", server.port))
    publisher = Publisher(server, pause=1)
    publisher.start()
    tails = {transport: Tail(tmp_path, relay.url, transport) for transport in TRANSPORTS}
    relay.flows.clear()
    time.sleep(60)
    relay.flows.set()
    time.sleep(15)
    publisher.finish()
    for tail in tails.values():
        check(publisher, tail)
    relay.listener.close()


@pytest.mark.parametrize("words", [["--user", "42", "--page"], ["--stream", "room"]], ids=["page", "stream"])
def test_the_timeout_counts_from_the_start(tmp_path, words):
    """What is asked before the first connection is part of it."""
    with socket.create_server(("127.0.0.1", 0)) as silent:
        url = f"http://127.0.0.1:{silent.getsockname()[1]}"
        start = time.monotonic()
        process = subprocess.run(
            [binary(), "tail", *words, "--server", url, "--key", "k", "--timeout", "1"],
            capture_output=True,
            text=True,
            cwd=tmp_path,
            env={**OUTSIDE, "PAYCAST_STREAM_KEYS": KEY},
        )
    assert process.returncode == 1 and process.stderr == "paycast: --timeout has passed (1 s)\n", process
    assert time.monotonic() - start < 3.5


def test_an_address_that_leads_nowhere_is_left_for_the_next_one(server, tmp_path):
    """Such as an IPv6 address without a route: whoever sends a packet there hears nothing."""
    hosts = tmp_path / "hosts"
    hosts.write_text("::1 both\n127.0.0.1 both\n")
    mounted = ["unshare", "--mount", "sh", "-c", 'mount --bind "$0" /etc/hosts && exec "$@"', hosts]
    if subprocess.run([*mounted, "true"], capture_output=True).returncode:
        pytest.skip("only root may give names to addresses")
    with socket.create_server(("::1", server.port), family=socket.AF_INET6, backlog=0) as deaf:
        callers = [socket.socket(socket.AF_INET6) for _ in range(4)]
        for caller in callers:
            caller.setblocking(False)
            caller.connect_ex(deaf.getsockname())
        process = subprocess.Popen(
            [*mounted, binary(), "tail", "--stream", "room", "--url", f"http://both:{server.port}"]
            + ["--since", "start", "--limit", "1", "--timeout", "30"],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            cwd=tmp_path,
            env={**OUTSIDE, "PAYCAST_STREAM_KEYS": KEY, "no_proxy": "*"},
        )
        Publisher(server).publish("a")
        output, errors = process.communicate()
        for caller in callers:
            caller.close()
    assert process.returncode == 0 and "#state" in output, errors
