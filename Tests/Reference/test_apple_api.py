"""What Paycast asks Apple's API about a receipt: what Apple's library would ask, with a token that PyJWT believes."""

import base64

import jwt
import pytest
from appstoreserverlibrary.receipt_utility import ReceiptUtility
from asn1crypto.core import OctetString
from cryptography.hazmat.primitives.asymmetric import ec

from authority import DAY, NOW, Authority, Issuer, milliseconds
from catcher import Catcher
from receipts import Signer, payload, purchase
from servers import Paycast

BUNDLE, KEY_ID, ISSUER = "com.example", "2X9R4HXF34", "57246542-96fe-1a63-e053-0824d011072a"
UNKNOWN = (404, {"errorCode": 4040010, "errorMessage": "Transaction id not found."})
IDENTITY = "1000000000000077"


class Apple:
    """Apple's API on this machine, which trusts one key and signs with one authority."""

    def __init__(self):
        self.key = ec.generate_private_key(ec.SECP256R1())
        self.authority = Authority()
        self.knows = False
        self.server = Catcher(self.answer)

    def answer(self, method, path, headers, body):
        token = headers["Authorization"].removeprefix("Bearer ")
        claims = jwt.decode(
            token, self.key.public_key(), algorithms=["ES256"], audience="appstoreconnect-v1", issuer=ISSUER
        )
        assert jwt.get_unverified_header(token) == {"alg": "ES256", "kid": KEY_ID, "typ": "JWT"}
        assert claims["bid"] == BUNDLE and 0 < claims["exp"] - claims["iat"] <= 3600
        if not self.knows:
            return UNKNOWN
        if "/subscriptions/" in path:
            item = {
                "originalTransactionId": IDENTITY,
                "status": 1,
                "signedTransactionInfo": self.transaction(),
                "signedRenewalInfo": self.authority.sign(
                    {
                        "originalTransactionId": IDENTITY,
                        "environment": "Sandbox",
                        "autoRenewStatus": 0,
                        "productId": "pro",
                        "signedDate": milliseconds(NOW),
                    }
                ),
            }
            group = {"subscriptionGroupIdentifier": "1", "lastTransactions": [item]}
            return 200, {"environment": "Sandbox", "bundleId": BUNDLE, "data": [group]}
        return 200, {
            "environment": "Sandbox",
            "bundleId": BUNDLE,
            "hasMore": False,
            "revision": "1",
            "signedTransactions": [self.transaction()],
        }

    def transaction(self):
        return self.authority.sign(
            {
                "transactionId": IDENTITY,
                "originalTransactionId": IDENTITY,
                "bundleId": BUNDLE,
                "environment": "Sandbox",
                "productId": "pro",
                "type": "Auto-Renewable Subscription",
                "purchaseDate": milliseconds(NOW - DAY),
                "expiresDate": milliseconds(NOW + DAY),
                "signedDate": milliseconds(NOW),
            }
        )

    def asked(self):
        """The ids that were asked about since the last time."""
        caught, self.server.caught = self.server.caught, []
        paths = [path.partition("?")[0] for _, path, *_ in caught]
        return {path.rpartition("/")[2] for path in paths if "/subscriptions/" in path or "/v2/history/" in path}


@pytest.fixture(scope="module")
def apple():
    apple = Apple()
    yield apple
    apple.server.shutdown()


@pytest.fixture(scope="module")
def signer(tmp_path_factory):
    return Signer(tmp_path_factory.mktemp("signer") / "today")


@pytest.fixture(scope="module")
def paycast(tmp_path_factory, apple):
    folder = tmp_path_factory.mktemp("paycast")
    (folder / "root.pem").write_bytes(apple.authority.root.pem)
    (folder / "key.p8").write_bytes(Issuer(apple.key, None).key_pem)
    server = Paycast(
        folder,
        {
            "PAYCAST_APPLE_ROOTS": str(folder / "root.pem"),
            "PAYCAST_APPLE_BUNDLE_ID": BUNDLE,
            "PAYCAST_APPLE_APP_ID": "1",
            "PAYCAST_APPLE_API_KEY": str(folder / "key.p8"),
            "PAYCAST_APPLE_API_KEY_ID": KEY_ID,
            "PAYCAST_APPLE_API_ISSUER_ID": ISSUER,
            "PAYCAST_APPLE_API_URL": apple.server.address,
        },
    )
    yield server
    server.stop()


def receipt():
    return payload(BUNDLE, NOW - DAY, [purchase(77, NOW - DAY, NOW + DAY), purchase(78, NOW - DAY, NOW + DAY)])


FORMS = {
    "DER": lambda signer: signer.sign(receipt()),
    "BER": lambda signer: signer.sign(receipt(), "-stream"),
    "wrapped": lambda signer: signer.sign(OctetString(receipt()).dump()),
}


@pytest.mark.parametrize("form", FORMS)
def test_the_same_transaction_is_asked_about(apple, signer, paycast, form):
    """No authority signed these receipts: they only say what to ask."""
    text = base64.b64encode(FORMS[form](signer)).decode()
    apple.asked()
    status, body = paycast.answer("/receipts/apple", {"receipt": text})
    assert (status, body["error"]) == (400, "untrusted_chain")
    assert apple.asked() == {IDENTITY}
    if form == "DER":
        assert ReceiptUtility().extract_transaction_id_from_app_receipt(text) == IDENTITY


def test_receipts_of_ios_6_are_asked_about(apple, paycast):
    info = base64.b64encode(f'{{\n\t"bid" = "{BUNDLE}";\n\t"transaction-id" = "33993399";\n}}'.encode()).decode()
    text = base64.b64encode(f'{{\n\t"signature" = "AA==";\n\t"purchase-info" = "{info}";\n}}'.encode()).decode()
    apple.asked()
    status, body = paycast.answer("/receipts/apple", {"receipt": text})
    assert (status, body["error"]) == (422, "store_api_needed")
    assert apple.asked() == {ReceiptUtility().extract_transaction_id_from_transaction_receipt(text)} == {"33993399"}


def test_what_apple_signs_is_committed(apple, signer, paycast):
    """The receipt is of nobody's authority: it says what to ask, but anybody could have written the id into it."""
    apple.knows = True
    text = base64.b64encode(signer.sign(receipt())).decode()
    status, body = paycast.answer("/receipts/apple", {"receipt": text, "user": "42"})
    assert status == 200 and body["source"] == "store", body
    assert len(body["events"]) == 2 and body["outcome"] == "unclaimed"
    apple.knows = False
