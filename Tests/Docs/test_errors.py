"""Errors.md lists every code that the sources answer, and what a running server answers stands there."""

import http.client
import json
import re
from dataclasses import dataclass

import pytest

import tables
from program import OUTSIDE, ROOT, binary
from server import Server

ERRORS = tables.named(tables.read("Errors.md"), "Code")
CODE = r'"([a-z][a-z0-9_]*)"'
# `.error(404, code: "not_found", …)`, `.unavailable("busy", …)`, `RefusedBody("invalid_token", …)`,
# `BroadcastError("invalid_html", …)`, a purchase that is `.unusable(code: "store_api_needed", …)`.
CALLED = r"(?:\.error|\.unavailable|RefusedBody|BroadcastError|unusable)\("
CALL = re.compile(CALLED + r"\s*(?:\d+,)?\s*(?:code:\s*)?" + CODE + r",\s")
# The codes of an error's cases: what `code` returns, the rows of Apple's statuses, and raw values.
CASES = re.compile(r"var code: String \{.*?\n    \}", re.DOTALL)
ROWS = re.compile(r'\(' + CODE + r', "')
RAW = re.compile(r"enum (?:Malformation|Distrust): String.*?\n    \}", re.DOTALL)
# An answer whose code is no literal: each of these comes from the cases above.
ELSEWHERE = re.compile(
    r"\.error\(\s*\w+,\s*code:\s*([\w.]+),|\.unavailable\(\s*([\w.]+),|\berror\([\w.]+status, code: ([\w.]+),"
)
TAKEN = {"code", "error.code", "flaw.code"}


def sources():
    for path in sorted((ROOT / "Sources").rglob("*.swift")):
        # What the kit answers is for an app's own pages, not over HTTP.
        if not {"Benchmarks", "PaycastKit"} & set(path.parts):
            yield path, path.read_text()


def answered():
    found = {}
    for path, text in sources():
        codes = CALL.findall(text) + ROWS.findall("".join(re.findall(r"-> \(code: String.*?\n    \}", text, re.DOTALL)))
        for block in CASES.findall(text):
            if "Store" not in path.name:
                codes += re.findall(CODE, block)
        for block in RAW.findall(text):
            codes += re.findall(CODE, block)
        found.update({code: path.name for code in codes})
    return found


def test_every_code_of_the_sources_is_listed():
    found = answered()
    assert len(found) > 80
    missing = {code: path for code, path in found.items() if code not in ERRORS}
    assert not missing, "answered, and not in Errors.md"


def test_every_listed_code_is_in_the_sources():
    assert ERRORS.keys() - answered().keys() == set(), "in Errors.md, and answered by nobody"


def test_no_code_is_put_together():
    """The patterns above would miss it."""
    found = set()
    for _, text in sources():
        found |= {name for names in ELSEWHERE.findall(text) for name in names if name.strip("_")}
    assert found == TAKEN


@dataclass(frozen=True)
class Case:
    code: str
    status: int
    request: str
    body: str = None
    headers: tuple = ()
    key: bool = True

    def __str__(self):
        return self.code


