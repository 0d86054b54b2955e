"""Asks a server every 20 ms, in a process of its own, for what everybody else wants of it: python3 probe.py URL KEY SIGNED_NAME.

Until its standard input ends. Then it prints the longest wait of each kind, in seconds, and how often it asked.
"""

import http.client
import json
import subprocess
import sys
import threading
import time
from urllib.parse import urlsplit

from websockets.sync.client import connect

INTERVAL = 0.02
PATIENCE = 60
# How often it asks at least, for a longest wait that says something.
ENOUGH = 25


class Probe:
    """Runs this file while something else happens. `waits` has the result afterwards."""

    def __init__(self, server):
        self.command = [sys.executable, __file__, server.url, server.key, server.signed("probe")]

    def __enter__(self):
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
        self.process = subprocess.Popen(self.command, **pipes)
        assert self.process.stdout.readline() == "ready\n"
        return self

    def wait_for_answers(self):
        """Until each kind has got enough."""
        assert self.process.stdout.readline() == "enough\n"

    def __exit__(self, *error):
        output, _ = self.process.communicate(timeout=2 * PATIENCE)
        if error == (None, None, None):
            self.waits = json.loads(output.splitlines()[-1])

    def __str__(self):
        return ", ".join(f"{kind} {1000 * longest:.0f} ms of {count}" for kind, (longest, count) in self.waits.items())


class Kind(threading.Thread):
    """Its kinds know what they ask for."""

    def __init__(self, url, key, signed):
        super().__init__()
        self.place, self.key, self.signed = urlsplit(url).netloc, key, signed
        self.longest, self.count, self.failure = 0, 0, None
        self.has_enough = threading.Event()
        self.open()

    def run(self):
        try:
            while not ended.is_set() or not self.has_enough.is_set():
                start = time.perf_counter()
                self.ask()
                wait = time.perf_counter() - start
                self.longest, self.count = max(self.longest, wait), self.count + 1
                if self.count == ENOUGH:
                    self.has_enough.set()
                time.sleep(max(0, INTERVAL - wait))
        except Exception as failure:
            self.failure = failure
            self.has_enough.set()


class Request(Kind):
    """What an app's backend asks for, on one connection. The answer comes from the ledger."""

    def open(self):
        self.connection = http.client.HTTPConnection(self.place, timeout=PATIENCE)

    def ask(self):
        self.connection.request("GET", "/users/nobody/entitlements", headers={"Authorization": f"Bearer {self.key}"})
        answer = self.connection.getresponse()
        assert answer.status == 200 and answer.read()


class Ping(Kind):
    """Of an open page."""

    def open(self):
        self.socket = connect(f"ws://{self.place}/streams?name={self.signed}")

    def ask(self):
        assert self.socket.ping().wait(PATIENCE)


class Page(Kind):
    """One that opens, until it knows where it is."""

    def open(self):
        pass

    def ask(self):
        connection = http.client.HTTPConnection(self.place, timeout=PATIENCE)
        connection.request("GET", f"/streams?name={self.signed}")
        answer = connection.getresponse()
        while not answer.readline().startswith(b"id:"):
            pass
        connection.close()


if __name__ == "__main__":
    ended = threading.Event()
    kinds = {kind.__name__.lower(): kind(*sys.argv[1:]) for kind in (Request, Ping, Page)}
    for thread in kinds.values():
        thread.start()
    print("ready", flush=True)
    for thread in kinds.values():
        thread.has_enough.wait()
    print("enough", flush=True)
    sys.stdin.read()
    ended.set()
    for thread in kinds.values():
        thread.join()
        if thread.failure:
            raise thread.failure
    print(json.dumps({kind: (thread.longest, thread.count) for kind, thread in kinds.items()}))
