"""Every route answers flawed, too large and forbidden requests as documented."""

import http.client
import json
import socket

import pytest

import document
from answers import Answers
from servers import Answer, API_KEY, KEYS, Paycast

DOCUMENT = document.load()
OPERATIONS = [(path, method) for path, method, _ in document.operations(DOCUMENT)]
# Before a head is understood, there is no method.
UNREAD = [(path, method) for path, method in OPERATIONS if method != "head"]
POSTS = [(path, method) for path, method in OPERATIONS if method == "post"]
# Each with a user, an order and a file in its place.
VALUES = {"user": "42", "token": "5f0c7d7a-6c58-4d0e-9a3a-2f1f9b7f5b11", "path": "hello.txt"}


def address(path):
    for name, value in VALUES.items():
        path = path.replace("{%s}" % name, value)
    return path


def operation(case):
    return DOCUMENT["paths"][case[0]][case[1]]


def named(case):
    return f"{case[1]} {case[0]}"


def of(cases):
    return pytest.mark.parametrize("case", cases, ids=named)


def raw(server, lines):
    """The answer to a request that no client library would send."""
    with socket.create_connection(("127.0.0.1", server.port), timeout=20) as connection:
        body = "{}" if "Content-Length: 2" in lines else ""
        connection.sendall(("\r\n".join(lines) + "\r\n\r\n" + body).encode())
        response = http.client.HTTPResponse(connection, method=lines[0].split()[0])
        response.begin()
        return Answer(response)


def ask(server, case, *headers, host="127.0.0.1", target=None):
    path, method = case
    length = (
        ()
        if method != "post" or any(line.startswith(("Content-Length", "Transfer")) for line in headers)
        else ("Content-Length: 2",)
    )
    lines = [
        f"{method.upper()} {target or address(path)} HTTP/1.1",
        f"Host: {host}",
        "Connection: close",
        f"Authorization: Bearer {API_KEY}",
    ]
    return raw(server, [*lines, *length, *headers])


def is_documented(case, answer, status, code, written, example=None):
    """`example`: the name of the document's example of this answer."""
    path, method = case
    Answers(DOCUMENT).check(path, method, answer)
    assert answer.status == status, answer
    if method == "head":
        return
    assert answer.json["error"] == code
    if example is not None:
        _, known = document.answered(written, written["paths"][path][method])[document.ANY_ROUTE + example]
        if written.is_to_be_written:
            known["value"] = answer.json
        assert known["value"] == answer.json


def right(case):
    """The role that the document names for an API key; None where no key is taken."""
    roles = [scheme["apiKey"] for scheme in operation(case)["security"] if "apiKey" in scheme]
    assert all(len(each) == 1 for each in roles)
    return roles[0][0] if roles else None


API = [case for case in OPERATIONS if right(case) and {} not in operation(case)["security"]]
RIGHTS = ("publish", "orders", "read", "personal", "act", "erase", "operate")


@pytest.fixture(scope="module")
def divided(tmp_path_factory):
    """A server with a key for each right, and one for all others than this one."""
    keys = [f"{name}:{name}:key-of-{name}-0123456789" for name in RIGHTS]
    keys += [f"no-{name}:{'+'.join(each for each in RIGHTS if each != name)}:key-without-{name}-01" for name in RIGHTS]
    settings = {"PAYCAST_KEYS": ",".join(keys), "PAYCAST_STREAM_KEYS": KEYS["PAYCAST_STREAM_KEYS"]}
    server = Paycast(tmp_path_factory.mktemp("divided"), settings)
    yield server
    assert server.stop(), server.log.read_text()


@of([case for case in OPERATIONS if right(case) and case[0] not in ("/ready", "/metrics", "/feed")])
def test_a_key_needs_the_right_of_the_route(case, divided):
    body = json.dumps(BODIES.get(case[0], {})).encode() if case[1] == "post" else None
    answer = divided.ask(case[1].upper(), address(case[0]), body, key=f"key-without-{right(case)}-01")
    Answers(DOCUMENT).check(*case, answer)
    assert answer.status == 403 and answer.json["error"] == "missing_right"
    assert f"the right {right(case)}:" in answer.json["message"]
    answer = divided.ask(case[1].upper(), address(case[0]), body, key=f"key-of-{right(case)}-0123456789")
    assert answer.json.get("error") not in ("missing_right", "unauthorized"), answer


def test_the_feed_needs_a_right(divided):
    assert divided.ask("GET", "/feed", key="key-without-operate-01").json["error"] == "missing_right"


def test_bodies_need_another_right(divided):
    path = "/users/42/events?bodies=true"
    answer = divided.ask("GET", path, key="key-of-read-0123456789")
    assert (answer.status, answer.json["error"]) == (403, "missing_right") and "personal" in answer.json["message"]
    assert divided.ask("GET", path, key="key-without-act-01").status == 200


@of(API)
def test_a_key_is_needed(case, production, written):
    for key in (None, "", "another-key-of-somebody", API_KEY + "x"):
        body = b"{}" if case[1] == "post" else None
        answer = production.ask(case[1].upper(), address(case[0]), body, key=key)
        is_documented(case, answer, 401, "unauthorized", written, "no_key")