BROADCAST = '{"user":"1","action":"update","target":"a","html":"b"}'
ASKED = [
    Case("unauthorized", 401, "GET /feed", key=False),
    Case("not_found", 404, "GET /nowhere"),
    Case("no_websocket", 404, "GET /up", headers=(("Upgrade", "websocket"), ("Connection", "Upgrade"))),
    Case("websocket_version", 426, "GET /streams", headers=(("Upgrade", "websocket"), ("Connection", "Upgrade"))),
    Case("method_not_allowed", 405, "GET /orders"),
    Case("body_too_large", 413, "POST /orders", "x" * 262145),
    Case("expectation_failed", 417, "POST /orders", "{}", (("Expect", "something"),)),
    Case("target_too_long", 414, "GET /" + "x" * 8192),
    Case("head_too_large", 431, "GET /", headers=(("X-Long", "x" * 16384),)),
    Case("forged_stream_name", 403, "GET /streams?name=forged"),
    Case("host_not_allowed", 403, "GET /", headers=(("Host", "pay.example.com"),)),
    Case("origin_not_allowed", 403, "GET /streams?name=a", headers=(("Origin", "https://evil.example"),)),
    Case("invalid_json", 400, "POST /orders", "{"),
    Case("duplicate_member", 400, "POST /orders", '{"user":"1","user":"2","product":"p"}'),
    Case("invalid_user", 400, "POST /orders", '{"user":"","product":"p"}'),
    Case("invalid_product", 400, "POST /orders", '{"user":"1","product":""}'),
    Case("invalid_group", 400, "POST /orders", '{"user":"1","product":"p","group":""}'),
    Case("invalid_provider", 400, "POST /orders", '{"user":"1","product":"p","provider":"x"}'),
    Case("invalid_kind", 400, "POST /orders", '{"user":"1","product":"p","kind":"x"}'),
    Case("invalid_token", 400, "POST /orders", '{"user":"1","product":"p","token":"x"}'),
    Case("invalid_locale", 400, "POST /orders", '{"user":"1","product":"p","locale":"?"}'),
    Case("invalid_time_zone", 400, "POST /orders", '{"user":"1","product":"p","time_zone":"?"}'),
    Case("unknown_order", 404, "GET /orders/11111111-1111-4111-8111-111111111111"),
    Case("unknown_event", 404, "GET /events/1"),
    Case("invalid_query", 400, "GET /search?q="),
    Case("invalid_range", 400, "GET /history?range=year"),
    Case("invalid_cursor", 400, "GET /feed?since=yesterday"),
    Case("invalid_limit", 400, "GET /users/1/events?limit=0"),
    Case("invalid_since", 400, "POST /recoveries", '{"provider":"apple","since":"x"}'),
    Case("invalid_stream", 422, "POST /broadcasts", '{"html":"<p>"}'),
    Case("invalid_html", 422, "POST /broadcasts", '{"user":"1","html":"<p>"}'),
    Case("invalid_action", 422, "POST /broadcasts", '{"user":"1","action":"?","target":"a","html":"b"}'),
    Case("invalid_target", 422, "POST /broadcasts", '{"user":"1","action":"update","html":"b"}'),
    Case("invalid_content", 422, "POST /broadcasts", '{"user":"1","action":"update","target":"a"}'),
    Case("unknown_template", 422, "POST /broadcasts", '{"user":"1","action":"update","target":"a","template":"x"}'),
    Case("invalid_idempotency_key", 400, "POST /broadcasts", BROADCAST, (("Idempotency-Key", "a b"),)),
    Case("missing_signed_payload", 400, "POST /webhooks/apple", "{}"),
    Case("missing_signature", 400, "POST /webhooks/stripe", "{}"),
    Case("unauthorized", 401, "POST /webhooks/revenuecat", "{}"),
    Case("unauthorized", 401, "POST /webhooks/google", "{}"),
    Case("missing_signed_transaction", 400, "POST /transactions/apple", "{}"),
    Case("invalid_jws", 400, "POST /transactions/apple", '{"signedTransaction":"x"}'),
    Case("missing_purchase_token", 400, "POST /transactions/google", "{}"),
    Case("invalid_purchase_token", 400, "POST /transactions/google", '{"purchaseToken":"#"}'),
    Case("missing_transaction", 400, "POST /offers/apple", '{"product":"p","allowIntroductoryOffer":true}'),
    Case("missing_receipt", 400, "POST /receipts/apple", "{}"),
    Case("invalid_receipt", 400, "POST /receipts/apple", '{"receipt":"!"}'),
    Case("unauthenticated_receipt", 422, "POST /receipts/apple", '{"verifyReceipt":{"status":21003}}'),
]


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    server = Server(f"exec {binary()} serve --dev", tmp_path_factory.mktemp("errors"), OUTSIDE)
    yield server
    server.stop()


@pytest.mark.parametrize("case", ASKED, ids=str)
def test_a_running_server_answers_as_the_article_says(server, case):
    method, path = case.request.split(" ")
    headers = dict(case.headers)
    if case.key:
        headers["Authorization"] = f"Bearer {(server.folder / '.paycast' / 'api.key').read_text().strip()}"
    connection = http.client.HTTPConnection(server.address, timeout=10)
    connection.request(method, path, case.body, headers)
    answer = connection.getresponse()
    assert (answer.status, json.load(answer)["error"]) == (case.status, case.code)
    connection.close()
    assert str(case.status) in ERRORS[case.code][1], "the article prints another status"
