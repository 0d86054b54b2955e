"""The real server in a folder of its own, and what is asked of it."""

import http.client
import json
import os
import select
import signal
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
API_KEY = "api-key-of-the-examples"
# What the examples of the document are signed with.
STREAM_KEY = "stream-key-of-the-examples"
STRIPE_SECRET = "whsec_of_the_examples"
REVENUECAT = "Bearer of-the-examples"
PURCHASEKIT_SECRET = "purchasekit-of-the-examples"
NOW = "2026-03-01T12:00:00Z"

KEYS = {"PAYCAST_API_KEY": API_KEY, "PAYCAST_STREAM_KEYS": STREAM_KEY}
STORES = {
    "PAYCAST_STRIPE_SECRETS": STRIPE_SECRET,
    "PAYCAST_REVENUECAT_AUTHORIZATION": REVENUECAT,
    "PAYCAST_PURCHASEKIT_SECRET": PURCHASEKIT_SECRET,
}
# No Production: that needs an app id. Apple's own roots.
PRODUCTION = KEYS | STORES | {"PAYCAST_APPLE_BUNDLE_ID": "com.example.app", "PAYCAST_APPLE_ENVIRONMENTS": "Sandbox"}
# The clock runs on from the instant at which the examples were signed.
DEVELOPMENT = KEYS | STORES | {"PAYCAST_DEV_NOW": NOW, "PAYCAST_STRIPE_TOLERANCE": "3600"}


def binary():
    """The newest build, unless PAYCAST_BINARY names one."""
    if "PAYCAST_BINARY" in os.environ:
        return Path(os.environ["PAYCAST_BINARY"]).resolve()
    built = [path for path in ROOT.glob(".build/*/paycast") if path.parent.name in ("release", "debug")]
    assert built, "no build: run swift build first"
    return max(built, key=lambda path: path.stat().st_mtime)


class Answer:
    def __init__(self, response):
        self.status = response.status
        self.headers = response.headers
        self.body = response.read()
        self.json = json.loads(self.body) if self.type == "application/json" and self.body else None

    @property
    def type(self):
        return self.headers.get("Content-Type")

    def __repr__(self):
        return f"{self.status} {dict(self.headers)} {self.body[:300]!r}"


class Paycast:
    def __init__(self, folder, settings, arguments=()):
        self.folder = folder
        (folder / "public").mkdir()
        (folder / "public" / "hello.txt").write_text("Hello, world\n")
        # The server refuses variables that it does not know.
        outside = {name: value for name, value in os.environ.items() if not name.startswith("PAYCAST_")}
        self.errors = (folder / "errors.log").open("w")
        self.process = subprocess.Popen(
            [binary(), "serve", "--port", "0", *arguments],
            cwd=folder,
            env=outside | settings,
            stdout=subprocess.PIPE,
            stderr=self.errors,
            text=True,
        )
        ready, _, _ = select.select([self.process.stdout], [], [], 20)
        line = self.process.stdout.readline() if ready else ""
        assert line.startswith("paycast listening on "), self.log()
        self.url = line.split()[-1]
        self.port = int(self.url.rsplit(":", 1)[1])

    def log(self):
        return (self.folder / "errors.log").read_text()

    def ask(self, method, path, body=None, headers=(), key=API_KEY):
        """`body`: bytes, or what is sent as JSON. With an API key unless `key` is None."""
        data = body if isinstance(body, (bytes, type(None))) else json.dumps(body).encode()
        sent = {"Authorization": f"Bearer {key}"} if key else {}
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=20)
        connection.request(method, path, data, sent | dict(headers))
        answer = Answer(connection.getresponse())
        connection.close()
        return answer

    def paycast(self, *words, status=0):
        """A client command, where it finds the address; what it says."""
        command = [binary(), *words, "--key", API_KEY]
        done = subprocess.run(command, cwd=self.folder, timeout=30, capture_output=True, text=True)
        assert done.returncode == status, done.stderr
        return done.stdout + done.stderr

    def stop(self):
        self.process.send_signal(signal.SIGTERM)
        status = self.process.wait(timeout=20)
        self.process.stdout.close()
        self.errors.close()
        return status == 0
