"""A shop on a platform: pages outlive the router's patience, whoever pays is shown it, and a deployment loses nothing."""

import hashlib
import hmac
import http.client
import json
import threading
import time

import pytest

import certificates
from parts import HOST, App, Redis, Router, Web
from ports import ReservedPort
from postgres import Postgres
from readers import EventSource, WebSocket

API_KEY, SECRET = "a" * 40, "b" * 40
# Longer than the router leaves a connection idle.
IDLE = 60


@pytest.fixture(scope="module")
def certificate(tmp_path_factory):
    return certificates.certificate(tmp_path_factory.mktemp("certificate"))


@pytest.fixture(scope="module")
def postgres(certificate):
    server = Postgres(*certificate, needs_tls=True)
    yield server
    server.stop()


@pytest.fixture(scope="module")
def redis(tmp_path_factory, certificate):
    server = Redis(tmp_path_factory.mktemp("redis"), *certificate)
    yield server
    server.stop()


@pytest.fixture(scope="module")
def app(tmp_path_factory, postgres, redis):
    return App(tmp_path_factory.mktemp("app"), {
        "DATABASE_URL": postgres.url(), "REDIS_URL": redis.url, "PAYCAST_REDIS_VERIFY": "none", "PAYCAST_HOME": "here",
        "PAYCAST_API_KEY": API_KEY, "PAYCAST_STREAM_KEYS": "c" * 40, "PAYCAST_PURCHASEKIT_SECRET": SECRET,
        "PAYCAST_TRUSTED_PROXIES": "127.0.0.0/8",
    })


@pytest.fixture(scope="module")
def webs(tmp_path_factory, app):
    status, said = app.release()
    assert status == 0 and "the ledger is up to date" in said, said
    reserved = [ReservedPort() for _ in range(2)]
    webs = [Web(app, tmp_path_factory.mktemp("web"), port.number) for port in reserved]
    yield webs
    assert all([web.stop() for web in webs])
    for port in reserved:
        port.close()


@pytest.fixture(scope="module")
def shop(tmp_path_factory, webs):
    router = Router(tmp_path_factory.mktemp("router") / "router", [web.port for web in webs])
    yield Shop(router.port)
    router.stop()


class Shop:
    """Its only address is the router's."""

    def __init__(self, port):
        self.port = port

    def ask(self, method, path, body=b"", **headers):
        """The answer's status and body."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        headers = {"Host": HOST} | {name.replace("_", "-"): text for name, text in headers.items()}
        connection.request(method, path, body, headers)
        answer = connection.getresponse()
        try:
            return answer.status, answer.read()
        finally:
            connection.close()

    def call(self, method, path, body=None, **headers):
        """As the shop's backend, until it is taken."""
        data = b"" if body is None else json.dumps(body).encode()
        for _ in range(60):
            status, answer = self.ask(method, path, data, Authorization=f"Bearer {API_KEY}", **headers)
            if status not in (502, 503):
                assert status < 300, answer
                return json.loads(answer)
        raise AssertionError(f"{status} {answer}")

    def wait_for_nodes(self, count):
        """They tell of themselves with each heartbeat."""
        deadline = time.monotonic() + 60
        while len((ledger := self.call("GET", "/ready")["ledger"])["nodes"]) != count or ledger["differences"]:
            assert time.monotonic() < deadline, ledger
            time.sleep(0.1)

    def pays(self, user, event):
        """As PurchaseKit, which delivers again."""
        body = json.dumps({
            "event_id": event, "type": "subscription.created" if event == "first" else "subscription.updated",
            "status": "active", "subscription_id": f"of-{user}", "subscription_name": "Pro", "store": "apple",
            "store_product_id": "pro.monthly", "current_period_start": "2026-01-01T00:00:00Z",
            "current_period_end": "2126-01-01T00:00:00Z" if event == "first" else "2127-01-01T00:00:00Z",
            "success_path": "/", "customer_id": user,
        }).encode()
        signature = hmac.new(SECRET.encode(), body, hashlib.sha256).hexdigest()
        for _ in range(60):
            status, answer = self.ask("POST", "/webhooks/purchasekit", body, X_PurchaseKit_Signature=signature)
            if status == 200:
                return json.loads(answer)["outcome"]
        raise AssertionError(f"{status} {answer}")


