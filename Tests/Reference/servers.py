"""The two servers that speak Action Cable, each on a port of its own, under one interface."""

import http.client
import json
import os
import re
import select
import signal
import subprocess
import urllib.request
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
KEY = "s3Krit"


def binary():
    """The newest build, unless PAYCAST_BINARY names one."""
    if "PAYCAST_BINARY" in os.environ:
        return Path(os.environ["PAYCAST_BINARY"]).resolve()
    built = [path for path in ROOT.glob(".build/*/paycast") if path.parent.name in ("release", "debug")]
    assert built, "no build: run swift build first"
    return max(built, key=lambda path: path.stat().st_mtime)


def surroundings():
    """The environment without what is meant for these tests: the server refuses variables that it does not know."""
    return {name: value for name, value in os.environ.items() if not name.startswith("PAYCAST_")}


class Server:
    def __init__(self, folder, environment=None):
        self.errors = (folder / "errors.log").open("w")
        self.process = subprocess.Popen(
            self.command(),
            cwd=folder,
            env={**surroundings(), **(environment or {"PAYCAST_STREAM_KEYS": KEY})},
            stdout=subprocess.PIPE,
            stderr=self.errors,
        )
        self.address = self.listening(folder)
        self.headers = {"Content-Type": "application/json"}

    def listening(self, folder):
        said = b""
        while select.select([self.process.stdout], [], [], 20)[0]:
            chunk = os.read(self.process.stdout.fileno(), 4096)
            said += chunk
            if found := re.search(rb"istening on http://(127\.0\.0\.1:\d+)\s", said):
                return found[1].decode()
            if not chunk:
                break
        raise AssertionError(f"does not listen: {said!r} {(folder / 'errors.log').read_text()}")

    def post(self, path, body):
        url = f"http://{self.address}{path}"
        request = urllib.request.Request(url, json.dumps(body).encode(), self.headers, method="POST")
        with urllib.request.urlopen(request, timeout=10) as response:
            response.read()

    def answer(self, path, body, headers=None):
        """The status, and what the body says; bytes are sent as they are."""
        connection = http.client.HTTPConnection(self.address, timeout=20)
        data = body if isinstance(body, bytes) else json.dumps(body).encode()
        connection.request("POST", path, data, self.headers if headers is None else headers)
        response = connection.getresponse()
        said = response.read()
        connection.close()
        return response.status, json.loads(said) if said else {}

    def broadcast(self, stream, html):
        self.post("/broadcasts", {"stream": stream, "html": html, "transient": True})

    def stop(self):
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
        self.process.wait(timeout=20)
        self.process.stdout.close()
        self.errors.close()


class Rails(Server):
    def command(self):
        return ["puma", "-b", "tcp://127.0.0.1:0", "-t", "5:5", HERE / "action_cable.ru"]

    def restart(self):
        """What Rails does to its clients when it loads its code anew; puma's end says nothing to them."""
        self.post("/restart", {})


class Paycast(Server):
    def command(self):
        return [binary(), "serve", "--dev", "--port", "0"]

    def __init__(self, folder, environment=None):
        super().__init__(folder, environment)
        self.headers["Authorization"] = f"Bearer {(folder / '.paycast' / 'api.key').read_text().strip()}"

    def restart(self):
        self.process.send_signal(signal.SIGTERM)
