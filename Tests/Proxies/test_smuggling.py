"""Two clients share a proxy's connections to Paycast: whatever one sends, the other gets all its own answers."""

from collections.abc import Callable
from dataclasses import dataclass

import pytest

from names import FEW
from passage import PASSAGES, Bystander, called
from proxies import PROXIES
from servers import ATTACKERS_KEY, page
from wire import HOST, bearer, get, post, request

# What rides in a body and would be a request if the body were none. The open ones would make the next client's request
# a part of theirs.
HIDDEN = {
    "whole": get("/attackers.txt"),
    "open head": get("/attackers.txt", "X-Rest: ")[:-4],
    "open body": request("POST /orders HTTP/1.1", bearer(ATTACKERS_KEY), "Content-Length: 300"),
}
WEBSOCKET = ("Connection: Upgrade", "Upgrade: websocket", "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==")


@dataclass
class Attack:
    name: str
    # Of what is hidden: the pieces that are sent, each after an answer to the one before it, or a moment.
    pieces: Callable[[bytes], list]


def framed(name, *fields, line="GET /up HTTP/1.1", body=lambda hidden: hidden, host=HOST):
    """`{size}` in a field stands for the length of what follows the head."""

    def pieces(hidden):
        sent = body(hidden)
        return [request(line, *(text.replace("{size}", str(len(sent))) for text in fields), body=sent, host=host)]

    return Attack(name, pieces)


def chunk(hidden):
    return b"%x\r\n%s\r\n0\r\n\r\n" % (len(hidden), hidden)


def behind_the_last_chunk(hidden):
    return b"0\r\n\r\n" + hidden


def both(name, *fields, **rest):
    """For readers that disagree in either direction: hidden inside the only chunk, and behind the last."""
    return [
        framed(f"{name}, inside", *fields, body=chunk, **rest),
        framed(f"{name}, behind", *fields, body=behind_the_last_chunk, **rest),
    ]


SIZE = "Content-Length: {size}"
POST = {"line": "POST /orders HTTP/1.1"}
PAGE = {"line": f"GET {page('a')} HTTP/1.1"}
H2C = ("Connection: Upgrade, HTTP2-Settings", "Upgrade: h2c", "HTTP2-Settings: AAMAAABk")

SWALLOWING = [
    attack
    for name in FEW
    for attack in (
        framed(f"{name} before a length", f"{name}: b", SIZE),
        framed(f"{name} before a length of a POST", f"{name}: b", SIZE, **POST),
        framed(f"{name} before pieces", f"{name}: b", "Transfer-Encoding: chunked", body=chunk),
        framed(f"{name} before an upgrade", *WEBSOCKET[::2], f"{name}: b", WEBSOCKET[1], **PAGE),
        framed(f"{name} before a key", f"{name}: b", bearer(ATTACKERS_KEY), SIZE, **POST),
        framed(f"{name} before an origin", f"{name}: b", "Origin: https://evil.example", **PAGE),
        framed(f"{name} at the end", f"{name}: b"),
    )
]