class Broadcaster(threading.Thread):
    """Tells user 42's pages one number after the other, until it is stopped. What is not answered 202 it sends again."""

    def __init__(self, shop):
        super().__init__(daemon=True)
        self.shop, self.sent, self.is_over, self.failure = shop, 0, False, None
        self.ended = threading.Event()
        self.start()

    def run(self):
        try:
            # The pages without a cursor hear all again, of which the server keeps the newest 100.
            while self.sent < 90 and not self.ended.wait(0.1):
                html = f"<i>{self.sent}</i>"
                body = {"user": "42", "action": "append", "target": "log", "html": html}
                self.shop.call("POST", "/broadcasts", body, Idempotency_Key=html)
                self.sent += 1
        except AssertionError as error:
            self.failure = error

    def stop(self):
        self.ended.set()
        self.join(60)
        assert not self.failure and self.sent, self.failure


@pytest.mark.parametrize("line", ["release", "web"])
def test_each_line_needs_a_database(app, line):
    status, said = app.release(line, DATABASE_URL="")
    assert status != 0 and "DATABASE_URL: is not set: attach a PostgreSQL database" in said, said


@pytest.mark.parametrize("query, flaw", [
    ("", None),
    ("?sslmode=require", None),
    ("?sslmode=verify-full&sslrootcert={certificate}", None),
    ("?sslmode=verify-full&sslrootcert=system", "certificate"),
    ("?sslmode=disable", "no encryption"),
])
def test_how_the_database_proves_itself(app, postgres, certificate, query, flaw):
    """Nobody vouches for its certificate."""
    url = postgres.url(host="localhost") + query.format(certificate=certificate[0])
    status, said = app.release(DATABASE_URL=url)
    assert (status == 0) == (flaw is None), said
    if flaw:
        assert flaw in said and "paycast@" not in said, said


def test_pages_have_the_address_that_browsers_know(shop):
    source = shop.call("GET", "/users/42/stream", None)
    assert source["sse"].startswith(f"https://{HOST}/streams?"), source
    assert source["websocket"].startswith(f"wss://{HOST}/streams?"), source


def test_a_deployment_loses_nothing(shop, webs, redis):
    source = shop.call("GET", "/users/42/stream")
    # The router gives them to both processes.
    pages = [kind(shop.port, source) for kind in (EventSource, WebSocket) * 2]
    stays = []
    waiting = [threading.Thread(target=lambda page=page: stays.append(page.stays_open(IDLE))) for page in pages]
    for thread in waiting:
        thread.start()
    for thread in waiting:
        thread.join()
    assert stays == [True] * 4, [page.refusals for page in pages]

    assert shop.pays("42", "first") == "applied"
    for page in pages:
        page.shows('target="paywall"')
    html = '<turbo-stream action="append" target="log"><template>by Redis</template></turbo-stream>'
    assert redis.publish("user:42:paywall", json.dumps(html)) == len(webs)
    for page in pages:
        page.shows("by Redis")

    broadcaster = Broadcaster(shop)
    for web in webs:
        web.replace()
    broadcaster.stop()
    assert shop.pays("42", "second") == "applied"
    assert shop.pays("42", "second") == "duplicate"
    last = broadcaster.sent - 1
    for page in pages:
        page.shows(f"<i>{last}</i>")
        assert page.openings > 1 and not page.refusals, page.refusals
        assert sorted(set(page.numbers())) == list(range(broadcaster.sent))
    for page in pages[::2]:
        # A WebSocket comes back with the cursor of its beginning, and hears all again.
        assert page.numbers() == list(range(broadcaster.sent)), "once, in order"
    for page in pages:
        page.is_over = True
    shop.wait_for_nodes(len(webs))
    assert shop.call("GET", "/users/42/entitlements")["active"]
