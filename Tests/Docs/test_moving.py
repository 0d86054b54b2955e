"""The lists that the recipes of MovingHere.md make are imported, with stand-ins of the stores that know what they name."""

import json
import subprocess
import time
import urllib.request

import pytest

from program import OUTSIDE, binary
from server import Server
from stripe_stand_in import StripeStandIn

ACCOUNT = "acct_1032D82eZvKYlo2C"
PACKAGE = "com.example.paycast"


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    stripe = StripeStandIn()
    settings = {
        "PAYCAST_STRIPE_API_KEY": "rk_live_1",
        "PAYCAST_STRIPE_API_URL": stripe.url,
        "PAYCAST_STRIPE_ACCOUNTS": ACCOUNT,
    }
    server = Server(f"exec {binary()} serve --dev", tmp_path_factory.mktemp("moving"), {**OUTSIDE, **settings})
    server.stripe = stripe
    tell_google(server)
    yield server
    server.stop()
    stripe.stop()


def tell_google(server):
    end = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(time.time() + 20 * 86400))
    purchase = {
        "startTime": "2023-01-05T08:27:06Z",
        "subscriptionState": "SUBSCRIPTION_STATE_ACTIVE",
        "latestOrderId": "GPA.3312-4567-8901-23456..1",
        "acknowledgementState": "ACKNOWLEDGEMENT_STATE_ACKNOWLEDGED",
        "lineItems": [
            {"productId": "pro.monthly", "expiryTime": end, "autoRenewingPlan": {"autoRenewEnabled": True}}
        ],
    }
    path = f"/androidpublisher/v3/applications/{PACKAGE}/purchases/subscriptionsv2/tokens/token-of-43"
    request = urllib.request.Request(
        f"{server.url}/demo/api/google{path}", json.dumps(purchase).encode(), {"Content-Type": "application/json"}
    )
    request.method = "PUT"
    urllib.request.urlopen(request, timeout=20).close()


def imported(server, path):
    """The exit status, the counts that are not 0, and the users of the list who have access."""
    command = [binary(), "import", path, "--json"]
    done = subprocess.run(command, cwd=server.folder, env=OUTSIDE, capture_output=True, text=True, timeout=60)
    counts = {name: count for name, count in json.loads(done.stdout).items() if count}
    key = (server.folder / ".paycast" / "api.key").read_text().strip()
    active = []
    for user in ("42", "43"):
        request = urllib.request.Request(f"{server.url}/users/{user}/entitlements")
        request.add_header("Authorization", f"Bearer {key}")
        with urllib.request.urlopen(request, timeout=20) as answer:
            active += [user] if json.load(answer)["active"] else []
    return done.returncode, counts, active, done.stderr


def test_each_list_is_imported(walkthroughs, server):
    article = walkthroughs("MovingHere.md")
    article.reach(article.steps[-1])
    status, counts, active, told = imported(server, article.folder / "revenuecat.csv")
    # Apple's stand-in has sold nothing.
    assert (status, counts, active) == (1, {"rows": 2, "applied": 1, "unknown": 1}, ["43"]), told
    assert told.startswith("line 2: ")
    status, counts, active, told = imported(server, article.folder / "pay.csv")
    assert (status, counts, active) == (0, {"rows": 2, "applied": 2}, ["42", "43"]), told
    assert sorted(map(str, server.stripe.accounts)) == ["None", ACCOUNT]
    # The first one is the same subscription; the second is another account's.
    status, counts, _, told = imported(server, article.folder / "cashier.jsonl")
    assert (status, counts) == (0, {"rows": 2, "applied": 1, "already_there": 1}), told
