"""Servers that Debian's Prometheus reads: one is sound, and into the other all faults are put that can be put cheaply."""

import hashlib
import hmac
import json
import re
import socket
import sqlite3
import subprocess
import threading
import time
import urllib.error
import urllib.parse
import urllib.request
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from certificates import UNVERIFIED, certificate
from monitor import Prometheus, wait_until
from program import OUTSIDE, Paycast, binary
from promtool import rules
from test_dashboard import CHARTS, filled

SECRET = "whsec_" + "0123456789abcdef" * 2
SOUND = {
    "PAYCAST_API_KEY": "k" * 40,
    "PAYCAST_STREAM_KEYS": "s" * 40,
    "PAYCAST_STRIPE_SECRETS": SECRET,
}
# Nobody is there, and three pages are too many.
ALONE = {
    **SOUND, "REDIS_URL": "redis://127.0.0.1:1", "PAYCAST_RAILS_CABLE_URL": "sqlite:/none",
    "PAYCAST_MAX_CONNECTIONS": "4",
}
# Why only a series sets off an alarm (test_rules.py).
BY_SERIES = {
    "PaycastQueueLong": "a thousand commands wait only under a load that this machine cannot make",
    "PaycastDiskFull": "it takes a disk",
    "PaycastListenerLost": "it takes PostgreSQL, and a proxy that cuts one of its connections",
    "PaycastNodesDiffer": "it takes PostgreSQL, and two nodes for five minutes",
    "PaycastOutgoingHeld": "it takes a ledger that was restored",
    "PaycastJobDeadline": "it takes Google's API to fail for two days of the clock, and jobs that are tried in between",
    "PaycastStoreSlow": "250 deliveries have to wait for Google at once",
    "PaycastSlowToPage": "only a server that is short of CPU takes a second, and whatever holds its ledger ends after two",
    "PaycastRecoveryRefused": "it takes the history of an app that was served before",
}


def signed(body):
    """The headers with which Stripe posts it now."""
    now = int(time.time())
    signature = hmac.new(SECRET.encode(), f"{now}.".encode() + body, hashlib.sha256).hexdigest()
    return {"Stripe-Signature": f"t={now},v1={signature}"}


def post(url, body, headers=None):
    """The status of the answer."""
    request = urllib.request.Request(url, data=body, headers=headers or {})
    try:
        with urllib.request.urlopen(request, timeout=20, context=UNVERIFIED) as answer:
            return answer.status
    except urllib.error.HTTPError as error:
        return error.code


class Refusing(BaseHTTPRequestHandler):
    """A staging server that takes no large bodies, and a backend that is broken."""

    def do_POST(self):
        self.rfile.read(int(self.headers["Content-Length"]))
        self.send_response(413 if self.path == "/staging" else 500)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *words):
        pass


class Sound(Paycast):
    """As in production, with Stripe alone."""

    count = 0

    def deliver(self):
        """An event that Stripe has just signed."""
        self.count += 1
        now = int(time.time())
        event = {
            "id": f"evt_{self.count:024}", "object": "event", "type": "ping", "created": now, "livemode": True,
            "data": {"object": {"object": "thing"}},
        }
        body = json.dumps(event).encode()
        return post(self.url + "/webhooks/stripe", body, signed(body))


