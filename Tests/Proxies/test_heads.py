"""Every head has its answer, at once, over plain connections and over TLS."""

import re
from datetime import datetime, timedelta, timezone
from email.utils import parsedate_to_datetime

import pytest

from heads import FIELDS, LINES, ORDER, UPGRADES, follow, up
from servers import KEY
from wire import AT_ONCE, bearer, get, post, request

BROADCAST = b'{"user":"u","html":"<turbo-stream action=\\"remove\\" target=\\"t\\"></turbo-stream>","transient":true}'


@pytest.mark.parametrize("case", LINES + FIELDS + UPGRADES, ids=lambda case: case.name)
def test_has_its_answer_at_once(connect, last_words, case):
    wire = connect()
    answer = wire.send(case.sent).answer(seconds=AT_ONCE)
    assert answer.status == case.status and case.says in answer.body
    check_form(answer)
    for name, value in case.headers:
        assert answer.header(name) == value
    if case.ends:
        assert answer.header("Connection") == "close" and last_words(wire) == b""
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
    asked = datetime.now(timezone.utc)
    answer = connect().send(DATED[status]).answer()
    assert answer.status == status
    date = answer.header("Date")
    assert re.fullmatch(r"\w{3}, \d\d \w{3} \d{4} \d\d:\d\d:\d\d GMT", date)
    # The server makes a new date once a second.
    earliest, latest = asked - timedelta(seconds=5), datetime.now(timezone.utc) + timedelta(seconds=2)
    assert earliest < parsedate_to_datetime(date) < latest


def test_events_are_dated(connect):
    assert b"\r\nDate: " in connect().send(follow()).read(b"\r\n\r\n")


def test_a_flaw_is_told_before_the_head_is_whole(connect):
    assert connect().send(b"GET /up HTTP/1.1\nHost").answer(seconds=AT_ONCE).status == 400
