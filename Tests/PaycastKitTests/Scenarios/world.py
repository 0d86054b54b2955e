"""A development server, and phones whose store signs."""

import json
import os
import subprocess
import time
import urllib.request
from contextlib import contextmanager
from itertools import count
from pathlib import Path

import rules
from network import Network
from program import OUTSIDE, ROOT, Program, binary
from signing import STREAM_KEY, Signer

BUNDLE = "com.example.paycast"


def app_binary():
    """The newest build of the app, unless PAYCAST_KIT_APP names one."""
    if "PAYCAST_KIT_APP" in os.environ:
        return Path(os.environ["PAYCAST_KIT_APP"]).resolve()
    built = list(ROOT.glob(".build/*/PaycastKitApp"))
    assert built, "no build: run swift build --product PaycastKitApp first"
    return max(built, key=lambda path: path.stat().st_mtime)


class Server:
    def __init__(self, folder, **settings):
        # With the default, `transfer`, a purchase moves to whoever restores it, and 409 is never answered.
        environment = {**OUTSIDE, "PAYCAST_TRANSFERS": "keep", "PAYCAST_STREAM_KEYS": STREAM_KEY, **settings}
        self.program = Program(folder, [binary(), "serve", "--dev", "--port", "0"], environment)
        self.program.wait_until_listening()
        workspace = folder / ".paycast"
        self.key = (workspace / "api.key").read_text().strip()
        self.signer = Signer(workspace / "authority.pem", folder / "signer.pem")

    @property
    def url(self):
        return self.program.url

    def backend(self, user):
        """The app's own backend, for one user."""
        return {"url": f"{self.url}/orders", "key": self.key, "user": user}

    @contextmanager
    def another_authority(self):
        """The server trusts certificates that have not signed what is sold: the authority has changed."""
        authority = self.program.folder / ".paycast" / "authority.pem"
        authority.rename(kept := authority.with_suffix(".kept"))
        self.restart()
        yield
        kept.replace(authority)
        self.restart()

    def restart(self):
        """The server dies as in a crash, and comes back on another port."""
        self.program.kill()
        self.program.start()
        self.program.wait_until_listening()

    def trigger(self, kind, user, product="pro.annual"):
        """The simulated App Store sends a notification."""
        words = ["trigger", "apple", kind, "--user", user, "--product", product]
        subprocess.run([binary(), *words], cwd=self.program.folder, check=True, capture_output=True, timeout=30)

    def post(self, path, body):
        headers = {"Authorization": f"Bearer {self.key}"}
        request = urllib.request.Request(self.url + path, json.dumps(body).encode(), headers)
        with urllib.request.urlopen(request, timeout=20) as response:
            return json.load(response)

    def order(self, user, product="pro.annual"):
        return self.post("/orders", {"user": user, "product": product})

    def entitlements(self, user):
        headers = {"Authorization": f"Bearer {self.key}"}
        request = urllib.request.Request(f"{self.url}/users/{user}/entitlements", headers=headers)
        with urllib.request.urlopen(request, timeout=20) as response:
            return json.load(response)


