"""Each example of the document is sent to a server, and answered as the document says.

A request's example and its answer have the same name, and operations come in the order of the document.
"""

import base64
import json
import re
from urllib.parse import quote, urlencode

import pytest

import document
from answers import Answers, steady
from recorder import delivery
from servers import API_KEY, REVENUECAT

DOCUMENT = document.load()
# Whoever pays with this order is user 42.
ORDER = DOCUMENT["paths"]["/orders"]["post"]["requestBody"]["content"]["application/json"]["examples"]["with_token"][
    "value"
]


def names(operation):
    """Of all examples of an operation's requests."""
    found = {}
    for _, examples in reversed(document.request_examples(DOCUMENT, operation)):
        found |= dict.fromkeys(examples)
    return list(found) or list(document.answered(DOCUMENT, operation))


CASES = [
    (path, method, name)
    for path, method, operation in document.operations(DOCUMENT)
    for name in names(operation)
    if method != "head" and not name.startswith(document.ANY_ROUTE)
]


class Shop:
    """The state that the examples assume: user 42 has bought something, and stores have further events."""

    def __init__(self, server):
        self.server = server
        assert server.ask("POST", "/orders", ORDER).status == 201
        server.paycast(
            "trigger", "apple", "SUBSCRIBED/INITIAL_BUY", "--order", ORDER["token"], "--product", "pro.annual"
        )
        _, renewal = delivery(server, "apple", "DID_RENEW", "--user", "42", "--product", "pro.annual")
        server.paycast("trigger", "google", "initial", "--user", "47")
        bought = server.ask("GET", "/users/47/entitlements").json["contracts"][0]
        # The simulated store dates a purchase up to a second ahead, and a claim that is older moves nothing.
        advanced = server.ask("PUT", "/demo/api/clock", {"advance": 2})
        assert advanced.status == 200, advanced
        self.push, self.notification = delivery(server, "google", "renew", "--user", "47")
        payload = json.loads(decoded(renewal["signedPayload"]))
        self.genuine = {
            "JWS of Apple": renewal["signedPayload"],
            "JWS of StoreKit": payload["data"]["signedTransactionInfo"],
            "a token of Google's": bought["contract"],
        }

    def send(self, path, method, name):
        operation = DOCUMENT["paths"][path][method]
        address, query, headers = path, {}, self.credentials(operation)
        for parameter in document.parameters(DOCUMENT, operation):
            value = parameter.get("examples", {}).get(name, {}).get("value")
            if parameter["in"] == "path":
                address = address.replace("{%s}" % parameter["name"], quote(value, safe=""))
            elif value is not None:
                (query if parameter["in"] == "query" else headers)[parameter["name"]] = value
        body = operation.get("requestBody", {}).get("content", {}).get("application/json", {}).get("examples", {})
        body = body[name]["value"] if name in body else None
        if isinstance(body, dict):
            body = {
                member: self.genuine.get(value, value) if isinstance(value, str) else value
                for member, value in body.items()
            }
            # An app has no key; a backend, which may name a user, has one.
            if document.is_open(operation) and "user" in body:
                headers["Authorization"] = f"Bearer {API_KEY}"
        if operation["operationId"] == "receiveGoogle":
            body = self.notification
        if body is not None:
            body = json.dumps(body, separators=(",", ":"), ensure_ascii=False).encode()
        return self.server.ask(method.upper(), address + ("?" + urlencode(query, doseq=True) if query else ""), body, headers, None)

    def credentials(self, operation):
        return {
            "apiKey": {"Authorization": f"Bearer {API_KEY}"},
            "revenueCat": {"Authorization": REVENUECAT},
            "googlePush": {"Authorization": self.push["Authorization"]},
        }.get(next(iter(operation["security"][0]), ""), {})


def decoded(jws):
    part = jws.split(".")[1]
    return base64.urlsafe_b64decode(part + "=" * (-len(part) % 4))


@pytest.fixture(scope="module")
def sent(development):
    """The answers to all examples, in their order: some need what others do."""
    shop = Shop(development)
    # Nobody buys for a user who was erased.
    return {case: shop.send(*case) for case in sorted(CASES, key=lambda case: case[1] == "delete")}


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case[1]} {case[0]} {case[2]}")
def test_is_answered_as_documented(case, sent, written):
    path, method, name = case
    answer = sent[case]
    Answers(DOCUMENT).check(path, method, answer)
    operation = written["paths"][path][method]
    answered = document.answered(written, operation)
    if name not in answered:
        empty = [
            status for status, found in document.answers(written, operation) if status < 300 and "content" not in found
        ]
        assert [answer.status] == empty, f"no answer of this name is documented: {answer}"
        return
    status, example = answered[name]
    assert answer.status == status, answer
    if written.is_to_be_written and steady(example["value"]) != steady(answer.json):
        example["value"] = public(answer.json)
    assert steady(example["value"]) == steady(answer.json)


def public(value):
    """The answer as a server at the document's address would give it."""
    text = json.dumps(value)
    text = re.sub(r"\b(http|ws)://127\.0\.0\.1:\d+/", r"\1s://pay.example.com/", text)
    return json.loads(re.sub(r"\b[0-9a-z]{8}-(\d{1,7})\b(?!-)", r"h7k2m9qa-\1", text))
