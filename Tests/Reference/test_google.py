"""Google's own library and Paycast judge the same push tokens, and the library accepts the grant that Paycast signs."""

import base64
import hashlib
import hmac
import json
import time
import uuid
from urllib.parse import parse_qs

import pytest
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import rsa
from google.auth import crypt, jwt
from google.auth.exceptions import GoogleAuthError
from google.auth.transport.requests import Request
from google.oauth2 import _client, id_token, service_account

from catcher import Catcher
from servers import Paycast

PACKAGE, AUDIENCE = "com.example", "https://paycast.example/webhooks/google"
PUSHER = "push@example.iam.gserviceaccount.com"
READER = "reader@example.iam.gserviceaccount.com"
SCOPE = "https://www.googleapis.com/auth/androidpublisher"
BEARER = "ya29.granted"


def encoded(data):
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


class Key:
    def __init__(self, name):
        key = rsa.generate_private_key(public_exponent=65537, key_size=2048)
        pem, form = serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8
        self.name = name
        self.private = key.private_bytes(pem, form, serialization.NoEncryption()).decode()
        self.public = key.public_key().public_bytes(pem, serialization.PublicFormat.SubjectPublicKeyInfo).decode()
        self.numbers = key.public_key().public_numbers()
        self.signer = crypt.RSASigner.from_string(self.private, name)

    @property
    def jwk(self):
        n, e = (encoded(number.to_bytes((number.bit_length() + 7) // 8)) for number in (self.numbers.n, self.numbers.e))
        return {"kty": "RSA", "alg": "RS256", "use": "sig", "kid": self.name, "n": n, "e": e}

    def sign(self, header, claims):
        """Header and claims as they are; text stays text."""
        parts = (part if isinstance(part, str) else json.dumps(part) for part in (header, claims))
        signed = ".".join(encoded(part.encode()) for part in parts)
        return f"{signed}.{encoded(self.signer.sign(signed))}"


class Google:
    """Google on this machine: the keys in both forms, the grant of access, and no purchases."""

    def __init__(self):
        self.key, self.account, self.stranger = Key("current"), Key("account"), Key("current")
        self.server = Catcher(self.answer)
        self.credentials = {
            "type": "service_account",
            "client_email": READER,
            "private_key_id": self.account.name,
            "private_key": self.account.private,
            "token_uri": f"{self.server.address}/token",
        }

    def answer(self, method, path, headers, body):
        if path == "/certs":
            return 200, {"keys": [self.key.jwk]}
        if path == "/pem":
            return 200, {self.key.name: self.key.public}
        if path == "/token":
            return 200, {"access_token": BEARER, "expires_in": 3600, "token_type": "Bearer"}
        return 404, {"error": {"code": 404, "errors": [{"reason": "purchaseTokenNotFound"}]}}

    def caught(self, beginning):
        return [asked for asked in self.server.caught if asked[1].startswith(beginning)]


@pytest.fixture(scope="module")
def google():
    google = Google()
    yield google
    google.server.shutdown()


@pytest.fixture(scope="module")
def paycast(tmp_path_factory, google):
    folder = tmp_path_factory.mktemp("google")
    (folder / "account.json").write_text(json.dumps(google.credentials))
    server = Paycast(
        folder,
        {
            "PAYCAST_GOOGLE_PACKAGE": PACKAGE,
            "PAYCAST_GOOGLE_AUDIENCE": AUDIENCE,
            "PAYCAST_GOOGLE_PUSH_ACCOUNT": PUSHER,
            "PAYCAST_GOOGLE_CREDENTIALS": str(folder / "account.json"),
            "PAYCAST_GOOGLE_CERTS_URL": f"{google.server.address}/certs",
            "PAYCAST_GOOGLE_API_URL": google.server.address,
        },
    )
    yield server
    server.stop()


def push(**notice):
    data = {"version": "1.0", "packageName": PACKAGE, "eventTimeMillis": str(int(time.time() * 1000)), **notice}
    message = {"messageId": str(uuid.uuid4().int), "data": base64.b64encode(json.dumps(data).encode()).decode()}
    return {"message": message, "subscription": "projects/example/subscriptions/paycast"}


def ours(paycast, token):
    headers = {"Content-Type": "application/json", "Authorization": f"Bearer {token}"}
    status, reply = paycast.answer("/webhooks/google", push(testNotification={"version": "1.0"}), headers)
    assert status in (204, 401), reply
    return status == 204


def library(google, token):
    """What Google tells receivers of pushes to do with its library."""
    try:
        claims = id_token.verify_token(
            token, Request(), AUDIENCE, f"{google.server.address}/pem", clock_skew_in_seconds=300
        )
    except (GoogleAuthError, ValueError):
        return False
    issued = claims["iss"] in ("accounts.google.com", "https://accounts.google.com")
    return issued and claims.get("email") == PUSHER and claims.get("email_verified") is True


def tokens(google):
    """Name, token, and what Paycast says where it differs: it is stricter wherever it does."""
    now = int(time.time())
    key, header = google.key, {"alg": "RS256", "typ": "JWT", "kid": google.key.name}
    claims = {
        "iss": "https://accounts.google.com",
        "aud": AUDIENCE,
        "azp": "113774264463038321964",
        "sub": "113774264463038321964",
        "email": PUSHER,
        "email_verified": True,
        "iat": now,
        "exp": now + 3600,
    }

    def claiming(**changed):
        return key.sign(header, {name: value for name, value in {**claims, **changed}.items() if value is not None})

    def headed(**changed):
        return key.sign({name: value for name, value in {**header, **changed}.items() if value is not None}, claims)

    good = jwt.encode(key.signer, claims).decode()
    head, body, signature = good.split(".")
    yield "signed by the library", good
    yield "signed here", claiming()
    yield "the issuer's other spelling", claiming(iss="accounts.google.com")
    yield "another issuer", claiming(iss="https://accounts.google.com.evil.example")
    yield "for somebody else", claiming(aud="https://other.example")
    yield "for several", claiming(aud=[AUDIENCE])
    yield "for nobody", claiming(aud=None)
    yield "an audience in another case", claiming(aud=AUDIENCE.upper())
    yield "another account", claiming(email="evil@example.iam.gserviceaccount.com")
    yield "no account", claiming(email=None)
    yield "an unverified account", claiming(email_verified=False)
    yield "a verified account in text", claiming(email_verified="true")
    yield "a verified account in a number", claiming(email_verified=1)
    yield "no verification", claiming(email_verified=None)
    yield "expired", claiming(iat=now - 7200, exp=now - 3600)
    yield "nearly too old", claiming(iat=now - 3600, exp=now - 240)
    yield "of tomorrow", claiming(iat=now + 3600, exp=now + 7200)
    yield "a little ahead", claiming(iat=now + 240)
    yield "no beginning", claiming(iat=None)
    yield "no end", claiming(exp=None)
    yield "another key of the same name", google.stranger.sign(header, claims)
    yield "a key of another name", headed(kid="unknown")
    yield "no algorithm", f"{encoded(json.dumps({**header, 'alg': 'none'}).encode())}.{body}."
    yield "no algorithm, signed", headed(alg="none")
    yield "the public key as a secret", hashed(google, {**header, "alg": "HS256"}, body)
    yield "another algorithm's name", headed(alg="PS256")
    yield "an algorithm of curves", headed(alg="ES256")
    yield "no algorithm's name", headed(alg=None)
    yield "no type", headed(typ=None)
    yield "no signature", f"{head}.{body}."
    yield "two parts", f"{head}.{body}"
    yield "four parts", f"{good}.{signature}"
    yield "cut short", good[:-8]
    yield "another payload", f"{head}.{encoded(json.dumps({**claims, 'sub': '1'}).encode())}.{signature}"
    yield "no JSON", key.sign(header, "hello")
    yield "a list", key.sign(header, "[]")
    yield "nothing at all", "a"
    # The library tries every key that it has.
    yield "no key's name", headed(kid=None), False
    # RFC 7515 §4.1.11 tells to refuse these.
    yield "a critical extension", headed(crit=["exp"]), False
    # The library takes the last one.
    twice = json.dumps(claims).replace('"aud"', '"aud": "x", "aud"')
    yield "a claim twice", key.sign(header, twice), False
    yield "an end with a fraction", claiming(exp=now + 3600.5), False
    # RFC 7515 §2 leaves the padding out.
    yield "padded", f"{good}==", False


def hashed(google, header, body):
    signed = f"{encoded(json.dumps(header).encode())}.{body}"
    code = hmac.new(google.key.public.encode(), signed.encode(), hashlib.sha256).digest()
    return f"{signed}.{encoded(code)}"


def test_both_judge_alike(google, paycast):
    accepted = 0
    for name, token, *differs in tokens(google):
        expected = differs[0] if differs else library(google, token)
        assert ours(paycast, token) == expected, name
        accepted += expected
    assert accepted == 6


def test_paycast_is_the_stricter_one(google):
    for name, token, *differs in tokens(google):
        if differs:
            assert library(google, token) and not differs[0], name


def test_the_library_believes_the_grant(google, paycast):
    token = next(tokens(google))[1]
    headers = {"Content-Type": "application/json", "Authorization": f"Bearer {token}"}
    # A renewal: a purchase that is not known yet would be asked about again.
    notice = {"version": "1.0", "notificationType": 2, "purchaseToken": "unknown", "subscriptionId": "pro"}
    for _ in range(2):
        assert paycast.answer("/webhooks/google", push(subscriptionNotification=notice), headers)[0] == 204
    [(method, _, sent, body)] = google.caught("/token")
    form = {name: value for name, [value] in parse_qs(body.decode(), strict_parsing=True).items()}
    assert method == "POST" and sent["Content-Type"] == "application/x-www-form-urlencoded"
    assert form.keys() == {"grant_type", "assertion"} and form["grant_type"] == _client._JWT_GRANT_TYPE
    address, keys = google.credentials["token_uri"], {google.account.name: google.account.public}
    claims = jwt.decode(form["assertion"], certs=keys, audience=address)
    own = service_account.Credentials.from_service_account_info(google.credentials, scopes=[SCOPE])
    model = own._make_authorization_grant_assertion()
    assert jwt.decode_header(form["assertion"]) == jwt.decode_header(model)
    expected = jwt.decode(model, certs=keys)
    assert claims.keys() == expected.keys()
    assert (claims["iss"], claims["scope"]) == (expected["iss"], expected["scope"]) == (READER, SCOPE)
    assert claims["exp"] - claims["iat"] == expected["exp"] - expected["iat"] == 3600
    assert abs(claims["iat"] - time.time()) < 60
    with pytest.raises(GoogleAuthError):
        jwt.decode(form["assertion"], certs={google.account.name: google.stranger.public}, audience=address)
    asked = google.caught("/androidpublisher/")
    # One grant is for all: the two purchases, and the list of voided ones, which is read at the start.
    assert all(headers["Authorization"] == f"Bearer {BEARER}" for _, _, headers, _ in asked)
    assert sum("/purchases/voidedpurchases" not in path for _, path, _, _ in asked) == 2