LENGTHS = [
    framed("a GET with a body", SIZE),
    framed("a HEAD with a body", SIZE, line="HEAD /up HTTP/1.1"),
    framed("an OPTIONS with a body", SIZE, line="OPTIONS /transactions/apple HTTP/1.1"),
    framed("a DELETE with a body", SIZE, line="DELETE /up HTTP/1.1"),
    framed("a method that is none here, with a body", SIZE, line="BREW /up HTTP/1.1"),
    framed("a POST to a file", SIZE, line="POST /attackers.txt HTTP/1.1"),
    framed("a POST without a key", SIZE, **POST),
    framed("a body that is no JSON", SIZE, bearer(ATTACKERS_KEY), **POST),
    framed("an absolute target", SIZE, line="GET http://localhost/up HTTP/1.1"),
    framed("an absolute target of another host", SIZE, line="GET http://other.example/up HTTP/1.1"),
    framed("a space before the colon", "Content-Length : {size}"),
    framed("a tab before the colon", "Content-Length\t: {size}"),
    framed("a NUL before the colon", "Content-Length\0: {size}"),
    framed("a NUL in the number", "Content-Length: {size}\0"),
    framed("a folded length", "Content-Length:\r\n {size}"),
    framed("a length in a folded line", "X-Fold: a\r\n Content-Length: {size}"),
    framed("a length behind a bare CR", "X-Bare: a\rContent-Length: {size}"),
    framed("a length behind a bare LF", "X-Bare: a\nContent-Length: {size}"),
    framed("a length before a bare LF", "Content-Length: {size}\nX-Bare: a"),
    framed("the head's end in bare LFs", "X-Bare: a\n\nGET /attackers.txt HTTP/1.1", SIZE),
    framed("none, then a length", "Content-Length: 0", SIZE),
    framed("a length, then none", SIZE, "Content-Length: 0"),
    framed("a list of lengths", "Content-Length: 0, {size}"),
    framed("the same length twice", SIZE, SIZE),
    framed("a length with a sign", "Content-Length: +{size}"),
    framed("a negative length", "Content-Length: -1"),
    framed("a hexadecimal length", "Content-Length: 0x10"),
    framed("a length with zeros before it", "Content-Length: 000{size}"),
    framed("a length too large for a number", "Content-Length: 18446744073709551616"),
    framed("an empty length", "Content-Length: "),
    framed("an underscore for the hyphen", "Content_Length: {size}"),
    framed("no colon before a length", "X-None", SIZE),
    framed("no name before a length", ": b", SIZE),
    framed("HTTP/1.0, kept", "Connection: keep-alive", SIZE, line="GET /up HTTP/1.0"),
    framed("HTTP/1.0 without a host, kept", "Connection: keep-alive", SIZE, line="GET /up HTTP/1.0", host=None),
    framed("HTTP/1.0, a POST, kept", "Connection: keep-alive", SIZE, line="POST /orders HTTP/1.0"),
    framed("HTTP/1.2", SIZE, line="GET /up HTTP/1.2"),
    framed("HTTP/0.9", line="GET /up"),
    framed("two hosts", "Host: other.example", SIZE),
    framed("no host", SIZE, host=None),
    framed("a length that only its connection needs", "Connection: keep-alive, Content-Length", SIZE),
    framed("a length for the next hop's Expect", "Expect: 100-continue", SIZE, **POST),
    framed("a GET that expects", "Expect: 100-continue", SIZE),
    framed("an expectation that is none", "Expect: 100-continue, y", SIZE, **POST),
    framed("another expectation", "Expect: y", SIZE, **POST),
    framed("an upgrade to HTTP/2", *H2C, SIZE),
    framed("an upgrade to TLS", "Connection: Upgrade", "Upgrade: TLS/1.0", SIZE),
    framed("a WebSocket with a body", *WEBSOCKET, "Sec-WebSocket-Version: 13", SIZE, **PAGE),
    framed("%00 in the path", SIZE, line="GET /up%00 HTTP/1.1"),
    framed("a space in the path", SIZE, line="GET /up HTTP/1.1 HTTP/1.1"),
    framed("an OPTIONS for all", SIZE, line="OPTIONS * HTTP/1.1"),
]

PIECES = [
    *both("pieces", "Transfer-Encoding: chunked"),
    *both("pieces of a POST", "Transfer-Encoding: chunked", **POST),
    *both("a length and pieces", SIZE, "Transfer-Encoding: chunked"),
    *both("pieces and a length", "Transfer-Encoding: chunked", SIZE, **POST),
    *both("pieces and a short length", "Transfer-Encoding: chunked", "Content-Length: 4", **POST),
    *both("pieces with a space before the colon", SIZE, "Transfer-Encoding : chunked", **POST),
    *both("pieces that are folded", SIZE, "Transfer-Encoding:\r\n chunked", **POST),
    *both("pieces behind a bare LF", SIZE, "X-Bare: a\nTransfer-Encoding: chunked", **POST),
    *both("pieces behind a vertical tab", SIZE, "Transfer-Encoding: \x0bchunked", **POST),
    *both("pieces with a NUL", SIZE, "Transfer-Encoding: chunked\0", **POST),
    *both("another coding", SIZE, "Transfer-Encoding: xchunked", **POST),
    *both("the identity", SIZE, "Transfer-Encoding: identity", **POST),
    *both("pieces, then another coding", SIZE, "Transfer-Encoding: chunked, identity", **POST),
    *both("pieces twice", "Transfer-Encoding: chunked", "Transfer-Encoding: chunked", **POST),
    *both("pieces in quotes", SIZE, 'Transfer-Encoding: "chunked"', **POST),
    *both("pieces that only the connection needs", SIZE, "Connection: close, Transfer-Encoding",
          "Transfer-Encoding: chunked", **POST),
    *both("pieces in HTTP/1.0", "Transfer-Encoding: chunked", "Connection: keep-alive", line="POST /orders HTTP/1.0"),
]

ORDER = post("/orders", b'{"user":"attacker","product":"p"}', bearer(ATTACKERS_KEY))
OVERSIZED = 300_000

