"""Paycast and Apple's own library judge the same signed documents of a throw-away authority, each with one defect."""

import base64
import random

import pytest
from appstoreserverlibrary.models.Environment import Environment
from appstoreserverlibrary.signed_data_verifier import SignedDataVerifier
from cryptography.hazmat.primitives.asymmetric import ec

from authority import DAY, INTERMEDIATE, LEAF, NOW, Authority, encoded, milliseconds
from servers import Paycast

BUNDLE, APP = "com.example", 1234
ENDED = NOW - 30 * DAY
EXPIRED = {"leaf": {"valid": (NOW - 400 * DAY, ENDED)}}


def notification(**members):
    data = {"bundleId": BUNDLE, "appAppleId": APP, "environment": "Sandbox"}
    return {
        "notificationType": "TEST",
        "notificationUUID": f"{random.getrandbits(64):x}",
        "version": "2.0",
        "signedDate": milliseconds(NOW),
        "data": data,
        **members,
    }


def without(payload, *names):
    return {name: value for name, value in payload.items() if name not in names}


def claims(**members):
    return {"bundleId": BUNDLE, "appAppleId": APP, "environment": "Sandbox", **members}


def cases(good):
    """Name, JWS, whether Apple's library accepts it, and Paycast where it is stricter."""

    def signed(payload=None, authority=good, **options):
        return authority.sign(payload or notification(), **options)

    def dated(authority, date):
        return signed(notification(signedDate=milliseconds(date)), authority)

    def x5c(*certificates):
        return signed(header={"x5c": list(certificates)})

    def padded(text):
        header, payload, signature = text.split(".")
        return ".".join((header + "=" * (-len(header) % 4 or 4), payload, signature))

    leaf, intermediate, root = good.x5c
    stranger = Authority()
    expired = good.bent(**EXPIRED)
    self_signed = good.bent(leaf={"issuer": None})
    from_root = good.bent(leaf={"issuer": good.root})
    swapped = good.bent(intermediate={"marker": LEAF}, leaf={"marker": INTERMEDIATE})
    yield "well formed", signed(), True
    yield "garbage for a root", x5c(leaf, intermediate, "AAAA"), True
    yield "an unrelated root", x5c(leaf, intermediate, stranger.x5c[2]), True
    yield "two certificates", x5c(leaf, intermediate), False
    yield "four certificates", x5c(leaf, intermediate, root, root), False
    yield "no certificates", x5c(), False
    yield "no x5c", signed(header={"x5c": None}), False
    yield "ES384", signed(header={"alg": "ES384"}), False
    yield "no algorithm", signed(header={"alg": None}), False
    yield "none", signed(header={"alg": "none"}, edit_signature=lambda raw: b""), False
    yield "DER signature", signed(edit_signature="der"), False
    yield "a leaf on P-384", signed(authority=good.bent(leaf={"curve": ec.SECP384R1})), False
    yield "leaf without its mark", signed(authority=good.bent(leaf={"marker": None})), False
    yield "intermediate without its mark", signed(authority=good.bent(intermediate={"marker": None})), False
    yield "marks swapped", signed(authority=swapped), False
    yield "intermediate that is no authority", signed(
        authority=good.bent(intermediate={"ca": False, "path_length": None})
    ), False
    yield "leaf signed by itself", signed(authority=self_signed), False
    yield "leaf of the root", signed(authority=from_root), False
    yield "unknown critical extension", signed(authority=good.bent(leaf={"critical": "1.2.3.4"})), False
    yield "intermediate without a path length", signed(authority=good.bent(intermediate={"path_length": None})), True
    yield "signed by the intermediate", signed(key=good.intermediate.key), False
    yield "signed by a stranger's key", signed(key=stranger.leaf.key), False
    yield "a stranger's chain", signed(authority=stranger), False
    yield "expired leaf, signed before", dated(expired, ENDED - DAY), True
    yield "expired leaf, signed after", dated(expired, NOW), False
    yield "expired leaf, no date", signed(without(notification(), "signedDate"), expired), False
    yield "signed before its leaf", dated(good, NOW - 701 * DAY), False
    yield "signed in the leaf's last second", dated(expired, ENDED), True
    yield "signed a second later", dated(expired, ENDED + DAY / 86400), False
    yield "signed in 2050", signed(notification(signedDate=2_524_608_000_000)), False
    yield "fractional date", signed(notification(signedDate=milliseconds(NOW) + 0.75)), True
    yield "date in a string", signed(notification(signedDate=str(milliseconds(NOW)))), True, False
    yield "nothing inside", signed(without(notification(), "data")), False
    empty = without(notification(), "data")
    yield "summary", signed({**empty, "summary": claims(requestIdentifier="1", productId="p")}), True
    yield "consent", signed({**empty, "appData": claims()}), True
    token = {"bundleId": BUNDLE, "appAppleId": APP, "tokenCreationDate": milliseconds(NOW)}
    yield "token of the Sandbox", signed(
        {**empty, "externalPurchaseToken": {**token, "externalPurchaseId": "SANDBOX_1"}}
    ), True
    yield "token of Production", signed({**empty, "externalPurchaseToken": {**token, "externalPurchaseId": "1"}}), False
    yield "unknown type", signed(notification(notificationType="OF_TOMORROW")), True
    yield "unknown environment", signed(notification(data=claims(environment="Moon"))), False
    yield "Production", signed(notification(data=claims(environment="Production"))), False
    yield "Xcode", signed(notification(data=claims(environment="Xcode"))), False
    yield "another bundle", signed(notification(data=claims(bundleId="com.example.x"))), False
    yield "padded header", signed(edit_text=padded), False
    yield "a line break at the end", signed(edit_text=lambda text: text + "\n"), False
    yield "crit", signed(header={"crit": ["exp"], "exp": 1}), False
    yield "b64 false", signed(header={"b64": False, "crit": ["b64"]}), False
    yield "two parts", signed(edit_text=lambda text: text.rpartition(".")[0]), False
    yield "four parts", signed(edit_text=lambda text: text + ".a"), False
    yield "no JWS", "a.b.c", False


