"""Heads that no well-behaved client sends, and those that many send and servers forget: each has its answer, at once."""

import re
from dataclasses import dataclass
from datetime import datetime, timezone
from email.utils import parsedate_to_datetime

import pytest

from servers import KEY, UNVERIFIED, page
from streams import Streams
from streams import request as http2
from wire import HOST, Wire, bearer, get, post, request

WEBSOCKET = ("Connection: Upgrade", "Upgrade: websocket", "Sec-WebSocket-Version: 13")
WEBSOCKET_KEY = "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ=="
ORDER = b'{"user":"u","product":"p"}'
BROADCAST = b'{"user":"u","html":"<turbo-stream action=\\"remove\\" target=\\"t\\"></turbo-stream>","transient":true}'
# Longer than any of these should take, on a machine that does other things, too.
AT_ONCE = 1.0


@dataclass
class Case:
    name: str
    sent: bytes
    status: int
    # What its body has.
    says: bytes = b""
    # The connection ends with it.
    ends: bool = False
    # Headers that it has, with their values.
    headers: tuple = ()


def refused(name, sent, status=400, says=b"malformed_request"):
    return Case(name, sent, status, says, ends=True)


def up(*fields, **rest):
    return get("/up", *fields, **rest)


def line(text):
    return request(text)


def order(*fields, body=b"hello"):
    return request("POST /orders HTTP/1.1", *fields, body=body)


def follow(*fields):
    """A page's own request."""
    return get(page("a"), *fields)


LENGTH = b"invalid_content_length"
LONG = b"length_required"
LARGE = b"body_too_large"
LAST_CHUNK = b"0\r\n\r\n"