class Phone:
    """One device: a folder for the store and for the kit, and as many processes of the app as it takes."""

    numbers = count(2_000_000_000_000_001)
    environment = "Sandbox"

    def __init__(self, folder, server, signer=None):
        self.folder = folder
        self.server = server
        self.signer = signer or server.signer
        self.network = Network(server)
        for part in ("open", "sheet", "updates", "owned"):
            (folder / part).mkdir(parents=True)

    def __enter__(self):
        return self

    def __exit__(self, *error):
        self.network.close()

    def sign(self, token=None, product="pro.annual", kind="Auto-Renewable Subscription", again=None, **members):
        """What StoreKit hands to the app. `again` signs an earlier one anew."""
        now = int(time.time() * 1000)
        number = again["id"] if again else self.next_number()
        document = {
            "transactionId": str(number),
            "originalTransactionId": str(number),
            "bundleId": BUNDLE,
            "productId": product,
            "subscriptionGroupIdentifier": "21580001",
            "purchaseDate": now,
            "originalPurchaseDate": now,
            "expiresDate": now + 31_536_000_000,
            "quantity": 1,
            "type": kind,
            "inAppOwnershipType": "PURCHASED",
            "signedDate": now,
            "environment": self.environment,
            "transactionReason": "PURCHASE",
            "storefront": "USA",
            "storefrontId": "143441",
            "price": 79_990,
            "currency": "USD",
            **members,
        }
        if kind != "Auto-Renewable Subscription":
            del document["subscriptionGroupIdentifier"], document["expiresDate"]
        if token:
            document["appAccountToken"] = token
        transaction = {
            "id": number,
            "originalID": number,
            "product": product,
            "jws": self.signer.sign(document),
            # Swift's dates begin with the year 2001.
            "signedDate": now / 1000 - 978_307_200,
            "isRevoked": "revocationDate" in document,
            "isUpgraded": document.get("isUpgraded", False),
            "isFamilyShared": document["inAppOwnershipType"] == "FAMILY_SHARED",
        }
        return {**transaction, "token": token} if token else transaction

    def next_number(self):
        return next(Phone.numbers)

    def put(self, part, transaction, name=None):
        (self.folder / part / f"{name or transaction['id']}.json").write_text(json.dumps(transaction))

    def pays(self, transaction):
        """The next payment sheet of the product ends with this transaction."""
        self.put("sheet", transaction, transaction["product"])

    def names(self, part):
        return [path.stem for path in (self.folder / part).glob("*.json")]

    def asks(self, is_asking=True):
        """Payment sheets end with the wait for somebody's approval, or do so no longer."""
        sheet = self.folder / "sheet" / "pro.annual.json"
        sheet.touch() if is_asking else sheet.unlink()

    def run(self, *steps, **settings):
        """Runs the app, until its entitlements are in `state` if given. Returns its report, or None if it was killed."""
        ended = subprocess.run(self.command(*steps, **settings), capture_output=True, text=True, timeout=60)
        if ended.returncode == -9:
            return None
        assert ended.returncode == 0, ended.stderr
        return json.loads(ended.stdout)

    def run_until_answered(self, count, *steps, **settings):
        """Runs the app until so many of its posts have been answered, and kills it. Returns these."""
        before = len(self.network.posts)
        with subprocess.Popen(self.command(*steps, **settings), stdout=subprocess.DEVNULL) as app:
            while True:
                # Copied, because killing the app may still change the last posts.
                answered = [dict(post) for post in self.network.posts[before:] if post["status"]]
                if len(answered) >= count or app.poll() is not None:
                    break
                time.sleep(0.02)
            app.kill()
        return answered[:count]

    def command(self, *steps, kill_before=None, patience=30, clock_error=0, pace=1, state=None, backend=None, follows=False):
        """Writes a plan for the app, and returns what runs it."""
        plan = {
            "server": self.network.begin(pace),
            "folder": str(self.folder),
            "steps": steps,
            "patience": patience,
            "clockError": clock_error,
            "pace": pace,
            "state": state,
            "backend": backend,
            "follows": follows,
        }
        if kill_before is not None:
            plan["killBefore"] = kill_before
        (file := self.folder / "plan.json").write_text(json.dumps(plan))
        return [app_binary(), file]

    def lines(self, log):
        file = self.folder / log
        return file.read_text().split() if file.exists() else []

    @property
    def finished(self):
        return [int(line) for line in self.lines("finished.log")]

    def check_rules(self):
        rules.check(self.network.posts, self.finished)


class Simulator(Phone):
    """A device that Xcode sells to: its purchases are numbered from 0."""

    environment = "Xcode"

    def __init__(self, folder, server, xcode):
        super().__init__(folder, server, xcode)
        self.own_numbers = count()

    def next_number(self):
        return next(self.own_numbers)
