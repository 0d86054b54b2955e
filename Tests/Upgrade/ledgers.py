"""A small ledger of each release with a row of every kind, and what a server answers about it.

`.ci/release ledger VERSION` makes one with the program of that version: VERSION.db is its file, VERSION.sql the same ledger in
PostgreSQL, and VERSION.json says what it answers, when, and with which catalog and keys; all three compressed.
"""

import base64
import gzip
import hashlib
import json
import re
import sqlite3
import subprocess
import sys
import tempfile
import urllib.parse
import urllib.request
from contextlib import closing, contextmanager
from pathlib import Path

from postgres import Postgres
from program import OUTSIDE, Program, binary

FOLDER = Path(__file__).parent / "ledgers"
SECONDS = 60
# What was said at first is older than the retention at the second instant, and is asked for at the third.
FIRST, SECOND, THIRD = "2026-11-22T09:00:00Z", "2026-11-25T09:00:00Z", "2026-11-25T10:00:00Z"
CATALOG = {
    "entitlements": {"pro": {"name": "Pro"}, "maps": {"name": {"en": "Maps", "de": "Karten"}}},
    "products": {
        "paycast.pro.monthly": {"entitlements": ["pro"], "group": "21580001", "level": 1, "kind": "subscription"},
        "paycast.pro.annual": {"entitlements": ["pro"], "group": "21580001", "level": 2, "kind": "subscription"},
        "paycast.maps": {"entitlements": ["maps"], "kind": "non_consumable"},
        "paycast.prints": {"kind": "consumable"},
    },
}
NOBODY = "http://127.0.0.1:9"
# Each has a subscription at this store.
SUBSCRIBERS = {"ann": "apple", "ben": "stripe", "cara": "google", "dora": "revenuecat", "eric": "purchasekit"}
USERS = [*SUBSCRIBERS, "finn", "gil", "ida", "jack", "kim"]
# Of the server that is asked, not of the ledger.
OF_THE_SERVER = {"node", "problems", "warnings", "ledger", "refused", "hooks", "way"}


class Shop(Program):
    """A development server on a ledger, which takes `now` for the time of its start. `keys` are the files of its workspace: those that
    signed what is in the ledger."""

    def __init__(self, folder, database, now, catalog, program=None, keys=None, **settings):
        (folder / ".paycast").mkdir(parents=True, exist_ok=True)
        for name, text in (keys or {}).items():
            (folder / ".paycast" / name).write_text(text)
        (folder / "catalog.json").write_text(json.dumps(catalog))
        self.paycast = program or binary()
        given = {"CATALOG": "catalog.json", "DEV_NOW": now, "STREAM_KEYS": "s" * 40, "TRANSFERS": "share", **settings}
        environment = {**OUTSIDE, "DATABASE_URL": database} | {f"PAYCAST_{name}": text for name, text in given.items()}
        super().__init__(folder, [self.paycast, "serve", "--dev", "--port", "0"], environment)
        self.wait_until_listening()

    def run(self, *words):
        command = [self.paycast, *words]
        done = subprocess.run(command, cwd=self.folder, env=OUTSIDE, capture_output=True, text=True, timeout=SECONDS)
        assert done.returncode == 0, f"{words}: {done.stderr}{self.log.read_text()}"
        return done.stdout

    def trigger(self, *words):
        """Returns the outcome, of several deliveries the first one's."""
        return re.match(r"(?:outcome +)?(\w+)", self.run("trigger", *words))[1]

    @property
    def keys(self):
        files = (self.folder / ".paycast").iterdir()
        return {file.name: file.read_text() for file in files if file.suffix in (".key", ".pem")}

    def open(self, method, path, body=None, **headers):
        key = (self.folder / ".paycast/api.key").read_text().strip()
        headers = {name.replace("_", "-"): text for name, text in headers.items()} | {"Authorization": f"Bearer {key}"}
        data = body if body is None or isinstance(body, bytes) else json.dumps(body).encode()
        request = urllib.request.Request(self.url + path, data, headers, method=method)
        return urllib.request.urlopen(request, timeout=SECONDS)

    def ask(self, method, path, body=None, **headers):
        with self.open(method, path, body, **headers) as answer:
            return json.loads(answer.read())

    def page(self, user):
        """What a page gets that comes back with the cursor of the beginning."""
        source = self.ask("GET", f"/users/{user}/stream")
        epoch = source["since"].partition("-")[0]
        name = urllib.parse.quote(source["signed_stream"], safe="")
        with self.open("GET", f"/streams?name={name}&since={epoch}-0") as stream:
            last = {"user": user, "action": "append", "target": "last", "html": "", "transient": True}
            self.ask("POST", "/broadcasts", last)
            found = []
            for line in stream:
                found += re.findall(r'<turbo-stream action="(\w+)"(?: target="(\w+)")?', line.decode())
                if found and found[-1] == ("append", "last"):
                    return [" ".join(each) for each in found[:-1]]
        raise AssertionError("the page was ended")

    def answers(self):
        """What it says of everything, by path. Neither the epoch nor the address is a ledger's for ever."""
        found = {}

        def get(path):
            found[path] = self.ask("GET", path)
            return found[path]

        for path in ("/audit", "/attention", "/catalog", "/hooks/deliveries"):
            get(path)
        for user in USERS:
            record = get(f"/users/{user}?all=true")
            get(f"/users/{user}/entitlements")
            for event in get(f"/users/{user}/events?bodies=true&limit=100")["events"]:
                if event.get("body"):
                    event["body"] = hashlib.sha256(event["body"].encode()).hexdigest()
            for order in record["orders"]:
                get(f"/orders/{order['order']}")
            found[f"page of {user}"] = self.page(user)
        events = self.ask("GET", "/events?limit=100")["events"]
        for event in events:
            get(f"/events/{event['cursor']}")
        # What each event said is read once more, and changes nothing.
        found["replay"] = json.loads(self.run("replay", "--since", "start", "--dry-run", "--json"))
        epoch = events[0]["cursor"].partition("-")[0]
        text = re.sub(r"([\w+/]+)(=|%3D)*--[0-9a-f]{64}", lambda name: without_epoch(name, epoch), json.dumps(found))
        return json.loads(text.replace(epoch, "EPOCH").replace(self.address, "ADDRESS"))