LINES = [
    refused("no HTTP", b"hello\r\n\r\n"),
    refused("a hello of TLS", b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + bytes(32)),
    refused("a preface of HTTP/2", b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"),
    refused("HTTP/0.9", line("GET /up")),
    *[refused(f"version {version}", line(f"GET /up HTTP/{version}"))
      for version in ("0.9", "1.2", "1.9", "2.0", "9.9", "1.10", "1.1.1", "1,1", "1", "01.1", "")],
    refused("a version in lower case", line("GET /up http/1.1")),
    refused("another protocol", line("GET /up ICY/1.1")),
    refused("a space at the end", line("GET /up HTTP/1.1 ")),
    refused("a space before the method", line(" GET /up HTTP/1.1")),
    refused("two spaces", line("GET  /up HTTP/1.1")),
    refused("two spaces before the version", line("GET /up  HTTP/1.1")),
    refused("tabs for spaces", line("GET\t/up\tHTTP/1.1")),
    refused("no method", line("/up HTTP/1.1")),
    refused("a method that is no token", line("G@T /up HTTP/1.1")),
    refused("a method without end", line("G" * 100 + " /up HTTP/1.1")),
    Case("a method in lower case", line("get /up HTTP/1.1"), 405, b"method_not_allowed", ends=True,
         headers=(("Allow", "GET, HEAD"),)),
    Case("an unknown method", line("BREW /up HTTP/1.1"), 405, b"method_not_allowed", ends=True,
         headers=(("Allow", "GET, HEAD"),)),
    Case("a known method in the wrong place", line("DELETE /orders HTTP/1.1"), 405, ends=True,
         headers=(("Allow", "POST"),)),
    Case("a question about the whole server", line("OPTIONS * HTTP/1.1"), 204, ends=True,
         headers=(("Content-Length", None),)),
    Case("a tunnel", line("CONNECT localhost:443 HTTP/1.1"), 405, b"method_not_allowed", ends=True),
    refused("%00 in the path", line("GET /up%00 HTTP/1.1")),
    refused("%00 in the query", line("GET /up?a=%00 HTTP/1.1")),
    refused("an escape without digits", line("GET /% HTTP/1.1")),
    refused("an escape with one digit", line("GET /%4 HTTP/1.1")),
    refused("an escape of no digits", line("GET /%zz HTTP/1.1")),
    refused("a path that is no UTF-8", line("GET /%ff HTTP/1.1")),
    refused("a raw byte beyond ASCII", line("GET /\xfc HTTP/1.1")),
    refused("a control byte in the path", line("GET /u\x01p HTTP/1.1")),
    refused("a NUL in the path", line("GET /u\0p HTTP/1.1")),
    refused("a fragment", line("GET /up#x HTTP/1.1")),
    refused("no slash", line("GET up HTTP/1.1")),
    refused("a star for a GET", line("GET * HTTP/1.1")),
    refused("the folder above", line("GET /../up HTTP/1.1")),
    refused("the folder above, escaped", line("GET /%2e%2e/up HTTP/1.1")),
    refused("another scheme", line("GET ftp://localhost/up HTTP/1.1")),
    refused("a scheme without a host", line("GET http:///up HTTP/1.1")),
    refused("a user in the target", line("GET http://a@localhost/up HTTP/1.1")),
    Case("an absolute target", line("GET http://localhost/up HTTP/1.1"), 200, b"up\n"),
    Case("an absolute target of another host", line("GET HTTP://other.example:81/up HTTP/1.1"), 200, b"up\n"),
    Case("an absolute target without a path", line("GET http://localhost HTTP/1.1"), 404, b"not_found"),
    Case("a query", line("GET /up?a=%20+&&=b&c HTTP/1.1"), 200, b"up\n"),
    Case("one empty line before it", b"\r\n" + up(), 200, b"up\n"),
    refused("a line too long", line(f"GET /{'a' * (9 << 10)} HTTP/1.1"), 414, b"target_too_long"),
]

FIELDS = [
    *[refused(f"{what} before the colon", up(f"Content-Length{byte}: 40"))
      for what, byte in (("a space", " "), ("a tab", "\t"), ("a NUL", "\0"), ("a byte beyond ASCII", "\xa0"))],
    refused("a space in a name", up("X A: b")),
    refused("a bracket in a name", up("X(A): b")),
    refused("no colon", up("X-None")),
    refused("no name", up(": b")),
    refused("a line folded by a space", up("X-Fold: a\r\n b")),
    refused("a line folded by a tab", up("X-Fold: a\r\n\tb")),
    refused("a line folded to nothing", up("X-Fold: a\r\n ")),
    refused("a folded line before all", request("GET /up HTTP/1.1", " X: b", HOST, host=None)),
    refused("a bare LF", up("X-Bare: a\nX-B: c")),
    refused("bare LFs alone", up().replace(b"\r\n", b"\n")),
    refused("a bare CR", up("X-Bare: a\rX-B: c")),
    refused("two CRs", up("X-Bare: a\r")),
    *[refused(f"{what} in a value", up(f"X-Value: a{byte}b"))
      for what, byte in (("a NUL", "\0"), ("a bell", "\x07"), ("an escape", "\x1b"), ("a delete", "\x7f"))],
    Case("bytes beyond ASCII in a value", up("X-Value: \xfc\xff"), 200, b"up\n"),
    Case("nothing in a value", up("X-Value:", "X-Other:b", "X-Third: \t "), 200, b"up\n"),
    refused("no host", request("GET /up HTTP/1.1", host=None)),
    refused("two hosts", up("Host: other.example")),
    refused("the same host twice", up(HOST)),
    *[refused(f"a host like {text!r}", request("GET /up HTTP/1.1", f"Host: {text}", host=None))
      for text in ("", "a b", "a/b", "a@b", "a:b", "a,b", "[::1", "[x]", "a:123456")],
    *[Case(f"a host like {text!r}", request("GET /up HTTP/1.1", f"Host: {text}", host=None), 200, b"up\n")
      for text in ("a", "A.example:81", "[::1]:80", "127.0.0.1")],
    refused("two keys", up(bearer(KEY), bearer("x"))),
    refused("two origins", up("Origin: http://localhost", "Origin: https://evil.example")),
    *[refused(f"the length {text!r}", order(f"Content-Length: {text}"), says=LENGTH)
      for text in ("+5", "-5", "0x5", "5 5", "5, 5", "5;", "", "5.0", "\u00b2", "9" * 23)],
    refused("two lengths", order("Content-Length: 5", "Content-Length: 6"), says=LENGTH),
    refused("the same length twice", order(*["Content-Length: 5"] * 2), says=LENGTH),
    refused("two lengths of a GET", up("Content-Length: 0", "Content-Length: 5", body=b"hello"), says=LENGTH),
    Case("a length with zeros before it", up("Content-Length: 0003", body=b"abc"), 200, b"up\n", ends=True),
    *[refused(f"the coding {text!r}", order(f"Transfer-Encoding: {text}", body=LAST_CHUNK), 411, LONG)
      for text in ("chunked", "Chunked", "xchunked", "identity", "gzip, chunked", "chunked, chunked")],
    refused("a length and a coding", order("Content-Length: 5", "Transfer-Encoding: chunked", body=LAST_CHUNK), 411, LONG),
    refused("a coding of a GET", up("Transfer-Encoding: chunked", body=LAST_CHUNK), 411, LONG),
    refused("no length", order(body=b""), 411, LONG),
    refused("a body too large", order("Content-Length: 262145", body=b""), 413, LARGE),
    refused("a body far too large", order("Content-Length: 999999999999", body=b""), 413, LARGE),
    refused("a body too large that was sent", post("/orders", bytes(262_145)), 413, LARGE),
    refused("a header too large", up(f"X: {'a' * (17 << 10)}"), 431, b"head_too_large"),
    refused("a header without an end", up()[:-2] + b"X: " + b"a" * (20 << 10), 431, b"head_too_large"),
    refused("many headers", up(*["X: b"] * 100), 431, b"head_too_large"),
    refused("thousands of headers", up(*["X: b"] * 3000), 431, b"head_too_large"),
    Case("99 headers and a host", up(*["X: b"] * 99), 200, b"up\n"),
    refused("a body too large, not sent yet", order("Expect: 100-continue", "Content-Length: 262145", body=b""), 413, LARGE),
    Case("another expectation", order("Expect: tea", "Content-Length: 5", body=b""), 417, ends=True),
    Case("an upgrade to TLS", up("Connection: Upgrade", "Upgrade: TLS/1.0"), 200, b"up\n"),
    Case("an upgrade to HTTP/2", up("Connection: Upgrade, HTTP2-Settings", "Upgrade: h2c", "HTTP2-Settings: AAMAAABk"),
         200, b"up\n"),
    Case("a key in lower case", get("/users/u/entitlements", f"Authorization: bearer {KEY}"), 200),
    Case("a key in capitals", get("/users/u/entitlements", f"AUTHORIZATION: BEARER {KEY}"), 200),
    Case("a wrong key", get("/users/u/entitlements", bearer(KEY[:-1] + "x")), 401, b"unauthorized"),
    Case("close in a list", up("Connection: x, Close ,y"), 200, b"up\n", ends=True, headers=(("Connection", "close"),)),
    Case("close in a second line", up("Connection: x", "Connection: close"), 200, b"up\n", ends=True),
    Case("a close that is another's name", up("Connection: closed"), 200, b"up\n"),
    Case("HTTP/1.0", request("GET /up HTTP/1.0", host=None), 200, b"up\n", ends=True),
    Case("HTTP/1.0, kept", request("GET /up HTTP/1.0", "Connection: Keep-Alive"), 200, b"up\n",
         headers=(("Connection", "keep-alive"),)),
    Case("a preflight", request("OPTIONS /transactions/apple HTTP/1.1", "Origin: http://localhost"), 204,
         headers=(("Content-Length", None),)),
]

UPGRADES = [
    Case("a WebSocket", follow(*WEBSOCKET, WEBSOCKET_KEY), 101,
         headers=(("Sec-WebSocket-Accept", "s3pPLMBiTxaQ9kYGzzhZRbK+xOo="), ("Content-Length", None))),
    Case("a WebSocket of version 8", follow(*WEBSOCKET[:2], WEBSOCKET_KEY, "Sec-WebSocket-Version: 8"), 426,
         ends=True, headers=(("Sec-WebSocket-Version", "13"),)),
    Case("a WebSocket without a version", follow(*WEBSOCKET[:2], WEBSOCKET_KEY), 426, ends=True),
    Case("a WebSocket without a key", follow(*WEBSOCKET), 400, ends=True),
    Case("a WebSocket with a short key", follow(*WEBSOCKET, "Sec-WebSocket-Key: dGhl"), 400, ends=True),
    Case("a WebSocket with two keys", follow(*WEBSOCKET, WEBSOCKET_KEY, WEBSOCKET_KEY), 400, ends=True),
    Case("a WebSocket of another site", follow(*WEBSOCKET, WEBSOCKET_KEY, "Origin: https://evil.example"), 403, ends=True),
    Case("a WebSocket with a forged name", get("/streams?name=x", *WEBSOCKET, WEBSOCKET_KEY), 403, ends=True),
    Case("a WebSocket where none is", up(*WEBSOCKET, WEBSOCKET_KEY), 404, b"no_websocket", ends=True),
]


@pytest.fixture(params=["plain", "TLS"])
def connect(request, paycast):
    """A way to a server; the parser behind both is the same one, what leads to it is not."""
    wires = []

    def connect():
        is_plain = request.param == "plain"
        server = paycast if is_plain else request.getfixturevalue("encrypted")
        wires.append(Wire(server.port, context=None if is_plain else UNVERIFIED))
        return wires[-1]

    yield connect
    for wire in wires:
        wire.close()


@pytest.mark.parametrize("case", LINES + FIELDS + UPGRADES, ids=lambda case: case.name)
def test_has_its_answer_at_once(connect, case):
    wire = connect()
    answer = wire.send(case.sent).answer(seconds=AT_ONCE)
    assert answer.status == case.status and case.says in answer.body
    check_form(answer)
    for name, value in case.headers:
        assert answer.header(name) == value
    if case.ends:
        assert answer.header("Connection") == "close" and wire.ends()
    elif case.status != 101:
        assert wire.send(up()).answer().body == b"up\n"


def check_form(answer):
    """It is ours: no page in HTML, and an error that programs can read."""
    assert b"<html" not in answer.body.lower()
    if answer.status >= 400:
        assert answer.header("Content-Type") == "application/json"
        assert re.match(rb'\{"error":"[a-z_0-9]+","message":"', answer.body)


DATED = {
    200: up(), 201: post("/orders", ORDER, bearer(KEY)), 202: post("/broadcasts", BROADCAST, bearer(KEY)),
    204: request("OPTIONS /transactions/apple HTTP/1.1"), 304: get("/0.txt", "If-None-Match: *"), 400: up(": b"),
    401: get("/users/u/entitlements"), 404: get("/missing"), 405: request("POST /up HTTP/1.1", "Content-Length: 0"),
    411: request("POST /orders HTTP/1.1"), 413: request("POST /orders HTTP/1.1", "Content-Length: 262145"),
}


@pytest.mark.parametrize("status", DATED)
def test_every_answer_is_dated(connect, status):
    answer = connect().send(DATED[status]).answer()
    assert answer.status == status
    date = answer.header("Date")
    assert re.fullmatch(r"\w{3}, \d\d \w{3} \d{4} \d\d:\d\d:\d\d GMT", date)
    assert abs((datetime.now(timezone.utc) - parsedate_to_datetime(date)).total_seconds()) < 5


def test_events_are_dated(connect):
    assert b"\r\nDate: " in connect().send(follow()).read(b"\r\n\r\n")


def test_bytes_may_come_one_at_a_time(connect):
    wire = connect()
    for byte in post("/orders", ORDER, bearer(KEY)):
        wire.send(bytes([byte]))
    assert wire.answer().status == 201


def test_a_flaw_is_told_before_the_head_is_whole(connect):
    assert connect().send(b"GET /up HTTP/1.1\nHost").answer(seconds=AT_ONCE).status == 400


def test_continue_is_said_at_once(connect):
    wire = connect().send(order(bearer(KEY), "Expect: 100-Continue", f"Content-Length: {len(ORDER)}", body=b""))
    assert wire.read(b"\r\n\r\n", seconds=AT_ONCE) == b"HTTP/1.1 100 Continue\r\n\r\n"
    assert wire.send(ORDER).answer().status == 201


def test_nothing_is_to_be_continued_when_the_body_is_there(connect):
    answer = connect().send(post("/orders", ORDER, bearer(KEY), "Expect: 100-continue")).answer()
    assert answer.status == 201


MIXED = [get("/0.txt"), post("/orders", ORDER, bearer(KEY)), request("HEAD /1.txt HTTP/1.1"),
         post("/webhooks/apple", b"{}"), get("/missing"), get("/2.txt", "Content-Length: 0"),
         post("/broadcasts", b"[]", bearer(KEY))]
STATUSES = [200, 201, 200, 400, 404, 200, 400]


def test_requests_in_a_row_are_answered_in_order(connect, files):
    wire = connect().send(b"".join(MIXED) * 5 + get("/3.txt", "Connection: close"))
    answers = [wire.answer("HEAD" if sent.startswith(b"HEAD") else "GET") for sent in MIXED * 5]
    assert [answer.status for answer in answers] == STATUSES * 5
    assert answers[0].body == (files / "0.txt").read_bytes() and answers[5].body == (files / "2.txt").read_bytes()
    assert wire.answer().body == (files / "3.txt").read_bytes() and wire.ends()


def test_a_store_keeps_its_connection(connect):
    wire = connect()
    for _ in range(20):
        answer = wire.send(post("/webhooks/apple", b"junk")).answer()
        assert (answer.status, answer.header("Connection")) == (400, "keep-alive")


UNREAD = {
    "a large body": post("/orders", bytes(2 << 20)),
    "a flaw": up("X : b") + bytes(2 << 20),
    "a close": post("/webhooks/apple", b"{}", "Connection: close") + bytes(2 << 20),
}


@pytest.mark.parametrize("sent", UNREAD.values(), ids=UNREAD)
def test_an_answer_outlives_what_nobody_reads(connect, sent):
    """Who sends on is not cut off before he has read why (RFC 9112 §9.6)."""
    wire = connect()
    try:
        wire.send(sent)
    except OSError:
        pass
    assert wire.answer(seconds=3).header("Connection") == "close"


@dataclass
class Part:
    asked: str
    status: int
    first: int = 0
    end: int = 1000


PARTS = [
    Part("bytes=0-1", 206, 0, 2), Part("bytes=10-", 206, 10), Part("bytes=-3", 206, 997), Part("bytes=0-99999", 206),
    Part("bytes=1000-", 416), Part("bytes=0-1,5-6", 200), Part("lines=0-1", 200), Part("bytes=5-4", 200),
]


@pytest.mark.parametrize("part", PARTS, ids=lambda part: part.asked)
def test_parts_of_a_file(connect, files, part):
    text = bytes(range(250)) * 4
    (files / "parts.bin").write_bytes(text)
    answer = connect().send(get("/parts.bin", f"Range: {part.asked}")).answer()
    assert answer.status == part.status
    if part.status == 206:
        assert answer.header("Content-Range") == f"bytes {part.first}-{part.end - 1}/1000"
    if part.status != 416:
        assert answer.body == text[part.first : part.end]


# Frames


def frame(opcode, payload, mask=b"\0\0\0\0", flags=0x80):
    assert len(payload) < 126
    return bytes([flags | opcode, (0x80 if mask else 0) | len(payload)]) + (mask or b"") + payload


@dataclass
class Frame:
    name: str
    sent: bytes
    # What the server's close says; None when it is a pong that comes.
    code: int | None = 1002


FRAMES = [
    Frame("a ping", frame(9, b"hello"), None),
    Frame("no mask", frame(1, b"x", mask=None)),
    Frame("a ping without a mask", frame(9, b"", mask=None)),
    Frame("a reserved bit", frame(1, b"x", flags=0xC0)),
    Frame("a kind that is none", frame(3, b"x")),
    Frame("a ping in parts", frame(9, b"x", flags=0)),
    Frame("a part of nothing", frame(0, b"x")),
]


@pytest.mark.parametrize("together", [True, False], ids=["with the head", "after the answer"])
@pytest.mark.parametrize("case", FRAMES, ids=lambda case: case.name)
def test_frames(connect, case, together):
    wire, head = connect(), get(page("frames"), *WEBSOCKET, WEBSOCKET_KEY)
    wire.send(head + case.sent if together else head)
    assert wire.answer(seconds=AT_ONCE).status == 101
    if not together:
        wire.send(case.sent)
    if case.code is None:
        assert wire.read(b"hello", seconds=AT_ONCE) == b"\x8a\x05hello"
    else:
        assert wire.all(AT_ONCE) == b"\x88\x02" + case.code.to_bytes(2) and wire.has_ended


def test_what_follows_on_a_page_is_no_request(connect):
    """Neither where events are sent nor where frames are."""
    events = connect().send(follow() + get("/attackers.txt"))
    assert b"attacker" not in events.all(0.3) and b" 200 OK" in events.buffer and not events.has_ended
    frames = connect().send(follow(*WEBSOCKET, WEBSOCKET_KEY) + get("/attackers.txt"))
    assert b"attacker" not in frames.all(0.3) and frames.has_ended


# HTTP/2

HIDDEN = "HTTP/1.1\r\nhost: localhost\r\n\r\nGET /attackers.txt"
HEADS = {
    "a line in the path": http2(f"/up {HIDDEN}"),
    "a space in the path": http2("/up /attackers.txt"),
    "no slash": http2("up"),
    "no path": http2(""),
    "an absolute target": http2("http://localhost/attackers.txt"),
    "a line in the method": http2("/up", method=f"GET /up {HIDDEN}"),
    "a space in the method": http2("/up", method="GET /attackers.txt"),
    "a tunnel": http2("/up", method="CONNECT"),
    "a line in the host": http2("/up", authority=f"localhost\r\n\r\nGET /attackers.txt {HIDDEN}"),
    "a space in the host": http2("/up", authority="local host"),
    "another host": http2("/up", ("host", "other.example")),
    "a CR in a value": http2("/up", ("x-value", "a\rb")),
    "a line in a value": http2("/up", ("x-value", f"a\r\n\r\nGET /attackers.txt {HIDDEN}")),
    "a NUL in a value": http2("/up", ("x-value", "a\0b")),
    "a capital in a name": http2("/up", ("X-Name", "b")),
    "a colon in a name": http2("/up", ("x-name: b\r\ny", "b")),
    "a space in a name": http2("/up", ("content-length ", "5")),
    "no name": http2("/up", ("", "b")),
    "pieces": http2("/up", ("transfer-encoding", "chunked")),
    "a connection of its own": http2("/up", ("connection", "close")),
    "an upgrade": http2(page("a"), ("upgrade", "websocket"), ("connection", "upgrade")),
    "a length of what is not sent": http2("/up", ("content-length", "5")),
    "two lengths": http2("/up", ("content-length", "0"), ("content-length", "5")),
    "two keys": http2("/up", ("authorization", f"Bearer {KEY}"), ("authorization", "Bearer x")),
    "a path twice": [*http2("/up"), (":path", "/attackers.txt")],
    "a pseudo-header at the end": [*http2("/up")[:-1], ("x-name", "b"), (":path", "/up")],
}


@pytest.mark.parametrize("name", HEADS)
def test_http2_is_as_strict(encrypted, name):
    """A stream is reset, or its request refused; the others know nothing of it."""
    with Streams(encrypted.port) as streams:
        status, body = streams.answer(HEADS[name])
        assert status in (None, "400") and b"attacker" not in body
        assert streams.is_over or streams.answer(http2("/up")) == ("200", b"up\n")
