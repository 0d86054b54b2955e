"""Stripe's own library and Paycast judge the same headers, and the library believes what the simulated Stripe signs."""

import json
import random
import subprocess
import time

import pytest
from stripe import SignatureVerificationError, WebhookSignature

from catcher import Catcher
from program import binary
from servers import Paycast

SECRET, OTHER = "whsec_current", "whsec_previous"


@pytest.fixture(scope="module")
def paycast(tmp_path_factory):
    server = Paycast(tmp_path_factory.mktemp("stripe"), {"PAYCAST_STRIPE_SECRETS": f"{SECRET},{OTHER}"})
    yield server
    server.stop()


def event(**members):
    return json.dumps(
        {
            "id": f"evt_{random.getrandbits(64):x}",
            "object": "event",
            "type": "customer.created",
            "created": int(time.time()),
            "livemode": False,
            "data": {"object": {"id": "cus_1", "object": "customer", "name": "Zoë ✓"}},
            **members,
        },
        ensure_ascii=False,
    )


def header(body, secret=SECRET, age=0):
    return WebhookSignature.generate_signature_header(body, secret, int(time.time()) - age)


def code(header):
    return header.partition("v1=")[2]


def library(body, given):
    for secret in (SECRET, OTHER):
        try:
            return WebhookSignature.verify_header(body, given, secret, 300)
        except SignatureVerificationError:
            continue
    return False


def ours(paycast, body, given):
    status, error = paycast.answer("/webhooks/stripe", body.encode(), {"Stripe-Signature": given})
    assert status in (200, 400), error
    return status == 200


def headers(body):
    """Name, header, and what Paycast says where it differs: it knows a future too far, and capitals."""
    good, age, now = header(body), 4000, int(time.time())
    wrong = "0" * 64
    yield "good", good
    yield "the previous secret", header(body, OTHER)
    yield "a stranger's secret", header(body, "whsec_stranger")
    yield "another body's", header(body + " ")
    yield "two codes, the second good", f"t={now},v1={wrong},v1={code(header(body))}"
    yield "two codes, none good", f"t={now},v1={wrong},v1={wrong}"
    yield "an older scheme beside it", f"{good},v0={wrong}"
    yield "an older scheme alone", good.replace("v1=", "v0=")
    yield "no time", good.partition(",")[2]
    yield "no code", good.partition(",")[0]
    yield "another time", f"t={now + 1},v1={code(good)}"
    yield "nearly too old", header(body, age=290)
    yield "too old", header(body, age=age)
    yield "of tomorrow", header(body, age=-age), False
    yield "not a time", f"t=now,v1={code(good)}"
    yield "upper case", good.replace(code(good), code(good).upper()), True
    yield "cut short", good[:-1]
    yield "one digit more", good + "0"
    yield "nothing", ""


def test_both_judge_alike(paycast):
    for name, given, *differs in headers(body := event()):
        expected = differs[0] if differs else bool(library(body, given))
        assert ours(paycast, body, given) == expected, name


def test_both_judge_damage_alike(paycast):
    numbers = random.Random(5)
    for _ in range(200):
        body = event()
        given = header(body)
        index = numbers.randrange(len(given))
        given = given[:index] + numbers.choice("0123456789abcdef,=tv") + given[index + 1 :]
        assert ours(paycast, body, given) == bool(library(body, given)), given


def test_the_library_believes_the_simulated_stripe(tmp_path):
    paycast = Paycast(tmp_path, {})
    catcher = Catcher(lambda *_: (200, {"outcome": "applied", "event": "e", "cursor": "c"}))
    order = "0f8fad5b-d9cb-469f-a165-70867728950e"
    command = [binary(), "trigger", "stripe", "customer.subscription.created", "--order", order, "--server"]
    subprocess.run([*command, catcher.address], cwd=tmp_path, check=True, timeout=30, capture_output=True)
    secret = (tmp_path / ".paycast" / "stripe.key").read_text().strip()
    posted = [(headers, body) for _, path, headers, body in catcher.caught if path == "/webhooks/stripe"]
    assert posted
    for headers, body in posted:
        assert WebhookSignature.verify_header(body, headers["Stripe-Signature"], secret, 300)
    catcher.shutdown()
    paycast.stop()
