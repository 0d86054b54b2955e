"""Opens all pages at once, holds them for the window, broadcasts a payment, and asks each for its state."""

import re
import time
import urllib.request

from browsers import Chromium, Firefox, WebKit
from cases import CASES, CLIENTS, Report
from readers import Curl, CurlHTTP2, Websockets
from certificates import UNVERIFIED

# Longer than any of Paycast's deadlines, and than a proxy's 60 s.
SECONDS = 75
# What every page is told after it.
LAST = SECONDS + 1
PROGRAMS = {
    "chromium": Chromium,
    "firefox": Firefox,
    "webkit": WebKit,
    "websockets": Websockets,
    "curl": Curl,
    "curl-http2": CurlHTTP2,
}


def pages(server):
    """The number of open pages by transport, from the server's metrics."""
    request = urllib.request.Request(f"{server.url}/metrics", headers={"Authorization": f"Bearer {server.key}"})
    with urllib.request.urlopen(request, timeout=60, context=UNVERIFIED) as response:
        metrics = response.read().decode()
    return {kind: int(count) for kind, count in re.findall(r'^paycast_pages\{transport="(\w+)"\} (\d+)', metrics, re.M)}


class Hold:
    def __init__(self, folder, app, routes, proxy):
        self.routes, self.proxy = routes, proxy
        self.programs, self.failures, self.reports = {}, {}, {}
        # Each second, by server: how many pages it has.
        self.counts = []
        for client in CLIENTS:
            (folder / client).mkdir()
            self.guard(client, lambda: self.programs.update({client: PROGRAMS[client](folder / client)}))
        for case in CASES:
            self.guard(case.client, lambda: self.programs[case.client].open(case, routes[case.route], app))

    def run(self):
        """Holds the pages: idle ones receive nothing, busy ones a broadcast a second."""
        self.wait(CASES, lambda report: report.ready, 180)
        busy = [case for case in CASES if case.pace == "busy"]
        start = time.monotonic()
        for number in range(1, SECONDS + 1):
            self.tell(number, busy)
            self.counts.append({route: pages(self.routes[route].server) for route in ("direct", "tls")})
            # The test needs this pace: one broadcast a second, however long the requests took.
            time.sleep(max(0, start + number - time.monotonic()))
        for case in CASES:
            # `paycast trigger` does not trust a test's own certificate.
            if case.route != "tls":
                self.routes[case.route].server.trigger("SUBSCRIBED/INITIAL_BUY", str(case))
        self.tell(LAST, CASES)
        self.wait(CASES, lambda report: self.has_heard(report, LAST), 120)
        self.ended = self.proxy.ended()

    @staticmethod
    def has_heard(report, number):
        return any(notice.endswith(f" {number}") for notice in report.notices)

    def guard(self, client, work):
        """A client that fails makes only its own tests fail."""
        if client in self.failures:
            return
        try:
            work()
        except Exception as failure:
            self.failures[client] = failure

    def report(self, case) -> Report:
        """What the page said last."""
        if case.client in self.failures:
            raise self.failures[case.client]
        return self.reports[case]

    def wait(self, cases, condition, seconds):
        """Waits until all these pages meet the condition or the time is up: their tests tell which ones fail."""
        deadline = time.monotonic() + seconds
        for case in cases:
            self.guard(case.client, lambda: self.note(case, condition, deadline))

    def note(self, case, condition, deadline):
        self.reports[case] = self.programs[case.client].wait(case, condition, deadline)

    def servers(self):
        return {self.routes[case.route].server for case in CASES}

    def tell(self, number, cases):
        """One broadcast to each server, with another text for each page."""
        for server in self.servers():
            users = [str(case) for case in cases if self.routes[case.route].server is server]
            notice = {"action": "append", "target": "notices"}
            values = [{"user": user, "html": f"<li>{user} {number}</li>", **notice} for user in users]
            server.request("POST", "/broadcasts", values)

    def stop(self):
        for client, program in self.programs.items():
            self.guard(client, program.stop)