class Faulty(Paycast):
    """A development server, whose stores and clock can be told what to do."""

    def run(self, *words, status=0):
        command = [binary(), *words]
        done = subprocess.run(command, cwd=self.folder, env=OUTSIDE, capture_output=True, text=True, timeout=60)
        assert done.returncode == status, done.stdout + done.stderr

    def trigger(self, *words, status=0):
        self.run("trigger", "apple", *words, status=status)

    def refuse_deliveries(self):
        headers = {"Authorization": f"Bearer {self.development_key}"}
        # A few would be no alarm.
        for _ in range(20):
            assert post(self.url + "/webhooks/stripe", b"{}", {"Stripe-Signature": "t=1,v1=00"}) == 400
            assert post(self.url + "/transactions/apple", b'{"signedTransaction":"x"}', headers) == 400
        # With another secret.
        for number in range(3):
            event = json.dumps({"object": "event", "id": f"evt_{number:024}"}).encode()
            assert post(self.url + "/webhooks/stripe", event, {"Stripe-Signature": "t=1,v1=00"}) == 400
        self.trigger("TEST", "--bundle", "com.example.other", status=1)

    def refuse_names(self):
        # Signed with another key, as it looks.
        name = "ImNoYXQi--" + 64 * "0"
        for _ in range(150):
            with suppress(urllib.error.HTTPError):
                urllib.request.urlopen(self.url + f"/streams?name={name}", timeout=10, context=UNVERIFIED)

    def sell_to_nobody(self):
        for _ in range(12):
            self.trigger("SUBSCRIBED/INITIAL_BUY")

    def fail_commits(self, until):
        """The app, or a tool, holds the ledger's lock."""
        ledger = sqlite3.connect(self.folder / "paycast.db", isolation_level=None)
        ledger.execute("BEGIN IMMEDIATE")
        try:
            self.trigger("TEST", status=1)
            wait_until(until)
        finally:
            ledger.execute("ROLLBACK")
            ledger.close()

    def value(self, series):
        """As `/metrics` shows it."""
        with urllib.request.urlopen(self.url + "/metrics", timeout=10) as answer:
            lines = answer.read().decode().splitlines()
        return next(int(line.rpartition(" ")[2]) for line in lines if line.startswith(series + " "))

    def advance(self, seconds):
        body = json.dumps({"advance": seconds}).encode()
        request = urllib.request.Request(self.url + "/demo/api/clock", data=body, method="PUT")
        with urllib.request.urlopen(request, timeout=10) as answer:
            assert answer.status == 200


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("servers")


@pytest.fixture(scope="module")
def sound(folder):
    server = Sound(folder / "sound", settings=SOUND)
    yield server
    server.stop()


