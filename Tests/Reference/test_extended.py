"""actioncable-v1-ext-json, which AnyCable's clients speak, at Paycast."""

import json

import pytest

from cable import Cable, command, confirmed, identifier

EXTENDED = "actioncable-v1-ext-json"
FIRST, SECOND, THIRD = (f'<turbo-stream action="remove" target="{id}"></turbo-stream>' for id in "123")


@pytest.fixture
def open_cable(paycast):
    opened = []

    def open_cable(sid=None):
        opened.append(Cable(paycast, f"/cable?sid={sid}" if sid else "/cable", (EXTENDED,)))
        return opened[-1]

    yield open_cable
    for cable in opened:
        cable.socket.close()


@pytest.fixture
def stream(request, paycast):
    """A stream of the test's own, and how to publish on it so that it is kept."""
    name = f"ext:{request.node.name}"

    def publish(html):
        paycast.post("/broadcasts", {"stream": name, "html": html})

    publish.name, publish.identifier = name, identifier(name)
    return publish


def subscribe(cable, stream, **members):
    cable.send(command("subscribe", stream.identifier, **members))
    assert cable.receive() == confirmed(stream.identifier)


def place(stream, message):
    return {"streams": {stream.name: {"offset": message["offset"], "epoch": message["epoch"]}}}


def verdict(name, stream):
    return {"type": name, "identifier": stream.identifier}


def test_the_protocol_is_picked_and_the_session_named(open_cable):
    cable = open_cable()
    assert cable.socket.subprotocol == EXTENDED
    assert cable.welcome == {"type": "welcome", "sid": cable.welcome["sid"]}
    assert cable.welcome["sid"] != open_cable().welcome["sid"]


def test_messages_have_a_place(open_cable, stream):
    cable = open_cable()
    subscribe(cable, stream)
    for html in (FIRST, SECOND):
        stream(html)
    one, two = cable.receive(), cable.receive()
    assert set(one) == {"identifier", "message", "stream_id", "epoch", "offset"}
    assert (one["stream_id"], one["message"], two["message"]) == (stream.name, FIRST, SECOND)
    assert isinstance(one["offset"], int) and one["offset"] < two["offset"] and one["epoch"] == two["epoch"]


@pytest.mark.parametrize("asks", ["with the subscription", "by a command"])
def test_history(open_cable, stream, asks):
    first = open_cable()
    subscribe(first, stream)
    for html in (FIRST, SECOND):
        stream(html)
    seen, missed = first.receive(), first.receive()
    if asks == "with the subscription":
        cable = open_cable()
        subscribe(cable, stream, history=place(stream, seen))
    else:
        cable = first
        cable.send(command("history", stream.identifier, history=place(stream, seen)))
    assert cable.receive() == missed
    assert cable.receive() == verdict("confirm_history", stream)


def test_nothing_missed_is_confirmed(open_cable, stream):
    cable = open_cable()
    subscribe(cable, stream)
    stream(FIRST)
    seen = cable.receive()
    late = open_cable()
    subscribe(late, stream, history=place(stream, seen))
    assert late.receive() == verdict("confirm_history", stream)


def test_history_of_another_epoch_is_rejected_and_the_page_rendered_anew(open_cable, stream):
    cable = open_cable()
    subscribe(cable, stream, history={"streams": {stream.name: {"offset": 1, "epoch": "gone"}}})
    heard = []
    while (received := cable.receive()) != verdict("reject_history", stream):
        heard.append(received["message"])
    assert heard == ['<turbo-stream action="refresh"></turbo-stream>']


def test_history_without_a_subscription_is_rejected(open_cable, stream):
    cable = open_cable()
    cable.send(command("history", stream.identifier, history={"since": 0}))
    assert cable.receive() == verdict("reject_history", stream)


def test_a_session_is_resumed_with_its_subscriptions(open_cable, stream):
    first = open_cable()
    subscribe(first, stream)
    first.socket.close()
    # The server keeps the session when it has learnt of the end, a moment after it answered the close.
    attempts = (open_cable(sid=first.welcome["sid"]) for _ in range(50))
    cable = next(cable for cable in attempts if "restored" in cable.welcome)
    assert cable.welcome == {
        "type": "welcome", "sid": cable.welcome["sid"], "restored": True, "restored_ids": [stream.identifier]
    }
    assert cable.welcome["sid"] != first.welcome["sid"]
    stream(THIRD)
    assert cable.receive()["message"] == THIRD


def test_an_unknown_session_is_a_new_one(open_cable):
    assert set(open_cable(sid="0" * 32).welcome) == {"type", "sid"}


def test_pings(open_cable):
    cable = open_cable()
    for message in ("pong", "ping"):
        cable.send(json.dumps({"command": message}))
    assert cable.receive() == {"type": "pong"}
