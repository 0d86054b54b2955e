"""The real server in a folder of its own, and what an app and a store say to it."""

import json
import os
import select
import shutil
import signal
import ssl
import subprocess
import threading
import urllib.request
from html import escape
from pathlib import Path
from urllib.parse import urlsplit

from ports import ReservedPort

# A server with TLS has a certificate of the test's own.
UNVERIFIED = ssl._create_unverified_context()
ROOT = Path(__file__).resolve().parents[2]


def binary():
    """The newest build, unless PAYCAST_BINARY names one."""
    if "PAYCAST_BINARY" in os.environ:
        return Path(os.environ["PAYCAST_BINARY"]).resolve()
    builds = [ROOT / ".build" / kind / "paycast" for kind in ("release", "debug")]
    built = [build for build in builds if build.exists()]
    assert built, "no build: run swift build first"
    return max(built, key=lambda build: build.stat().st_mtime)


class Server:
    def __init__(self, folder, environment=None, arguments=()):
        self.folder = folder
        self.arguments = arguments
        self.public = folder / "public"
        shutil.copytree(ROOT / "public", self.public)
        # Without what is meant for these tests: the server refuses variables that it does not know.
        outside = {name: value for name, value in os.environ.items() if not name.startswith("PAYCAST_")}
        self.environment = {**outside, **(environment or {})}
        self.reserved = ReservedPort()
        self.port = self.reserved.number
        self.start()
        self.key = (folder / ".paycast" / "api.key").read_text().strip()

    def start(self):
        """On the port and with the ledger that it had before."""
        self.errors = (self.folder / "errors.log").open("a")
        self.process = subprocess.Popen(
            [binary(), "serve", "--dev", "--port", str(self.port), "--public", self.public, *self.arguments],
            cwd=self.folder,
            env=self.environment,
            stdout=subprocess.PIPE,
            stderr=self.errors,
            text=True,
        )
        ready, _, _ = select.select([self.process.stdout], [], [], 20)
        line = self.process.stdout.readline() if ready else ""
        assert line.startswith("paycast listening on "), self.log()
        self.url = line.split()[-1]

    def kill(self):
        """As a crash or a power cut does: nothing is said to anyone."""
        self.process.kill()
        self.process.wait(timeout=20)
        self.close()

    def stop(self):
        self.process.send_signal(signal.SIGTERM)
        status = self.process.wait(timeout=20)
        self.close()
        assert status == 0, self.log()

    def close(self):
        self.process.stdout.close()
        self.errors.close()

    def remove_template(self, name):
        """Returns once the server, which looks at the folder every second, no longer serves it."""
        (self.public / "fragments" / name).unlink()
        self.wait_for_log("template", name)

    def wait_for_log(self, *words, seconds=10):
        """Until one line of the server's log has all these words."""
        command = ["tail", "--lines=+1", "--follow", self.folder / "errors.log"]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as tail:
            timer = threading.Timer(seconds, tail.kill)
            timer.start()
            found = any(all(word in line for word in words) for line in tail.stdout)
            timer.cancel()
            tail.kill()
        assert found, self.log()

    def log(self):
        return (self.folder / "errors.log").read_text()

    def request(self, method, path, body=None, authorized=True):
        headers = {"Content-Type": "application/json"}
        if authorized:
            headers["Authorization"] = f"Bearer {self.key}"
        data = body if isinstance(body, (bytes, type(None))) else json.dumps(body).encode()
        request = urllib.request.Request(self.url + path, data, headers, method=method)
        with urllib.request.urlopen(request, timeout=10, context=UNVERIFIED) as response:
            answer = response.read()
            return json.loads(answer) if answer else None

    def stream(self, user):
        """What an app puts into its page."""
        return self.request("GET", f"/users/{user}/stream")

    def source(self, user, transport, base=None):
        """The source element, opened over `base`: the server's own address unless another leads to it."""
        way = urlsplit(base or self.url)
        scheme = way.scheme.replace("http", "ws") if transport == "websocket" else way.scheme
        src = urlsplit(self.stream(user)[transport])._replace(scheme=scheme, netloc=way.netloc).geturl()
        return f'<turbo-stream-source src="{escape(src)}"></turbo-stream-source>'

    def cable_source(self, user):
        """What `turbo_stream_from` prints, with the cursor at which the page was rendered."""
        stream = self.stream(user)
        return cable_source(stream["signed_stream"], since=stream["since"])

    def broadcast(self, user, html):
        self.request("POST", "/broadcasts", {"user": user, "html": html, "transient": True})

    def notice(self, user, text):
        """Is kept, and shows twice when it is received twice."""
        values = {"user": user, "action": "append", "target": "notices", "html": f"<li>{text}</li>"}
        self.request("POST", "/broadcasts", values)

    def trigger(self, event, user):
        """What the store says, with our own command."""
        command = [binary(), "trigger", "apple", event, "--user", user]
        subprocess.run(command, cwd=self.folder, check=True, timeout=20, capture_output=True)


def cable_source(signed_name, **data):
    """As turbo-rails prints it: what the caller added comes first."""
    attributes = {f"data-{key}": value for key, value in data.items()}
    attributes |= {"channel": "Turbo::StreamsChannel", "signed-stream-name": signed_name}
    markup = " ".join(f'{name}="{escape(value)}"' for name, value in attributes.items())
    return f"<turbo-cable-stream-source {markup}></turbo-cable-stream-source>"
