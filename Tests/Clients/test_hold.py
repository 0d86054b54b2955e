"""Pages that other people's clients hold for longer than Paycast's and the proxy's deadlines receive a payment."""

import pytest

from cases import BROWSERS, CASES, KINDS, Case
from hold import LAST, SECONDS


@pytest.mark.parametrize("case", CASES, ids=str)
def test_a_page_lives_and_is_told(held, case):
    report = held.report(case)
    assert report.ready
    assert report.lost == []
    assert report.opened == 1
    # All of it once and in order, and nothing that was for another user.
    numbers = range(1, LAST + 1) if case.pace == "busy" else [LAST]
    assert report.notices == [f"{case} {number}" for number in numbers]
    if case.route != "tls":
        assert report.paid


@pytest.mark.parametrize("route, through", [("direct", ("direct", "nginx")), ("tls", ("tls",))])
def test_the_server_had_all_pages_all_the_time(held, route, through):
    expected = {kind: sum(case.kind == kind and case.route in through for case in CASES) for kind in KINDS}
    seen = [{kind: counts[route].get(kind) for kind in KINDS} for counts in held.counts]
    assert seen == [expected] * SECONDS


def test_the_proxy_saw_no_page_end(held):
    assert held.ended == []


@pytest.fixture(scope="module")
def restarted(held):
    """The same pages, after the servers ended and started again."""
    for server in held.servers():
        server.stop()
        server.start()
    cases = [Case(browser, "sse", route, "idle") for browser in BROWSERS for route in ("direct", "tls")]
    held.tell(LAST + 1, cases)
    held.wait(cases, lambda report: held.has_heard(report, LAST + 1), 180)
    return held


@pytest.mark.parametrize("route", ["direct", "tls"])
@pytest.mark.parametrize("browser", BROWSERS)
def test_an_event_source_comes_back(restarted, browser, route):
    """As the standard says: only an answer that is no event stream, such as a proxy's 502, ends one for good."""
    case = Case(browser, "sse", route, "idle")
    report = restarted.report(case)
    assert report.notices == [f"{case} {number}" for number in (LAST, LAST + 1)]
    assert report.opened > 1
