"""What the app's backend is told is verified by the library of the Standard Webhooks specification."""

import base64
import datetime
import json
import subprocess
import threading
import time
import urllib.request
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest
from standardwebhooks.webhooks import Webhook, WebhookVerificationError

from program import OUTSIDE, binary
from servers import Paycast

OLD, NEW = ["whsec_" + base64.b64encode(bytes([byte]) * 32).decode() for byte in (1, 2)]


class Backend(ThreadingHTTPServer):
    """Answers 200 to everything, and keeps it."""

    daemon_threads = True

    def __init__(self):
        self.received = []
        super().__init__(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server_port}/hooks"
        threading.Thread(target=self.serve_forever, daemon=True).start()

    def types(self):
        return {json.loads(body)["type"] for _, body in self.received}

    def wait(self, kind):
        deadline = time.monotonic() + 30
        while kind not in self.types() and time.monotonic() < deadline:
            time.sleep(0.02)
        assert kind in self.types(), self.received


class Handler(BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        self.server.received.append((dict(self.headers.items()), body))
        self.send_response(204)
        self.end_headers()

    def log_message(self, *_):
        pass


@pytest.fixture(scope="module")
def backend():
    with Backend() as backend:
        yield backend
        backend.shutdown()


@pytest.fixture(scope="module")
def paycast(tmp_path_factory, backend):
    """While the secrets are rotated, both sign."""
    settings = {"PAYCAST_HOOK_URLS": backend.url, "PAYCAST_HOOK_SECRETS": f"{NEW},{OLD}"}
    server = Paycast(tmp_path_factory.mktemp("hooks"), settings)
    yield server
    server.stop()


def run(server, *words):
    done = subprocess.run(
        [binary(), *words], cwd=server.folder, env=OUTSIDE, capture_output=True, text=True, timeout=60
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_the_library_verifies_each_type(paycast, backend):
    run(paycast, "trigger", "apple", "initial", "--user", "42", "--expect-hook")
    order = run(paycast, "order", "--user", "42", "--product", "coins").split("order", 1)[1].split()[0]
    for event, kind in (("ONE_TIME_CHARGE", "purchase.delivered"), ("REFUND", "purchase.revoked")):
        run(paycast, "trigger", "apple", event, "--kind", "consumable", "--product", "coins", "--order", order)
        backend.wait(kind)
    run(paycast, "hooks", "test")
    run(paycast, "erase", "--user", "42", "--reason", "request")
    backend.wait("user.erased")
    for headers, body in backend.received:
        for secret in (OLD, NEW):
            assert Webhook(secret).verify(body, headers) == json.loads(body)
    changes = {"entitlements.changed", "purchase.delivered", "purchase.revoked"}
    assert backend.types() == changes | {"paycast.test", "user.erased"}
    assert len({headers["webhook-id"] for headers, _ in backend.received}) == len(backend.received)


@pytest.mark.parametrize("change", ["body", "id", "time", "secret"])
def test_the_library_refuses_what_was_changed(paycast, backend, change):
    run(paycast, "hooks", "test")
    headers, body = backend.received[-1]
    headers = dict(headers)
    if change == "body":
        body += b" "
    if change == "id":
        headers["webhook-id"] += "0"
    if change == "time":
        headers["webhook-timestamp"] = str(int(headers["webhook-timestamp"]) - 301)
    secret = "whsec_" + base64.b64encode(bytes([3]) * 32).decode() if change == "secret" else NEW
    with pytest.raises(WebhookVerificationError):
        Webhook(secret).verify(body, headers)


def test_listen_believes_the_library(tmp_path):
    """The receiver for development takes what the library has signed."""
    settings = OUTSIDE | {"PAYCAST_HOOK_SECRETS": OLD}
    listen = subprocess.Popen(
        [binary(), "hooks", "listen", "--port", "0"],
        cwd=tmp_path,
        env=settings,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    url = listen.stderr.readline().split("PAYCAST_HOOK_URLS=")[1].strip()
    body = '{"type":"paycast.test","timestamp":"2026-01-01T00:00:00Z","data":{}}'
    now = datetime.datetime.now(datetime.timezone.utc)
    headers = {
        "webhook-id": "msg_1",
        "webhook-timestamp": str(int(now.timestamp())),
        "webhook-signature": Webhook(OLD).sign("msg_1", now, body),
        "Content-Type": "application/json",
    }
    with urllib.request.urlopen(urllib.request.Request(url, body.encode(), headers), timeout=10) as answer:
        assert answer.status == 200
    assert listen.stdout.readline().startswith("paycast.test")
    listen.kill()
    listen.communicate()