class Judges:
    """Apple's library and Paycast, which trust the same root."""

    def __init__(self, folder, environment):
        self.good = Authority()
        (folder / "root.pem").write_bytes(self.good.root.pem)
        self.paycast = Paycast(
            folder,
            {
                "PAYCAST_APPLE_ROOTS": str(folder / "root.pem"),
                "PAYCAST_APPLE_BUNDLE_ID": BUNDLE,
                "PAYCAST_APPLE_APP_ID": str(APP),
                "PAYCAST_APPLE_ENVIRONMENTS": environment.value,
            },
        )
        self.library = SignedDataVerifier([self.good.root.der], False, environment, BUNDLE, APP)

    def library_takes_notification(self, jws):
        return accepts(self.library.verify_and_decode_notification, jws)

    def library_takes_transaction(self, jws):
        return accepts(self.library.verify_and_decode_signed_transaction, jws)

    def paycast_takes_notification(self, jws):
        return taken(self.paycast.answer("/webhooks/apple", {"signedPayload": jws}))

    def paycast_takes_transaction(self, jws):
        return taken(self.paycast.answer("/transactions/apple", {"signedTransaction": jws}))


def accepts(verify, jws):
    try:
        verify(jws)
    except Exception:
        return False
    return True


def taken(answer):
    status, body = answer
    assert status in (200, 400, 503), body
    return status == 200


@pytest.fixture(scope="module")
def sandbox(tmp_path_factory):
    judges = Judges(tmp_path_factory.mktemp("sandbox"), Environment.SANDBOX)
    yield judges
    judges.paycast.stop()


@pytest.fixture(scope="module")
def production(tmp_path_factory):
    judges = Judges(tmp_path_factory.mktemp("production"), Environment.PRODUCTION)
    yield judges
    judges.paycast.stop()


