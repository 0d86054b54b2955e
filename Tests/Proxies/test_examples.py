"""The documentation's examples: what they pass on, and what they answer while Paycast is away."""

import json
from urllib.parse import urlsplit

import pytest

from certificates import UNVERIFIED
from examples import EXAMPLES
from ports import ReservedPort
from servers import KEY, Paycast, page
from wire import AT_ONCE, Wire, bearer, get, post, request

WEBSOCKET = ("Connection: Upgrade", "Upgrade: websocket", "Sec-WebSocket-Version: 13")
WEBSOCKET_KEY = "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ=="
CABLE_PROTOCOL = "Sec-WebSocket-Protocol: actioncable-v1-json"
CABLE = get("/cable", *WEBSOCKET, WEBSOCKET_KEY, CABLE_PROTOCOL, "Origin: https://shop.test")
# What a client says of itself. Whoever believes it hands out other addresses.
CLAIMS = ("X-Forwarded-Host: evil.example", "X-Forwarded-Proto: http")


class Place:
    """A proxy with Paycast behind it."""

    def __init__(self, kind, folder, *certificate):
        self.folder = folder
        self.reserved = ReservedPort()
        self.paycast = self.start()
        self.proxy = kind(folder / "proxy", self.paycast.port, *certificate)

    def start(self):
        settings = {"trusted_proxies": "127.0.0.1", "allowed_origins": "https://shop.test"}
        return Paycast(self.folder / "paycast", port=self.reserved.number, **settings)

    def restart(self):
        self.paycast = self.start()

    def wire(self):
        return Wire(self.proxy.port, context=UNVERIFIED)

    def ask(self, request, seconds=None):
        with self.wire() as wire:
            return wire.send(request).answer(seconds=seconds)

    def broadcast(self, text):
        """Publishes directly, not through the proxy."""
        html = f'<turbo-stream action="remove" target="{text}"></turbo-stream>'
        body = json.dumps({"stream": "a", "html": html}).encode()
        with Wire(self.paycast.port) as wire:
            assert wire.send(post("/broadcasts", body, bearer(KEY))).answer().status == 202

    def stop(self):
        self.proxy.kill()
        return self.paycast.stop()


@pytest.fixture(scope="module", params=EXAMPLES)
def place(request, tmp_path_factory, certificate):
    place = Place(EXAMPLES[request.param], tmp_path_factory.mktemp(request.param), *certificate)
    yield place
    assert place.stop(), place.paycast.log.read_text()


def test_a_page_is_told_at_once(place):
    with place.wire() as wire:
        head = wire.send(get(page("a"), "Origin: https://shop.test")).read(b"\n\n")
        assert head.startswith(b"HTTP/1.1 200")
        for text in ("first", "second"):
            place.broadcast(text)
            wire.read(f'target="{text}"'.encode(), seconds=AT_ONCE)


def test_a_websocket_opens(place):
    with place.wire() as wire:
        answer = wire.send(CABLE).answer()
        assert answer.status == 101
        wire.read(b'{"type":"welcome"')


@pytest.mark.parametrize("claims", [(), CLAIMS], ids=["", "claims"])
def test_addresses_are_those_of_the_proxy(place, claims):
    host = f"localhost:{place.proxy.port}"
    asked = request("GET /users/u/stream HTTP/1.1", f"Host: {host}", *claims, bearer(KEY), host=None)
    addresses = json.loads(place.ask(asked).body)
    assert urlsplit(addresses["sse"])[:2] == ("https", host)
    assert urlsplit(addresses["websocket"])[:2] == ("wss", host)


def test_what_paycast_refuses_stays_refused(place):
    assert place.ask(get("/streams?name=forged")).status == 403


def test_pages_are_told_to_come_back_while_paycast_is_away(place):
    host = f"Host: localhost:{place.proxy.port}"
    stream = request(f"GET {page('a')} HTTP/1.1", host, "Origin: https://shop.test", host=None)
    webhook = request("POST /webhooks/apple HTTP/1.1", host, "Content-Length: 2", body=b"{}", host=None)
    assert place.ask(webhook).status == 400
    place.paycast.kill()
    for _ in range(2):
        answer = place.ask(stream, seconds=10)
        assert answer.status == 200
        assert answer.header("Content-Type") == "text/event-stream"
        assert answer.header("Access-Control-Allow-Origin") == "*"
        assert answer.body == b"retry: 3000\n\n"
        # Stores come back after it.
        assert place.ask(webhook, seconds=10).status in (502, 503)
    place.restart()
    # The proxy does not keep clients away from a server that is back.
    with place.wire() as wire:
        assert wire.send(stream).read(b"\nid: ").startswith(b"HTTP/1.1 200")
    assert place.ask(webhook).status == 400