def without_epoch(name, epoch):
    """A signed name as it is, unless it says after which ending of its user's pages it was signed."""
    said = base64.b64decode(name[1] + "=" * (-len(name[1]) % 4))
    return f"NAME AFTER EPOCH {len(said)}" if epoch.encode() in said else name[0]


def lost(kept, found, place=""):
    """What an answer does not say any more. A newer version may say more."""
    if isinstance(kept, dict) and isinstance(found, dict):
        pairs = [(name, kept[name], found.get(name)) for name in kept if name not in OF_THE_SERVER]
    elif isinstance(kept, list) and isinstance(found, list) and len(kept) == len(found):
        pairs = zip(range(len(kept)), kept, found)
    else:
        return [] if kept == found else [f"{place}: {json.dumps(kept)} became {json.dumps(found)}"]
    return [each for name, old, new in pairs for each in lost(old, new, f"{place} › {name}")]


# MARK: Kept ones


class Kept:
    def __init__(self, version):
        self.version = version
        self.told = json.loads(self.read("json"))

    def read(self, form):
        return gzip.decompress((FOLDER / f"{self.version}.{form}.gz").read_bytes())

    def serve(self, folder, database, program=None):
        return Shop(folder, database, self.told["now"], self.told["catalog"], program, self.told["keys"])


def kept():
    """Oldest first."""
    versions = [path.name.removesuffix(".json.gz") for path in FOLDER.glob("*.json.gz")]
    return [Kept(version) for version in sorted(versions, key=lambda text: [int(part) for part in text.split(".")])]


# MARK: A new one


def begin(shop):
    """What the retention will have emptied, but for what is still to be forwarded: Apple's."""
    for user in ("ann", "ben"):
        assert shop.trigger(SUBSCRIBERS[user], "initial", "--user", user) == "applied"


def go_on(shop):
    for user in ("cara", "dora", "eric"):
        assert shop.trigger(SUBSCRIBERS[user], "initial", "--user", user) == "applied"
    shop.trigger("apple", "grace", "--user", "ann", "--duplicate", "2")
    shop.trigger("stripe", "cancel", "--user", "ben")
    shop.trigger("revenuecat", "TRANSFER/lena", "--user", "dora")
    # A consumable, something that stays, a product that no catalog names, and a purchase without a user. Apple's documents are large.
    shop.trigger("stripe", "initial", "--user", "finn", "--product", "paycast.prints", "--kind", "consumable")
    shop.trigger("stripe", "initial", "--user", "finn", "--product", "paycast.maps", "--kind", "non_consumable")
    shop.trigger("purchasekit", "initial", "--user", "jack", "--product", "paycast.weekly")
    unclaimed = shop.trigger("stripe", "initial", "--order", "4b1d7c0e-5f7a-4b7e-9d61-2d8b5a3c9e10")
    assert unclaimed == "unclaimed", unclaimed
    order(shop)
    shop.trigger("apple", "initial", "--user", "kim", "--product", "paycast.pro.annual")
    shop.trigger("apple", "CONSUMPTION_REQUEST", "--user", "kim")
    claim(shop, of="kim", by="gil")
    grant(shop)
    shop.trigger("stripe", "initial", "--user", "hugo")
    shop.run("erase", "--user", "hugo", "--reason", "request")
    html = {"user": "kim", "action": "append", "target": "log", "html": "<p>hello</p>"}
    shop.ask("POST", "/broadcasts", html, Idempotency_Key="once")
    shop.ask("DELETE", "/users/jack/pages?reason=lost")
    shop.run("recover", "apple")