PLAIN = [
    Attack("a body that ends early", lambda hidden: [
        request("POST /orders HTTP/1.1", bearer(ATTACKERS_KEY), "Content-Length: 1000", body=hidden)]),
    Attack("a body that comes late", lambda hidden: [
        request("POST /orders HTTP/1.1", bearer(ATTACKERS_KEY), f"Content-Length: {len(hidden)}"), hidden]),
    Attack("a body after 100 Continue", lambda hidden: [
        request("POST /orders HTTP/1.1", "Expect: 100-continue", f"Content-Length: {len(hidden)}"), hidden]),
    Attack("a body after another expectation", lambda hidden: [
        request("POST /orders HTTP/1.1", "Expect: y", f"Content-Length: {len(hidden)}"), hidden]),
    Attack("a body too large", lambda hidden: [
        request("POST /orders HTTP/1.1", f"Content-Length: {OVERSIZED}", body=(hidden * OVERSIZED)[:OVERSIZED])]),
    Attack("a body too large that ends early", lambda hidden: [
        request("POST /orders HTTP/1.1", f"Content-Length: {OVERSIZED}", body=hidden)]),
    Attack("reads in a row", lambda hidden: [get("/attackers.txt") * 10 + hidden]),
    Attack("orders in a row", lambda hidden: [ORDER * 5 + hidden]),
    Attack("webhooks in a row", lambda hidden: [post("/webhooks/apple", b"{}") * 5 + hidden]),
    Attack("more than its length", lambda hidden: [post("/webhooks/apple", b"{}") + hidden]),
    Attack("a HEAD and another", lambda hidden: [
        request("HEAD /attackers.txt HTTP/1.1") + request("HEAD /attackers.txt HTTP/1.1") + hidden]),
    Attack("a WebSocket of another version", lambda hidden: [
        get(page("a"), *WEBSOCKET, "Sec-WebSocket-Version: 8"), get("/metrics") + hidden]),
    Attack("a WebSocket without a key", lambda hidden: [
        get(page("a"), *WEBSOCKET[:2], "Sec-WebSocket-Version: 13"), get("/metrics") + hidden]),
    Attack("a WebSocket where none is", lambda hidden: [
        get("/up", *WEBSOCKET, "Sec-WebSocket-Version: 13"), get("/metrics") + hidden]),
    Attack("a WebSocket, then a request", lambda hidden: [
        get(page("a"), *WEBSOCKET, "Sec-WebSocket-Version: 13"), get("/metrics") + hidden]),
    Attack("events, then a request", lambda hidden: [get(page("a")) + get("/metrics"), hidden]),
    Attack("half a head", lambda hidden: [get("/up", "X-Half: ")[:-4]]),
    Attack("parts of a file", lambda hidden: [get("/attackers.txt", "Range: bytes=0-1") + hidden]),
    Attack("what is known already", lambda hidden: [get("/attackers.txt", "If-None-Match: *") + hidden]),
]

ATTACKS = SWALLOWING + LENGTHS + PIECES + PLAIN

# Without trust in the proxy, both of the open ones; with it, the whole one.
WAYS = [("open head", False), ("open body", False), ("whole", True)]


CASES = [
    pytest.param(hidden, (name, trusts), id=f"{hidden}, {called(name, trusts)}")
    for name in PROXIES
    for hidden, trusts in WAYS
]


def attack_through(passage, pieces):
    """All that the attacker receives."""
    with passage.wire() as wire:
        for index, piece in enumerate(pieces):
            try:
                wire.send(piece)
            except OSError:
                break
            if index == 0:
                passage.ask()
            heard = wire.hear()
        passage.ask()
        passage.ask()
    passage.ask()
    return heard


@pytest.mark.parametrize("attack", ATTACKS, ids=lambda attack: attack.name)
@pytest.mark.parametrize("hidden, passage", CASES, indirect=["passage"])
def test_each_gets_his_own_answers(passage, attack, hidden):
    passage.is_spoilt = True
    with Bystander(passage) as bystander:
        heard = attack_through(passage, attack.pieces(HIDDEN[hidden]))
    assert bystander.flaw is None
    assert b"bystander" not in heard and b"paycast_" not in heard
    passage.check_page()
    passage.is_spoilt = False


@pytest.mark.parametrize("passage", PASSAGES, indirect=True)
def test_clients_share_connections(passage):
    """Or nothing here would prove anything."""
    before = passage.connections()
    for _ in range(40):
        passage.ask()
    assert len(passage.connections() - before) <= 8
