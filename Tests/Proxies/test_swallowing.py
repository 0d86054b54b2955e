"""No header may change what another one means, whatever its name: each stands before each that decides something."""

from collections.abc import Callable
from dataclasses import dataclass

import pytest

from names import NAMES, PREFIXES
from servers import KEY, page
from streams import Streams
from streams import request as http2
from wire import Answer, ask_all, bearer, get, request

WEBSOCKET = ("Connection: Upgrade", "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==", "Sec-WebSocket-Version: 13")
STREAM = page("a")
ORDER = b'{"user":"u","product":"p"}'
HIDDEN = get("/attackers.txt", "Connection: close")


@dataclass
class Case:
    name: str
    # Of the header that is to be swallowed.
    request: Callable[[str], bytes]
    status: int
    why: str = ""
    # Names that would change the request themselves.
    except_names: tuple = ()

    def right(self, answer):
        return isinstance(answer, Answer) and answer.status == self.status and b"attacker" not in answer.body


CASES = [
    Case("Host", lambda name: request("GET /up HTTP/1.1", f"{name}: b", "Host: localhost", host=None), 200),
    Case("Authorization", lambda name: get("/users/u/entitlements", f"{name}: b", bearer(KEY)), 200, "a valid key"),
    Case("Origin", lambda name: get(STREAM, f"{name}: b", "Origin: https://evil.example"), 403, "another site's page"),
    Case("X-Forwarded-For", lambda name: get("/metrics", f"{name}: b", "X-Forwarded-For: 203.0.113.7"), 401,
         "a proxy's client is not this machine"),
    Case("Content-Length", lambda name: request("POST /orders HTTP/1.1", bearer(KEY), f"{name}: b",
         f"Content-Length: {len(ORDER)}", body=ORDER), 201, "a body is read by its length"),
    Case("Transfer-Encoding", lambda name: request("POST /broadcasts HTTP/1.1", bearer(KEY), f"{name}: b",
         "Transfer-Encoding: chunked", body=b"2\r\n{}\r\n0\r\n\r\n"), 411, "no body in pieces is taken"),
    Case("Transfer-Encoding after a length", lambda name: request("POST /orders HTTP/1.1", bearer(KEY),
         f"Content-Length: {len(ORDER)}", f"{name}: b", "Transfer-Encoding: chunked", body=ORDER), 411),
    Case("Upgrade", lambda name: get(STREAM, *WEBSOCKET, f"{name}: b", "Upgrade: websocket"), 101,
         except_names=("sec-websocket-key",)),
    Case("nothing", lambda name: get("/up", f"{name}: b"), 200, "the last header needs no other to end it"),
]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_the_next_header_keeps_its_meaning(paycast, case):
    names = [name for name in NAMES if name.lower() not in case.except_names]
    answers = ask_all(paycast.port, [case.request(name) for name in names])
    wrong = [f"{name}: {answer}" for name, answer in zip(names, answers) if not case.right(answer)]
    assert not wrong, f"{len(wrong)} of {len(names)}, {case.why or case.status}; {wrong[:5]}"


def test_a_body_of_a_get_is_no_request(paycast):
    """Each answer is that of a request, never that of a body; then the next request or the end."""
    size = f"Content-Length: {len(HIDDEN)}"
    requests = [get("/up", f"{name}: b", size, body=HIDDEN) + get("/0.txt", "Connection: close") for name in NAMES]
    answers = ask_all(paycast.port, requests, whole=True)
    expected = [(200, b"up\n"), (200, (paycast.public / "0.txt").read_bytes())]
    wrong = [f"{name}: {heard}" for name, heard in zip(NAMES, answers) if not is_prefix(heard, expected)]
    assert not wrong, f"{len(wrong)} of {len(NAMES)}; {wrong[:5]}"


def is_prefix(heard, expected):
    received = [(answer.status, answer.body) for answer in heard] if isinstance(heard, list) else []
    return 0 < len(received) and received == expected[: len(received)]


FIELDS = {"200": ("authorization", f"Bearer {KEY}"), "401": ("x-last", "b")}


@pytest.mark.parametrize("status", FIELDS)
def test_over_http2(encrypted, status):
    """Its fields go through the same parser, behind another one."""
    with Streams(encrypted.port) as streams:
        heads = [http2("/users/u/entitlements", (name, "b"), FIELDS[status]) for name in PREFIXES]
        answers = [streams.answer(head) for head in heads]
    wrong = [f"{name}: {answer}" for name, answer in zip(PREFIXES, answers) if answer[0] != status]
    assert not wrong, f"{len(wrong)} of {len(PREFIXES)}; {wrong[:5]}"
