"""A server with the settings of the document's examples, and what is asked of it."""

import http.client
import json
import subprocess

import program
from program import binary

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
# Without Production, which needs an app id. With Apple's own roots.
PRODUCTION = KEYS | STORES | {"PAYCAST_APPLE_BUNDLE_ID": "com.example.app", "PAYCAST_APPLE_ENVIRONMENTS": "Sandbox"}
# The clock runs on from the instant at which the examples were signed.
DEVELOPMENT = KEYS | STORES | {"PAYCAST_DEV_NOW": NOW, "PAYCAST_STRIPE_TOLERANCE": "3600"}


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


class Paycast(program.Paycast):
    def __init__(self, folder, settings, arguments=()):
        (folder / "public").mkdir()
        (folder / "public" / "hello.txt").write_text("Hello, world\n")
        super().__init__(folder, *arguments, settings=settings)

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
        """The output of a client command, run where it finds the server's address."""
        command = [binary(), *words, "--key", API_KEY]
        done = subprocess.run(command, cwd=self.folder, timeout=30, capture_output=True, text=True)
        assert done.returncode == status, done.stderr
        return done.stdout + done.stderr
