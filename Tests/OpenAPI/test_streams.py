"""Streams never end, so each is opened once by hand: its head, and what comes first."""

import json
import socket
from urllib.parse import quote

import pytest

import document
from answers import Answers
from servers import API_KEY, Answer

DOCUMENT = document.load()
WEBSOCKET = "Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
WEBSOCKET += "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n"


class Head:
    """An answer whose body is still to come."""

    def __init__(self, connection, path, more):
        request = f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer {API_KEY}\r\n{more}\r\n"
        connection.sendall(request.encode())
        self.stream = connection.makefile("rb")
        self.status = int(self.stream.readline().split()[1])
        lines = iter(lambda: self.stream.readline().decode().strip(), "")
        self.headers = dict(line.split(": ", 1) for line in lines)

    def block(self):
        """The next event: its fields' values."""
        lines = iter(lambda: self.stream.readline().decode().rstrip("\n"), "")
        return {name: value for name, value in (line.split(": ", 1) for line in lines if not line.startswith(":"))}

    def frame(self):
        """The next message of a WebSocket; all are shorter than 64 KiB."""
        kind, length = self.stream.read(2)
        assert kind == 0x81
        return self.stream.read(length if length < 126 else int.from_bytes(self.stream.read(2), "big")).decode()


@pytest.fixture
def opened(production):
    connections = []

    def opened(path, more=""):
        connections.append(socket.create_connection(("127.0.0.1", production.port), timeout=20))
        return Head(connections[-1], path, more)

    yield opened
    for connection in connections:
        connection.close()


def check_head(path, head, status):
    """The documented headers; an event stream has a type, and no length."""
    assert head.status == status
    answer = DOCUMENT["paths"][path]["get"]["responses"][str(status)]
    Answers(DOCUMENT).check_headers(answer, head)
    assert head.headers.get("Content-Type") == next(iter(answer.get("content", {})), None)
    assert "Content-Length" not in head.headers


def name(production, user):
    return quote(production.ask("GET", f"/users/{user}/stream").json["signed_stream"], safe="")


def broadcast(production, user):
    markup = {"user": user, "action": "update", "target": "notice", "html": "<p>Hello</p>"}
    return production.ask("POST", "/broadcasts", markup).json["cursors"][0]


FRAGMENT = '<turbo-stream action="update" target="notice"><template><p>Hello</p></template></turbo-stream>'


def test_a_page_follows_its_stream(production, opened):
    head = opened(f"/streams?name={name(production, 'reader')}")
    check_head("/streams", head, 200)
    assert set(head.block()) == {"retry", "id"}
    cursor = broadcast(production, "reader")
    assert head.block() == {"id": cursor, "data": FRAGMENT}


def test_a_page_follows_its_stream_over_a_websocket(production, opened):
    head = opened(f"/streams?name={name(production, 'listener')}", WEBSOCKET)
    check_head("/streams", head, 101)
    broadcast(production, "listener")
    assert head.frame() == FRAGMENT


def test_a_page_speaks_action_cable(opened):
    head = opened("/cable", WEBSOCKET + "Sec-WebSocket-Protocol: actioncable-v1-json\r\n")
    check_head("/cable", head, 101)
    assert json.loads(head.frame()) == {"type": "welcome"}


def test_a_backend_follows_events(production, opened):
    # Generated requests may have erased 42, and what a store says of an erased user is nobody's.
    answer = production.ask("GET", "/users/follower/entitlements")
    head = opened(f"/feed?user=follower&since={answer.json['since']}")
    check_head("/feed", head, 200)
    assert set(head.block()) == {"retry", "id"}
    assert production.ask("POST", "/webhooks/revenuecat", purchase("follower"), key="of-the-examples").status == 200
    event = head.block()
    Answers(DOCUMENT).check_value({"$ref": "#/components/schemas/Event"}, json.loads(event["data"]))
    assert json.loads(event["data"])["cursor"] == event["id"]


def test_a_foreign_cursor_resets_the_feed(opened):
    head = opened("/feed?since=otherone-7")
    check_head("/feed", head, 200)
    head.block()
    event = head.block()
    assert event["event"] == "reset" and json.loads(event["data"])["cursor"] == event["id"]


def purchase(user):
    example = DOCUMENT["paths"]["/webhooks/revenuecat"]["post"]["requestBody"]["content"]["application/json"][
        "examples"
    ]["purchase"]
    event = example["value"]["event"] | {
        "id": "of-the-feed",
        "app_user_id": user,
        "original_transaction_id": "of-the-feed",
    }
    return {"event": event}
