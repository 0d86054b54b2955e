"""Paycast and `openssl cms` judge the same receipts; Apple's library finds the transaction in them as Paycast does."""

import base64
import random

import pytest
from appstoreserverlibrary.receipt_utility import ReceiptUtility
from asn1crypto.core import OctetString

from authority import DAY, NOW
from receipts import Signer, payload, purchase
from servers import Paycast

BUNDLE = "com.example"
numbers = random.Random(11)


@pytest.fixture(scope="module")
def signers(tmp_path_factory):
    folder = tmp_path_factory.mktemp("signers")
    ended = ("20200101000000Z", "20230207214745Z")
    return {
        "today's": Signer(folder / "today"),
        "of the SHA-1 era": Signer(folder / "sha1", digest="sha1"),
        "expired": Signer(folder / "expired", valid=ended),
        "no receipt signer": Signer(folder / "unmarked", leaf=None),
        "a stranger's": Signer(folder / "stranger"),
    }


@pytest.fixture(scope="module")
def paycast(tmp_path_factory, signers):
    folder = tmp_path_factory.mktemp("paycast")
    roots = folder / "roots"
    roots.mkdir()
    for number, (name, signer) in enumerate(signers.items()):
        if name != "a stranger's":
            (roots / f"{number}.pem").write_bytes((signer.folder / "root.pem").read_bytes())
    environment = {
        "PAYCAST_APPLE_ROOTS": str(roots),
        "PAYCAST_APPLE_BUNDLE_ID": BUNDLE,
        "PAYCAST_APPLE_APP_ID": "1",
    }
    server = Paycast(folder, environment)
    yield server
    server.stop()


def receipt(created=NOW - DAY, count=1, **options):
    purchases = [purchase(numbers.getrandbits(40), created, created + 30 * DAY) for _ in range(count)]
    return payload(BUNDLE, created, purchases, **options)


def post(paycast, message):
    status, body = paycast.answer("/receipts/apple", {"receipt": base64.b64encode(message).decode()})
    assert status in (200, 400, 503), body
    return status, body


@pytest.mark.parametrize("name", ["today's", "of the SHA-1 era"])
@pytest.mark.parametrize("options", [[], ["-noattr"], ["-stream"], ["-md", "sha1"], ["-keyid"]], ids=str)
def test_both_believe(paycast, signers, name, options):
    message = signers[name].sign(receipt(), *options)
    assert signers[name].verifies(message)
    status, body = post(paycast, message)
    assert status == 200 and body["source"] == "receipt", body


def test_a_long_history(paycast, signers):
    message = signers["today's"].sign(receipt(count=187))
    status, body = post(paycast, message)
    assert status == 200 and len(body["events"]) == 187


def test_a_signer_that_expired_since(paycast, signers):
    """Judged when the receipt was made: openssl must be told to look at no clock at all."""
    expired = signers["expired"]
    made = NOW.replace(year=2022, month=6, day=1)
    old = expired.sign(receipt(created=made))
    assert expired.verifies(old) and post(paycast, old)[0] == 200
    fresh = expired.sign(receipt())
    assert expired.verifies(fresh) and post(paycast, fresh)[1]["error"] == "outside_validity"


def test_openssl_knows_nothing_of_apples_marks(paycast, signers):
    unmarked = signers["no receipt signer"]
    message = unmarked.sign(receipt())
    assert unmarked.verifies(message) and post(paycast, message)[1]["error"] == "untrusted_chain"


def test_both_refuse_a_stranger(paycast, signers):
    message = signers["a stranger's"].sign(receipt())
    assert not signers["today's"].verifies(message)
    assert post(paycast, message)[1]["error"] == "untrusted_chain"


def test_wrapped_once_more(paycast, signers):
    message = signers["today's"].sign(OctetString(receipt()).dump())
    assert signers["today's"].verifies(message) and post(paycast, message)[0] == 200


def test_nothing_is_believed_that_openssl_refuses(paycast, signers):
    signer = signers["today's"]
    good = signer.sign(receipt())
    refused = 0
    for _ in range(150):
        damaged = bytearray(good)
        damaged[numbers.randrange(len(good))] ^= 1 << numbers.randrange(8)
        message = bytes(damaged) if numbers.random() < 0.8 else good[: numbers.randrange(len(good))]
        if post(paycast, message)[0] == 200:
            assert signer.verifies(message)
        else:
            refused += 1
    assert refused > 100