def order(shop):
    wanted = {"user": "kim", "product": "paycast.maps", "kind": "non_consumable", "provider": "apple", "group": "extras"}
    trace = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"
    shop.ask("POST", "/orders", {**wanted, "locale": "de", "time_zone": "Europe/Berlin"}, traceparent=trace)


def claim(shop, of, by):
    """The app of another user asks for what this one has bought, with Apple's signature."""
    events = shop.ask("GET", f"/users/{of}/events?bodies=true")["events"]
    body = next(each["body"] for each in events if each["type"] == "SUBSCRIBED")
    payload = json.loads(body)["signedPayload"].split(".")[1]
    notification = json.loads(base64.urlsafe_b64decode(payload + "=" * (-len(payload) % 4)))
    transaction = notification["data"]["signedTransactionInfo"]
    shop.ask("POST", "/transactions/apple", {"signedTransaction": transaction, "user": by, "asked": True})


def grant(shop):
    shop.ask("POST", "/users/ida/grants", {"product": "paycast.pro.annual", "days": 300, "reason": "a gift"})
    given = shop.ask("POST", "/users/ida/grants", {"product": "paycast.maps", "forever": True, "reason": "a mistake"})
    shop.run("revoke", "--user", "ida", "--grant", given["grant"], "--reason", "a mistake")


def empty_tables(file):
    with closing(sqlite3.connect(file)) as ledger:
        tables = [row[0] for row in ledger.execute("SELECT name FROM sqlite_schema WHERE type = 'table'")]
        return [table for table in tables if not ledger.execute(f'SELECT 1 FROM "{table}" LIMIT 1').fetchone()]


@contextmanager
def serving(folder, database, now, **settings):
    shop = Shop(folder, database, now, CATALOG, **settings)
    try:
        yield shop
    except BaseException:
        shop.kill()
        raise
    assert shop.stop(), shop.log.read_text()


def make(folder):
    """Returns the path of a ledger with a row in every table."""
    # Both are told later, because nobody is there.
    outside = {"HOOK_URLS": f"{NOBODY}/hooks", "FORWARD": f"{NOBODY}/webhooks/apple"}
    url = f"sqlite:{folder / 'paycast.db'}"
    with serving(folder, url, FIRST, **outside) as shop:
        begin(shop)
    with serving(folder, url, SECOND, **outside, RETENTION_DAYS="1") as shop:
        go_on(shop)
        shop.run("backup", "kept.db", "--database", url)
    empty = empty_tables(folder / "kept.db")
    if empty:
        sys.exit(f"no row is in {', '.join(empty)}: let the shop of Tests/Upgrade/ledgers.py do what writes one")
    return folder / "kept.db"


def in_postgres(folder, file):
    """The same ledger, with the rows that only nodes have: one of them was killed."""
    server = Postgres()
    try:
        words = ["copy", "--from", f"sqlite:{file}", "--to", server.url()]
        subprocess.run([binary(), *words], env=OUTSIDE, cwd=folder, check=True, capture_output=True)
        Shop(folder, server.url(), THIRD, CATALOG).kill()
        return server.dump("paycast")
    finally:
        server.stop()


def keep(version):
    said = subprocess.run([binary(), "version"], env=OUTSIDE, capture_output=True, text=True, check=True).stdout.split()[1]
    if said != version:
        sys.exit(f"{binary()} is version {said}, not {version}: run “.ci/release cut {version}”, and build it")
    with tempfile.TemporaryDirectory() as folder:
        folder = Path(folder)
        file = make(folder)
        forms = {"db": file.read_bytes(), "sql": in_postgres(folder, file).encode()}
        with serving(folder, f"sqlite:{file}", THIRD) as shop:
            told = {"now": THIRD, "catalog": CATALOG, "keys": shop.keys, "answers": shop.answers()}
    forms["json"] = json.dumps(told, ensure_ascii=False).encode()
    FOLDER.mkdir(exist_ok=True)
    packed = {form: gzip.compress(content, mtime=0) for form, content in forms.items()}
    for form, content in packed.items():
        (FOLDER / f"{version}.{form}.gz").write_bytes(content)
    sizes = ", ".join(f"{form} {len(content)}" for form, content in packed.items())
    print(f"{FOLDER / version}: {len(told['answers'])} answers; bytes: {sizes}")


if __name__ == "__main__":
    keep(sys.argv[1])