@pytest.fixture(scope="module")
def frozen():
    """Stripe's API, which takes connections and does not answer."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        yield f"http://127.0.0.1:{server.getsockname()[1]}"


@pytest.fixture(scope="module")
def alone(folder, frozen):
    """Its certificate ends in two days, it hears nothing of its Rails app, and nothing of Stripe when it asks."""
    chain, key = certificate(folder)
    settings = {**ALONE, "PAYCAST_STRIPE_API_KEY": "rk_live_" + "0" * 24, "PAYCAST_STRIPE_API_URL": frozen}
    server = Paycast(folder / "alone", "--tls-cert", chain, "--tls-key", key, settings=settings)
    yield server
    server.stop()


@pytest.fixture(scope="module")
def refusing():
    server = ThreadingHTTPServer(("127.0.0.1", 0), Refusing)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()


@pytest.fixture(scope="module")
def faulty(folder, refusing):
    server = Faulty(folder / "faulty", "--dev", settings={
        "PAYCAST_APPLE_BUNDLE_ID": "com.example.paycast", "PAYCAST_FORWARD": refusing + "/staging",
        "PAYCAST_HOOK_URLS": refusing + "/hooks",
    })
    yield server
    server.kill()


@pytest.fixture(scope="module")
def prometheus(folder, sound, alone, faulty):
    servers = {"sound": sound.url, "alone": alone.url, "faulty": faulty.url}
    monitor = Prometheus(folder / "prometheus", servers)
    wait_until(lambda: len(monitor.query("paycast_build_info")) == len(servers))
    yield monitor
    monitor.stop()


def crowd(server):
    """More pages than the server takes; those that are open."""
    request = urllib.request.Request(server.url + "/users/1/stream", headers={"Authorization": "Bearer " + "k" * 40})
    with urllib.request.urlopen(request, timeout=10, context=UNVERIFIED) as answer:
        name = json.load(answer)["signed_stream"]
    pages = []
    for _ in range(8):
        with suppress(OSError):
            url = server.url + "/streams?name=" + urllib.parse.quote(name, safe="")
            pages.append(urllib.request.urlopen(url, timeout=10, context=UNVERIFIED))
    return pages


def deliver_subscriptions(server):
    """Three at once, about each of which Stripe is asked."""
    def deliver(number):
        now = int(time.time())
        subscription = {
            "id": f"sub_{number:024}", "object": "subscription", "status": "active", "customer": "cus_1", "created": now,
            "current_period_start": now, "current_period_end": now + 86400, "cancel_at_period_end": False,
            "items": {"data": [{"id": "si_1", "price": {"id": "price_1", "product": "prod_1"}}]},
        }
        body = json.dumps({
            "id": f"evt_{number:024}", "object": "event", "type": "customer.subscription.created", "created": now,
            "livemode": True, "data": {"object": subscription},
        }).encode()
        return post(server.url + "/webhooks/stripe", body, signed(body))

    with ThreadPoolExecutor(3) as threads:
        assert list(threads.map(deliver, range(3))) == [503] * 3


def test_every_chart_is_answered(sound, faulty, prometheus):
    """With the labels by which it groups: one that no series has would be missing."""
    for _ in range(12):
        assert sound.deliver() == 200
    faulty.run("recover", "apple")
    for chart in CHARTS:
        for target in chart["targets"]:
            expression = filled(target["expr"])
            series = wait_until(lambda expression=expression: prometheus.query(expression), 30)
            grouped = re.search(r"by \(([^)]*)\)", expression)
            for labels in series:
                assert set(grouped[1].split(", ") if grouped else []) - {"le"} <= labels.keys(), expression


def test_rows_grow_and_end(folder):
    """What is refused or unclaimed counts until one is not."""
    server = Faulty(folder / "rows", "--dev", settings={"PAYCAST_APPLE_BUNDLE_ID": "com.example.paycast"})
    try:
        posts = 'paycast_posts_refused_in_a_row{provider="apple"}'
        unclaimed = 'paycast_purchases_unclaimed_in_a_row{provider="apple"}'
        headers = {"Authorization": f"Bearer {server.development_key}"}
        for _ in range(4):
            assert post(server.url + "/transactions/apple", b'{"signedTransaction":"x"}', headers) == 400
        for _ in range(3):
            server.trigger("SUBSCRIBED/INITIAL_BUY")
        assert server.value(posts) == 4
        assert server.value(unclaimed) == 3
        server.trigger("SUBSCRIBED/INITIAL_BUY", "--user", "42")
        assert server.value(unclaimed) == 0
    finally:
        server.kill()


def test_each_fault_sets_off_its_alarm(sound, alone, faulty, prometheus):
    seen = {}

    def has(*names):
        def look():
            seen.update(prometheus.firing("alone") | prometheus.firing("faulty"))
            return all("Paycast" + name in seen for name in names)

        return look

    assert sound.deliver() == 200
    wait_until(has("CableLost", "RedisLost", "CertificateEnds", "RecoveryStuck"))
    pages = crowd(alone)
    wait_until(has("ConnectionsRefused"))
    for page in pages:
        page.close()
    deliver_subscriptions(alone)
    wait_until(has("StoreSilent"))
    # The backend is told of it, and refuses.
    faulty.trigger("SUBSCRIBED/INITIAL_BUY", "--user", "42")
    faulty.sell_to_nobody()
    faulty.refuse_deliveries()
    faulty.refuse_names()
    assert sound.deliver() == 200
    wait_until(has(
        "UnclaimedGrows", "WebhooksRefused", "AllWebhooksRefused", "WebhooksOfAnotherApp", "PostsRefused", "StreamNamesRefused",
        "JobsAbandoned",
    ))
    faulty.fail_commits(has("CommitsFail", "LedgerTrouble"))
    wait_until(has("NothingArrives"))
    # Eleven minutes pass on its clock.
    faulty.trigger("TEST", "--delay", "700")
    wait_until(has("StoreDelayed", "ClockOff"))
    # The backend has failed since before that hour.
    faulty.advance(3700)
    wait_until(has("HooksFail"), 90)
    faulty.kill()
    wait_until(has("Missing"))
    assert seen.keys() == rules().keys() - BY_SERIES.keys()
    # Here nothing is wrong but that Stripe was silent for some seconds, and it is no more.
    assert prometheus.firing("sound").keys() <= {"PaycastNothingArrives"}
    assert sound.deliver() == 200
    wait_until(lambda: not prometheus.firing("sound"))
    for name, alarm in seen.items():
        summary = alarm["annotations"]["summary"]
        assert summary and not re.search(r"<no value>|error|{{|%!", summary), summary
        assert alarm["labels"]["severity"] == rules()[name]["labels"]["severity"]
