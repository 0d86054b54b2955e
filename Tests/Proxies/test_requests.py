"""What a connection carries: bodies, requests in a row, parts of files, and what nobody reads."""

from dataclasses import dataclass

import pytest

from heads import ORDER, follow, order, up
from servers import KEY
from wire import AT_ONCE, WEBSOCKET, WEBSOCKET_KEY, bearer, get, post, request


def test_bytes_may_come_one_at_a_time(connect):
    wire = connect()
    for byte in post("/orders", ORDER, bearer(KEY)):
        wire.send(bytes([byte]))
    assert wire.answer().status == 201


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


def test_requests_in_a_row_are_answered_in_order(connect, last_words, files):
    wire = connect().send(b"".join(MIXED) * 5 + get("/3.txt", "Connection: close"))
    answers = [wire.answer("HEAD" if sent.startswith(b"HEAD") else "GET") for sent in MIXED * 5]
    assert [answer.status for answer in answers] == STATUSES * 5
    assert answers[0].body == (files / "0.txt").read_bytes() and answers[5].body == (files / "2.txt").read_bytes()
    assert wire.answer().body == (files / "3.txt").read_bytes() and last_words(wire) == b""


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
    """A client that goes on sending is not cut off before it has read why (RFC 9112 §9.6)."""
    wire = connect()
    try:
        wire.send(sent)
    except OSError:
        pass
    assert wire.answer(seconds=AT_ONCE).header("Connection") == "close"


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


def test_what_follows_on_a_page_is_no_request(connect, last_words):
    """Neither where events are sent nor where frames are."""
    events = connect().send(follow() + get("/attackers.txt"))
    begun = events.read(b"\n\n")
    assert b" 200 OK" in begun and b"attacker" not in begun + events.all(0.3) and not events.has_ended
    frames = connect().send(follow(*WEBSOCKET, WEBSOCKET_KEY) + get("/attackers.txt"))
    said = last_words(frames)
    assert b" 101 " in said and b"attacker" not in said
