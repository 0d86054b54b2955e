"""A ledger in which something of each kind has happened, for pages of the console that show it."""

import urllib.request

from console import ask, console_server, deliver
from ports import ReservedPort

# No order has this token.
UNKNOWN_ORDER = "8f14e45f-ceea-467f-a0e6-2f2b5d1c0a11"
BUSY, EMPTY = "ana@example.com", "nobody/at all?"


class Office:
    def __init__(self, folder):
        # Nothing listens there: its messages fail.
        self.backend = ReservedPort()
        address = f"http://127.0.0.1:{self.backend.number}/paycast"
        self.server = console_server(folder, {"PAYCAST_HOOK_URLS": address})
        self.url = self.server.url
        bought = deliver(self.server, "apple", "initial", "--user", BUSY, "--product", "paycast.pro.monthly")
        self.event = bought["event"]
        deliver(self.server, "apple", "cancel", "--user", BUSY)
        deliver(self.server, "apple", "resume", "--user", BUSY, "--stale")
        deliver(self.server, "stripe", "initial", "--user", BUSY, "--environment", "Production")
        deliver(self.server, "google", "initial", "--user", "ben", "--duplicate", "3")
        deliver(self.server, "google", "refund", "--user", "ben")
        self.unclaimed = deliver(self.server, "apple", "initial", "--order", UNKNOWN_ORDER)["event"]
        self.quarantined = self.contradiction()
        deliver(self.server, "apple", "CONSUMPTION_REQUEST", "--user", "dora", "--product", "paycast.pro.annual")
        self.refund = self.server.request("GET", "/attention")["refunds"][0]["transaction"]
        grant = self.server.request(
            "POST", f"/users/{BUSY}/grants", {"product": "pro.annual", "days": 30, "reason": "a good customer"}
        )
        self.grant = grant["grant"]
        ask(self.server, "/webhooks/apple", b"{}")
        ask(self.server, "/webhooks/stripe", b"{}", Stripe_Signature="t=1,v1=0")
        self.open_page(BUSY)
        self.server.wait_for_log("hook")
        self.delivery = self.server.request("GET", f"/hooks/deliveries?user={BUSY}")["deliveries"][0]["id"]

    def contradiction(self):
        """The event of a purchase whose order was made for another store."""
        order = self.server.request("POST", "/orders", {"user": "cem", "product": "pro", "provider": "google"})
        return deliver(self.server, "apple", "initial", "--order", order["order"])["event"]

    def open_page(self, user):
        self.page = urllib.request.urlopen(self.server.stream(user)["sse"], timeout=60)
        self.page.readline()

    def stop(self):
        self.page.close()
        self.backend.close()
        self.server.stop()
