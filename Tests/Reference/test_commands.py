"""A client's messages, and everything that the real Action Cable and Paycast answer."""

from dataclasses import dataclass

import pytest
from websockets.exceptions import ConnectionClosed

from cable import Cable, command, confirmed, identifier, message, rejected, signed

HTML = '<turbo-stream action="update" target="é"><template>"a" &amp; \u2028 \\ 😀\n</template></turbo-stream>'


@dataclass
class Publish:
    stream: str
    html: str = HTML


@dataclass
class Refreshed:
    """Paycast's ledger has been asked what the page missed: what is published before that shares the refresh's frame."""

    identifier: str


@dataclass
class Case:
    name: str
    steps: list
    hears: list
    paycast: list | None = None
    why: str = ""


def subscribe(identifier):
    return command("subscribe", identifier)


def unsubscribe(identifier):
    return command("unsubscribe", identifier)


def echoed(name, identifier):
    steps = [subscribe(identifier), Publish("a")]
    return Case(f"repeats an identifier with {name}", steps, [confirmed(identifier), message(identifier, HTML)])


A, B = identifier("a"), identifier("b")
TOKEN = signed("a")
PAGE = identifier("a", since="1755")
REFRESH = '<turbo-stream action="refresh"></turbo-stream>'
FORGED = identifier("a").replace("--", "--0")
UNKNOWN = f'{{"channel":"Missing","signed_stream_name":"{TOKEN}"}}'
NAMELESS = '{"channel":"Turbo::StreamsChannel"}'
ANY_CHANNEL = "the signed name alone is the right, whichever class of the app it is sent to"

CASES = [
    Case("confirms and delivers a string", [subscribe(A), Publish("a")], [confirmed(A), message(A, HTML)]),
    echoed("odd spacing", f' {{ "channel" :\t"Turbo::StreamsChannel",  "signed_stream_name":"{TOKEN}"}} '),
    echoed("another order", f'{{"signed_stream_name":"{TOKEN}","channel":"Turbo::StreamsChannel"}}'),
    echoed("unicode", identifier("a", label="é 😀 \u2028 </script> &")),
    echoed("raw unicode", f'{{"channel":"Turbo::StreamsChannel","signed_stream_name":"{TOKEN}","x":"é😀\u2028<&>"}}'),
    echoed("escapes", f'{{"channel":"Turbo\\u003a:StreamsChannel","signed_stream_name":"{TOKEN}","x":"\\/\\u00e9"}}'),
    echoed("a parameter of the page", identifier("a", color="red")),
    Case("hears an unknown cursor", [subscribe(PAGE), Refreshed(PAGE), Publish("a")],
         [confirmed(PAGE), message(PAGE, HTML)],
         [confirmed(PAGE), message(PAGE, REFRESH), message(PAGE, HTML)],
         "what the page has missed since then is not known, so it is rendered anew"),
    Case("rejects a forged name", [subscribe(FORGED), Publish("a")], [rejected(FORGED)]),
    Case("rejects a missing name", [subscribe(NAMELESS)], [rejected(NAMELESS)]),
    Case("follows two streams", [subscribe(A), subscribe(B), Publish("b"), Publish("a")],
         [confirmed(A), confirmed(B), message(B, HTML), message(A, HTML)]),
    Case("delivers nothing of another stream", [subscribe(A), Publish("b")], [confirmed(A)]),
    Case("delivers nothing after unsubscribe", [subscribe(A), unsubscribe(A), Publish("a")], [confirmed(A)]),
    Case("subscribes again", [subscribe(A), unsubscribe(A), subscribe(A), Publish("a")],
         [confirmed(A), confirmed(A), message(A, HTML)]),
    Case("hears a duplicate subscribe", [subscribe(A), subscribe(A), Publish("a")],
         [confirmed(A), message(A, HTML)], [confirmed(A), confirmed(A), message(A, HTML)],
         "the stock client asks every 500 ms until it is confirmed, so silence is a storm"),
    Case("ignores an unsubscribe of nothing", [unsubscribe(A)], []),
    Case("hears an unknown channel", [subscribe(UNKNOWN)], [], [confirmed(UNKNOWN)], ANY_CHANNEL),
    Case("hears an identifier that is no JSON", [subscribe("{")], [], [rejected("{")],
         "an answer ends the client's asking"),
    Case("hears an identifier that is no object", [subscribe("[1]")], [], [rejected("[1]")],
         "an answer ends the client's asking"),
    Case("ignores an unknown command", [command("dance", A)], []),
    Case("ignores malformed JSON", ["{", "", "null", "[]"], []),
    Case("ignores a missing identifier", ['{"command":"subscribe"}'], []),
    Case("ignores an action", [subscribe(A), command("message", A, data='{"action":"x"}')], [confirmed(A)]),
]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_command(server, case):
    differs = server.name == "paycast" and case.paycast is not None
    with Cable(server) as cable:
        heard = []
        for step in case.steps:
            match step:
                case Publish():
                    server.broadcast(step.stream, step.html)
                case Refreshed():
                    if differs and message(step.identifier, REFRESH) not in heard:
                        heard.append(cable.receive())
                case _:
                    cable.send(step)
            heard += cable.settled()
        assert heard == (case.paycast if differs else case.hears), case.why


def test_two_clients_hear_one_broadcast(server):
    with Cable(server) as one, Cable(server) as other:
        for client in (one, other):
            client.send(subscribe(A))
            assert client.receive() == confirmed(A)
        server.broadcast("a", HTML)
        assert one.receive() == other.receive() == message(A, HTML)


def test_a_binary_frame_is_not_obeyed(server):
    """Rails logs it and goes on. Paycast closes with 1003: no client of Action Cable sends one."""
    with Cable(server) as cable:
        cable.send(subscribe(A).encode())
        if server.name == "rails":
            assert cable.settled() == []
        else:
            with pytest.raises(ConnectionClosed) as ended:
                cable.receive()
            assert ended.value.rcvd.code == 1003


def test_a_flood_of_commands(server):
    """Rails obeys without a limit. Paycast disconnects after 600 a minute, so that no client keeps a loop busy."""
    with Cable(server) as cable:
        # Two minutes' worth: the limit is counted by the minute of the clock.
        for _ in range(1300):
            try:
                cable.send(command("dance", A))
            except ConnectionClosed:
                break
        if server.name == "rails":
            assert cable.settled() == []
        else:
            assert cable.receive() == {"type": "disconnect", "reason": "too_many_commands", "reconnect": True}
