"""The rules of HTTP and WebSockets for servers, checked by other people's programs."""

import asyncio
import json
import time
from email.utils import parsedate_to_datetime

import pytest
from websockets.frames import Frame, Opcode

# 1 MB, no part of which is like another.
FILE = b"".join(number.to_bytes(4, "big") for number in range(250_000))
EXPECT = ["--header", "Expect: 100-continue"]


@pytest.fixture
def file(http):
    (http.server.public / "file.bin").write_bytes(FILE)
    return "/file.bin"


@pytest.fixture
def socket_paths(http1):
    """Where WebSockets are opened."""
    source = http1.server.stream("ana")["websocket"]
    return [source[source.index("/streams") :], "/cable"]


ANSWERS = [
    (200, "/up"),
    (200, "/"),
    (200, "/paycast.js"),
    (200, "/paycast-native.js"),
    (204, "/transactions/apple", "--request", "OPTIONS"),
    (400, "/webhooks/apple", "--data", "{}"),
    (401, "/users/ana/stream"),
    (403, "/streams?name=forged"),
    (404, "/nowhere"),
    (405, "/broadcasts", "--request", "PUT"),
]


@pytest.mark.parametrize("expected", ANSWERS, ids=lambda expected: f"{expected[0]} {expected[1]}")
def test_an_answer_has_its_date(http, expected):
    status, *question = expected
    assert dated(lambda: http.ask(*question)).status == status


def test_what_is_no_request_is_answered_with_a_date(http1):
    assert dated(lambda: http1.ask("/up", "--header", "No token: 1")).status == 400


def test_an_event_stream_has_its_date(http):
    source = http.server.stream("ana")["sse"]
    dated(lambda: http.begin(source[source.index("/streams") :]))


def dated(ask):
    """The answer, whose date is from between the question and its arrival: the server makes a new date once a second."""
    before = time.time()
    answer = ask()
    assert before - 5 < parsedate_to_datetime(answer.headers["Date"]).timestamp() < time.time() + 2
    return answer


def test_an_answer_without_content_tells_no_length(http):
    answer = http.ask("/transactions/apple", "--request", "OPTIONS")
    assert (answer.status, answer.body) == (204, b"")
    assert "Content-Length" not in answer.headers


def test_the_scheme_of_a_key_has_no_case(http):
    answer = http.ask("/users/ana/stream", "--header", f"Authorization: bearer {http.server.key}")
    assert answer.status == 200


@pytest.mark.parametrize("header, connects", [("Connection: foo", "10"), ("Connection: foo, close", "11")])
def test_close_is_read_in_a_list(http1, header, connects):
    """curl says of each of two requests how many connections it opened."""
    count = ["--output", "/dev/null", "--write-out", "%{num_connects}"]
    output = http1.curl("/up", *count, "--header", header, http1.server.url + "/up", "--output", "/dev/null")
    assert output.decode() == connects


def broadcast(size):
    html = f'<turbo-stream action="update" target="fence"><template>{"x" * size}</template></turbo-stream>'
    return json.dumps({"user": "ana", "html": html, "transient": True})


def test_nobody_waits_to_send_a_body(http1):
    """curl would wait longer for 100 than for the whole answer."""
    patience = ["--expect100-timeout", "50", "--max-time", "40"]
    answer = http1.ask("/broadcasts", *EXPECT, *patience, *http1.key, "--data", broadcast(100_000))
    assert answer.status == 202
    assert answer.interim == [100]


def test_a_body_that_is_too_long_is_not_sent(http1, tmp_path):
    body = tmp_path / "body"
    body.write_text(broadcast(1_000_000))
    told = ["--output", "/dev/null", "--write-out", "%{http_code} %{size_upload}"]
    output = http1.curl("/broadcasts", *EXPECT, *http1.key, "--data", f"@{body}", *told)
    assert output == b"413 0"


def test_another_version_of_websockets_is_told_ours(http1, socket_paths):
    upgrade = {
        "Connection": "Upgrade",
        "Upgrade": "websocket",
        "Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZQ==",
        "Sec-WebSocket-Version": "8",
    }
    headers = [part for name, value in upgrade.items() for part in ("--header", f"{name}: {value}")]
    for path in socket_paths:
        answer = http1.ask(path, *headers)
        assert (answer.status, answer.headers["Sec-WebSocket-Version"]) == (426, "13")


def test_a_frame_without_a_mask_ends_the_connection(http1, socket_paths):
    for path in socket_paths:
        assert asyncio.run(close_code(http1, path)) == 1002


async def close_code(door, path):
    async with door.connect(path) as socket:
        socket.transport.write(Frame(Opcode.TEXT, b"{}").serialize(mask=False))
        await asyncio.wait_for(socket.wait_closed(), 60)
        return socket.close_code


def test_a_part_of_a_file(http, file):
    for part, expected, content_range in [
        ("0-9", FILE[:10], "bytes 0-9/1000000"),
        ("999990-", FILE[-10:], "bytes 999990-999999/1000000"),
        ("-5", FILE[-5:], "bytes 999995-999999/1000000"),
    ]:
        answer = http.ask(file, "--range", part)
        assert (answer.status, answer.body) == (206, expected)
        assert answer.headers["Content-Range"] == content_range
        assert answer.headers["Content-Length"] == str(len(expected))


def test_a_part_that_a_file_does_not_have(http, file):
    answer = http.ask(file, "--range", "1000000-")
    assert answer.status == 416
    assert answer.headers["Content-Range"] == "bytes */1000000"


def test_a_download_goes_on_where_it_broke_off(http, file, tmp_path):
    copy = tmp_path / "copy"
    copy.write_bytes(FILE[:700_000])
    told = http.curl(file, "--continue-at", "-", "--output", copy, "--write-out", "%{http_code} %{size_download}")
    assert told == b"206 300000"
    assert copy.read_bytes() == FILE


def test_a_file_arrives_whole(http, file):
    answer = http.ask(file)
    assert answer.status == 200
    assert answer.body == FILE


def test_the_head_of_a_file(http, file):
    answer = http.ask(file, "--head")
    assert (answer.status, answer.body) == (200, b"")
    assert answer.headers["Content-Length"] == str(len(FILE))
    assert answer.headers["Accept-Ranges"] == "bytes"