def test_both_judge_alike(sandbox):
    names = set()
    for name, jws, apple, *ours in cases(sandbox.good):
        assert sandbox.library_takes_notification(jws) == apple, f"Apple's library: {name}"
        assert sandbox.paycast_takes_notification(jws) == (ours or [apple])[0], name
        names.add(name)
    assert len(names) >= 45


def test_both_judge_alike_in_production(production):
    def signed(**members):
        return production.good.sign(notification(data=claims(environment="Production", **members)))

    for jws, good in (
        (signed(), True),
        (signed(appAppleId=1235), False),
        (signed(appAppleId=None), False),
        (production.good.sign(notification()), False),
    ):
        assert production.library_takes_notification(jws) == good
        assert production.paycast_takes_notification(jws) == good


def test_xcode_is_never_believed(sandbox):
    """Apple's library checks no signature there: such an environment cannot be configured here."""
    library = SignedDataVerifier([sandbox.good.root.der], False, Environment.XCODE, BUNDLE)
    jws = Authority().sign(notification(data=claims(environment="Xcode")), header={"x5c": None})
    assert accepts(library.verify_and_decode_notification, jws)
    assert not sandbox.paycast_takes_notification(jws)


def test_production_needs_an_app_id():
    with pytest.raises(ValueError):
        SignedDataVerifier([Authority().root.der], False, Environment.PRODUCTION, BUNDLE)


def transaction(number, **members):
    return {
        "transactionId": f"2{number:015}",
        "originalTransactionId": f"2{number:015}",
        "bundleId": BUNDLE,
        "environment": "Sandbox",
        "productId": "pro",
        "type": "Auto-Renewable Subscription",
        "purchaseDate": milliseconds(NOW),
        "expiresDate": milliseconds(NOW + DAY),
        "signedDate": milliseconds(NOW),
        **members,
    }


@pytest.mark.parametrize(
    "members",
    [
        {},
        {"bundleId": "com.example.x"},
        {"bundleId": None},
        {"environment": "Production"},
        {"environment": "Xcode"},
        {"environment": None},
        {"signedDate": None},
        {"type": "Of Tomorrow"},
        {"signedDate": milliseconds(NOW - 800 * DAY)},
    ],
    ids=str,
)
def test_both_judge_transactions_alike(sandbox, members):
    jws = sandbox.good.sign(transaction(1, **members))
    assert sandbox.paycast_takes_transaction(jws) == sandbox.library_takes_transaction(jws)


def damaged(numbers, jws):
    """A flipped bit, a lost piece, a segment of another document: the signature never matches."""
    header, payload, signature = jws.split(".")
    kind = numbers.randrange(5)
    if kind == 0:
        index = numbers.randrange(len(jws))
        return jws[:index] + numbers.choice("ABCabc019-_.=") + jws[index + 1 :]
    if kind == 1:
        return jws[: numbers.randrange(len(jws))]
    if kind == 2:
        raw = bytearray(base64.urlsafe_b64decode(payload + "=="))
        raw[numbers.randrange(len(raw))] ^= 1 << numbers.randrange(8)
        return ".".join((header, encoded(bytes(raw)), signature))
    if kind == 3:
        raw = bytearray(base64.urlsafe_b64decode(signature + "=="))
        raw[numbers.randrange(len(raw))] ^= 1 << numbers.randrange(8)
        return ".".join((header, payload, encoded(bytes(raw))))
    raw = bytearray(base64.urlsafe_b64decode(header + "=="))
    raw[numbers.randrange(len(raw))] ^= 1 << numbers.randrange(8)
    return ".".join((encoded(bytes(raw)), payload, signature))


def test_both_judge_damage_alike(sandbox):
    """The same damages in each run; the certificates differ."""
    numbers = random.Random(7)
    good = sandbox.good.sign(notification())
    for _ in range(400):
        jws = damaged(numbers, good)
        assert sandbox.paycast_takes_notification(jws) == sandbox.library_takes_notification(jws), jws
