"""The ledgers that releases have left are opened by this program, on both engines, and beside the older program."""

import hashlib
import hmac
import os
import sqlite3
import tempfile
import unittest
from contextlib import closing
from pathlib import Path

from ledgers import SUBSCRIBERS, kept, lost
from postgres import Postgres
from program import binary

# Of the newest release; without one, a program is its own elder.
OLD = Path(os.environ.get("PAYCAST_OLD_BINARY") or binary())


class LedgerTests(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.postgres = Postgres()
        cls.addClassCleanup(cls.postgres.stop)

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def in_a_file(self, ledger):
        """Its address, and a function that says which version its tables have, and which a program must know."""
        file = self.folder / f"{ledger.version}.db"
        file.write_bytes(ledger.read("db"))

        def schema():
            with closing(sqlite3.connect(file)) as tables:
                version = tables.execute("PRAGMA user_version").fetchone()[0]
                return version, version

        return f"sqlite:{file}", schema

    def in_postgres(self, ledger):
        name = f"l{len(self.postgres.sql('SELECT datname FROM pg_database').splitlines())}"
        self.postgres.sql(f"CREATE DATABASE {name}")
        self.postgres.sql(ledger.read("sql").decode(), name)

        def schema():
            text = self.postgres.sql("SELECT value FROM paycast.meta WHERE key = 'schema_version'", name)
            return tuple(map(int, text.split()))

        return self.postgres.url(name), schema

    def serve(self, ledger, name, database, program=None):
        shop = ledger.serve(self.folder / f"{ledger.version} {name}", database, program)
        self.addCleanup(shop.kill)
        return shop

    def check_answers(self, ledger, shop):
        self.assertEqual("\n".join(lost(ledger.told["answers"], shop.answers())), "", "what was answered")

    def check_stores(self, shop):
        """What a store says is applied, and what it has said before is no news."""
        for user, store in SUBSCRIBERS.items():
            with self.subTest(store=store):
                self.assertEqual(shop.trigger(store, "renew", "--user", user), "applied")
        *_, first = shop.ask("GET", "/users/eric/events?bodies=true")["events"]
        body = first["body"].encode()
        secret = (shop.folder / ".paycast/purchasekit.key").read_text().strip().encode()
        signature = hmac.new(secret, body, hashlib.sha256).hexdigest()
        answer = shop.ask("POST", "/webhooks/purchasekit", body, X_PurchaseKit_Signature=signature)
        self.assertEqual(answer["outcome"], "duplicate")

    def test_every_release_has_left_one(self):
        self.assertTrue(kept(), "make one: .ci/release ledger VERSION")

    def test_each_is_opened(self):
        for ledger in kept():
            for place in (self.in_a_file, self.in_postgres):
                with self.subTest(version=ledger.version, place=place.__name__):
                    database, _ = place(ledger)
                    shop = self.serve(ledger, place.__name__, database)
                    self.check_answers(ledger, shop)
                    self.check_stores(shop)
                    self.assertTrue(shop.stop(), shop.log.read_text())

    def test_an_older_program_finds_the_newer_file(self):
        """It serves the ledger, or says that a newer version has changed it."""
        ledger = kept()[-1]
        database, schema = self.in_a_file(ledger)
        before = schema()
        self.assertTrue(self.serve(ledger, "new", database).stop())
        if schema() == before:
            self.check_answers(ledger, self.serve(ledger, "old", database, OLD))
        else:
            self.check_refusal(ledger, database)

    def test_an_older_program_runs_beside_the_newer(self):
        """It goes on, or drains and does not start again, as the newer tables ask for."""
        ledger = kept()[-1]
        database, schema = self.in_postgres(ledger)
        known, _ = schema()
        old = self.serve(ledger, "old", database, OLD)
        new = self.serve(ledger, "new", database)
        self.check_answers(ledger, new)
        _, oldest = schema()
        if oldest <= known:
            order = old.ask("POST", "/orders", {"user": "late", "product": "paycast.maps"})["order"]
            self.assertEqual(new.ask("GET", f"/orders/{order}")["user"], "late")
        else:
            old.wait_for_log("ledger has a newer schema")
            self.assertEqual(old.process.wait(60), 0, old.log.read_text())
            self.check_refusal(ledger, database)
        self.check_stores(new)

    def check_refusal(self, ledger, database):
        with self.assertRaisesRegex(AssertionError, "newer"):
            ledger.serve(self.folder / "refused", database, OLD)


if __name__ == "__main__":
    unittest.main()
