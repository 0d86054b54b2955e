"""A server that is away for some seconds, and pages of another origin with Server-Sent Events, in three engines.

Firefox closes such a source for good when one retry is refused, and every engine does at a proxy's 502. Both are cured by
`paycast.js`; the documentation's example of a proxy needs no script.
"""

import shutil
import time
from contextlib import ExitStack
from dataclasses import dataclass

import pytest
from examples import NginxExample

from browsers import Chromium, Firefox, WebKit
from certificates import certificate
from places import App, Nginx, Route
from program import ROOT
from server import Server

PROGRAMS = {"chromium": Chromium, "firefox": Firefox, "webkit": WebKit}


@dataclass(frozen=True)
class Outage:
    browser: str
    # What answers while the server is away: nobody, a proxy with 502, or the documentation's with an event stream.
    way: str
    # While the server is away; its script then comes from the app.
    is_opened_late: bool = False
    kind: str = "sse"

    def __str__(self):
        return f"{self.browser}-{self.way}{'-late' if self.is_opened_late else ''}"


OUTAGES = [
    Outage(browser, way, is_late) for browser in PROGRAMS for way in ("refused", "502", "example") for is_late in (0, 1)
]


class Scenario:
    def __init__(self, folder, stack):
        def start(kind, name, *arguments):
            (folder / name).mkdir()
            place = kind(folder / name, *arguments)
            stack.callback(place.stop)
            return place

        self.app = start(App, "app")
        self.server = start(Server, "server", {"PAYCAST_ALLOWED_ORIGINS": self.app.origin})
        (folder / "certificate").mkdir()
        example = NginxExample(folder / "example", self.server.port, *certificate(folder / "certificate"))
        stack.callback(example.kill)
        self.routes = {
            "refused": Route(self.server),
            "502": Route(self.server, start(Nginx, "nginx", self.server.port).url),
            "example": Route(self.server, f"https://127.0.0.1:{example.port}"),
        }
        self.browsers = {name: start(kind, name) for name, kind in PROGRAMS.items()}
        shutil.copy(ROOT / "public" / "paycast.js", folder / "app")
        self.pages = {case: self.app.page(case, self.routes[case.way], self.script(case)) for case in OUTAGES}

    def script(self, case):
        if case.way == "example":
            return ""
        return "/paycast.js" if case.is_opened_late else f"{self.server.url}/paycast.js"

    def open(self, cases):
        for case in cases:
            browser = self.browsers[case.browser]
            browser.pages[case] = browser.show(self.pages[case])

    def report(self, case):
        return self.browsers[case.browser].report(case)

    def wait(self, cases, condition, seconds):
        """Waits until all these pages meet the condition or the time is up: each page has a test."""
        deadline = time.monotonic() + seconds
        for case in cases:
            self.browsers[case.browser].wait(case, condition, deadline)

    def tell(self, cases, text):
        for case in cases:
            self.server.notice(str(case), text)


@pytest.fixture(scope="module")
def scenario(tmp_path_factory):
    with ExitStack() as stack:
        scenario = Scenario(tmp_path_factory.mktemp("outage"), stack)
        late = [case for case in OUTAGES if case.is_opened_late]
        early = [case for case in OUTAGES if not case.is_opened_late]
        scenario.open(early)
        scenario.wait(early, lambda report: report.ready, 180)
        scenario.tell(early, "before")
        scenario.wait(early, lambda report: report.notices == ["before"], 120)
        scenario.server.kill()
        scenario.open(late)
        # Each page has tried again at least once, and failed.
        scenario.wait(OUTAGES, lambda report: len(report.lost) > 1, 180)
        scenario.server.start()
        scenario.tell(OUTAGES, "after")
        scenario.wait(OUTAGES, lambda report: "after" in report.notices, 180)
        yield scenario


@pytest.mark.parametrize("case", OUTAGES, ids=str)
def test_a_page_comes_back(scenario, case):
    report = scenario.report(case)
    assert len(report.lost) > 1
    assert report.notices == (["after"] if case.is_opened_late else ["before", "after"])