@of([("/webhooks/google", "post"), ("/webhooks/revenuecat", "post")])
def test_a_stores_credentials_are_needed(case, development, written):
    for key in (None, "", API_KEY):
        is_documented(case, development.ask("POST", case[0], b"{}", key=key), 401, "unauthorized", written)


@of([(path, next(iter(item))) for path, item in DOCUMENT["paths"].items() if path != "/{path}"])
def test_other_methods_are_refused(case, production):
    item = DOCUMENT["paths"][case[0]]
    for other in set(document.METHODS) - set(item):
        answer = production.ask(other.upper(), address(case[0]), headers={"Content-Length": "0"})
        assert answer.status == 405 and set(answer.headers["Allow"].lower().split(", ")) == set(item)
        if other != "head":
            assert answer.json["error"] == "method_not_allowed"


@of(OPERATIONS)
def test_a_body_in_chunks_is_refused(case, production, written):
    is_documented(case, ask(production, case, "Transfer-Encoding: chunked"), 411, "length_required", written, "chunked")


@of(POSTS)
def test_a_large_body_is_refused(case, production, written):
    answer = ask(production, case, f"Content-Length: {(256 << 10) + 1}")
    is_documented(case, answer, 413, "body_too_large", written, "large")


@of(POSTS)
def test_an_unknown_expectation_is_refused(case, production, written):
    answer = ask(production, case, "Expect: miracles")
    is_documented(case, answer, 417, "expectation_failed", written, "expectation")


@of(UNREAD)
def test_a_long_target_is_refused(case, production, written):
    answer = ask(production, case, target=address(case[0]) + "?" + "x" * 9000)
    is_documented(case, answer, 414, "target_too_long", written, "long")


@of(UNREAD)
def test_a_large_head_is_refused(case, production, written):
    answer = ask(production, case, *(f"X-{number}: 1" for number in range(101)))
    is_documented(case, answer, 431, "head_too_large", written, "many_headers")


@of(UNREAD)
def test_a_flawed_head_is_refused(case, production, written):
    for line, code in (
        ("Content-Length: two", "invalid_content_length"),
        ("Host: twice", "malformed_request"),
        ("No colon", "malformed_request"),
    ):
        is_documented(case, ask(production, case, line), 400, code, written)


WEBSOCKET = ("Upgrade: websocket", "Connection: Upgrade", "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==")


@of([case for case in OPERATIONS if case[1] == "get" and case[0] not in ("/streams", "/cable")])
def test_no_websocket_is_opened_elsewhere(case, production, written):
    answer = ask(production, case, *WEBSOCKET, "Sec-WebSocket-Version: 13")
    example = "websocket" if "$ref" in operation(case)["responses"]["404"] else None
    is_documented(case, answer, 404, "no_websocket", written, example)


@of([("/streams", "get"), ("/cable", "get")])
def test_other_websockets_are_refused(case, production, written):
    answer = ask(production, case, *WEBSOCKET, "Sec-WebSocket-Version: 8")
    is_documented(case, answer, 426, "websocket_version", written, "version_8")
    answer = ask(
        production,
        case,
        "Upgrade: websocket",
        "Connection: Upgrade",
        "Sec-WebSocket-Version: 13",
        "Sec-WebSocket-Key: short",
    )
    is_documented(case, answer, 400, "websocket_key", written)


@of([case for case in OPERATIONS if not case[0].startswith("/webhooks/") and case[0] != "/up"])
def test_a_development_server_is_asked_by_local_names(case, development, written):
    example = "other_host" if "StrangersHost" in str(operation(case)["responses"].get("403")) else None
    is_documented(case, ask(development, case, host="evil.example"), 403, "host_not_allowed", written, example)


@of(POSTS)
def test_a_development_server_is_asked_by_no_strangers_page(case, development, written):
    example = "other_origin" if "StrangersPost" in str(operation(case)["responses"]["403"]) else None
    answer = ask(development, case, "Origin: https://evil.example")
    is_documented(case, answer, 403, "origin_not_allowed", written, example)


@pytest.fixture(scope="module")
def unconfigured(tmp_path_factory):
    """A server with nothing but an API key."""
    server = Paycast(tmp_path_factory.mktemp("unconfigured"), {"PAYCAST_API_KEY": KEYS["PAYCAST_API_KEY"]})
    yield server
    assert server.stop(), server.log.read_text()


# With a body that is fine otherwise.
BODIES = {
    "/transactions/apple": {"signedTransaction": "JWS"},
    "/transactions/google": {"purchaseToken": "token"},
    "/transactions/stripe": {"subscription": "sub_1"},
    "/receipts/apple": {"verifyReceipt": {"status": 0}},
    "/offers/apple": {"product": "p", "offer": "o"},
    "/recoveries": {"provider": "apple"},
}


@of([case for case in OPERATIONS if "not_configured" in document.codes_of(DOCUMENT, operation(case), 503)])
def test_a_missing_setting_is_told(case, unconfigured, written):
    path, method = case
    answer = unconfigured.ask(method.upper(), address(path), BODIES.get(path, {}) if method == "post" else None)
    is_documented(case, answer, 503, "not_configured", written)
