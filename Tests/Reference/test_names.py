"""Stream names that Rails signs, and those that Paycast signs."""

import base64
import http.client
import json
import os
import random
import subprocess
import time
from urllib.parse import quote

import pytest

from program import binary
from servers import HERE, KEY, Paycast

BASE = "test-secret-key-base-do-not-use"
SECRETS = {
    "key": ({"key": KEY}, {"PAYCAST_STREAM_KEYS": KEY}),
    "base, SHA-256": ({"base": BASE, "hash": "SHA256"}, {"SECRET_KEY_BASE": BASE}),
    "base, SHA-1": ({"base": BASE, "hash": "SHA1"}, {"SECRET_KEY_BASE": BASE}),
}
ALPHABET = "abc XYZ019:/\\\"'<>&+=%?#_-.{}[]éßжש中😀\u2028\u00a0"


def names(count):
    """The same ones in each run."""
    numbers = random.Random(42)
    for index in range(count):
        text = "".join(numbers.choices(ALPHABET, k=numbers.randint(1, 40)))
        gid = base64.urlsafe_b64encode(f"gid://{quote(text, '')}/User/{index}".encode()).decode().rstrip("=")
        yield f"{gid}:paywall" if index % 3 == 0 else text


class Rails:
    def __init__(self, secret):
        self.secret = secret
        pipe = subprocess.PIPE
        self.process = subprocess.Popen(["ruby", HERE / "verifier.rb"], stdin=pipe, stdout=pipe, text=True)

    def ask(self, op, text, **options):
        self.process.stdin.write(json.dumps({"op": op, "text": text, "secret": self.secret, **options}) + "\n")
        self.process.stdin.flush()
        return json.loads(self.process.stdout.readline())

    def stop(self):
        self.process.stdin.close()
        self.process.wait(timeout=10)
        self.process.stdout.close()


@pytest.fixture(scope="module", params=SECRETS)
def signers(request, tmp_path_factory):
    secret, environment = SECRETS[request.param]
    rails, paycast = Rails(secret), Paycast(tmp_path_factory.mktemp("names"), environment)
    yield rails, paycast
    rails.stop()
    paycast.stop()


def answer(paycast, token):
    """The status, and the first fragment that the page receives."""
    connection = http.client.HTTPConnection(paycast.address, timeout=5)
    connection.request("GET", f"/streams?name={quote(token, '')}")
    response = connection.getresponse()
    page = response.read1(4096).decode()
    connection.close()
    return response.status, page


def test_names_of_rails_are_good_and_forged_ones_are_not(signers):
    rails, paycast = signers
    for name in names(100):
        token = rails.ask("sign", name)
        assert answer(paycast, token)[0] == 200, name
        forged = token[:-1] + ("1" if token[-1] == "0" else "0")
        assert answer(paycast, forged)[0] == 403, name


def test_an_expiring_name_is_good_until_then(signers):
    rails, paycast = signers
    good = rails.ask("sign", "a", expires_at=time.time() + 600)
    status, page = answer(paycast, good)
    assert status == 200 and "refresh" not in page


def test_an_expired_name_renders_the_page_anew(signers):
    rails, paycast = signers
    status, page = answer(paycast, rails.ask("sign", "a", expires_at=time.time() - 600))
    assert status == 200 and 'action="refresh"' in page


@pytest.mark.parametrize("purpose", [None, "", "stream", "login", "blob_id"])
@pytest.mark.parametrize("seconds", [None, 600, -600])
def test_what_is_signed_for_another_purpose_is_no_name(signers, purpose, seconds):
    rails, paycast = signers
    token = rails.ask("sign", "a", purpose=purpose, expires_at=seconds and time.time() + seconds)
    good = rails.ask("verify", token) == "a"
    assert good == (not purpose and seconds != -600)
    # Of an expired name the page is told to load itself again, with 200.
    assert answer(paycast, token)[0] == (403 if purpose else 200)


@pytest.mark.parametrize("kind", ["key", "base, SHA-256"])
def test_rails_verifies_what_paycast_signs(kind):
    secret, environment = SECRETS[kind]
    rails = Rails(secret)
    for name in names(20):
        command = [binary(), "sign", "--", name]
        signed = subprocess.run(
            command, env={**os.environ, **environment}, check=True, timeout=20, capture_output=True, text=True
        )
        assert rails.ask("verify", signed.stdout.split()[0]) == name
    rails.stop()
