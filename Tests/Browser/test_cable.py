"""<turbo-cable-stream-source>, which speaks Action Cable: the stock client, and what `turbo_stream_from` prints."""

import json
import time

import pytest
from playwright.sync_api import expect

from conftest import visit

SCRIPT = '<script type="module" src="/paycast.js"></script>'


@pytest.fixture
def cable_page(server, app_page):
    def cable_page(user, count=1, **options):
        return app_page(user, "cable", source=server.cable_source(user) * count, **options)

    return cable_page


def connected(page):
    return page.locator("turbo-cable-stream-source[connected]")


def is_paid(page):
    return page.locator("#paywall[data-state=active]")


class Traffic:
    """The sockets that a page opens from its next load on, the commands that it sends, and the types of what it hears.

    The stock client repeats a command that is not answered within half a second.
    """

    def __init__(self, page):
        self.sockets, self.sent, self.heard = 0, [], []
        page.on("websocket", self.note)

    def note(self, socket):
        self.sockets += 1
        socket.on("framesent", lambda frame: self.sent.append(json.loads(frame)["command"]))
        socket.on("framereceived", lambda frame: self.heard.append(json.loads(frame).get("type")))


# The stock client no longer opens a lost connection again by itself.
STOP_STOCK_MONITOR = """
    document.querySelector("turbo-cable-stream-source").subscription.consumer
        .connection.monitor.constructor.staleThreshold = 1e9
"""


def test_a_payment_swaps_the_page(server, open_page, cable_page, screenshot):
    page = open_page(cable_page("ana"))
    expect(connected(page)).to_have_count(1)
    server.trigger("SUBSCRIBED/INITIAL_BUY", "ana")
    expect(is_paid(page)).to_contain_text("Welcome")
    expect(page.locator("#subscription_status[data-state=active]")).to_be_visible()
    assert page.evaluate("window.hasNotReloaded")
    screenshot(page, "app-cable-after")


def test_what_was_committed_between_rendering_and_subscribing_arrives(server, open_page, cable_page):
    address = cable_page("ana")
    server.notice("ana", "between")
    page = open_page(address)
    expect(page.locator("#notices li")).to_have_text(["between"])


def test_two_streams_share_one_socket(server, open_page, app_page):
    page = open_page(app_page("ana", "cable", source=server.cable_source("ana") + server.cable_source("ben")))
    traffic = Traffic(page)
    page.reload()
    expect(connected(page)).to_have_count(2)
    server.notice("ben", "for ben")
    server.notice("ana", "for ana")
    expect(page.locator("#notices li")).to_have_text(["for ben", "for ana"])
    assert traffic.sockets == 1 and set(traffic.sent) == {"subscribe"}


def test_the_same_stream_twice_is_no_storm(server, open_page, cable_page):
    page = open_page(cable_page("ana", count=2))
    traffic = Traffic(page)
    page.reload()
    expect(connected(page)).to_have_count(2)
    sent = list(traffic.sent)
    page.wait_for_timeout(3_000)
    assert traffic.sent == sent and set(sent) == {"subscribe"}
    server.trigger("SUBSCRIBED/INITIAL_BUY", "ana")
    expect(is_paid(page)).to_have_count(1)


@pytest.mark.parametrize("end", ["kill", "stop"])
@pytest.mark.parametrize("head", ["", SCRIPT], ids=["stock", "script"])
def test_the_end_of_the_server_is_survived(server, open_page, cable_page, head, end):
    page = open_page(cable_page("ana", head=head), outages=True)
    expect(connected(page)).to_have_count(1)
    if head:
        page.evaluate(STOP_STOCK_MONITOR)
    getattr(server, end)()
    expect(connected(page)).to_have_count(0)
    server.start()
    server.trigger("SUBSCRIBED/INITIAL_BUY", "ana")
    # The stock client comes back after 6 to 18 seconds.
    expect(is_paid(page)).to_be_visible(timeout=40_000)
    expect(connected(page)).to_have_count(1)
    assert page.evaluate("window.hasNotReloaded")


def test_turbo_follows_links_and_comes_back(server, open_page, cable_page):
    address, other = cable_page("ana"), cable_page("ben")
    page = open_page(address)
    expect(connected(page)).to_have_count(1)
    visit(page, other)
    expect(connected(page)).to_have_count(1)
    server.trigger("SUBSCRIBED/INITIAL_BUY", "ana")
    page.go_back()
    page.wait_for_url(address)
    expect(connected(page)).to_have_count(1)
    expect(is_paid(page)).to_be_visible()
    assert page.evaluate("window.hasNotReloaded")


def test_a_link_to_a_page_with_the_same_stream_keeps_it(server, open_page, cable_page):
    address, other = cable_page("ana"), cable_page("ana", name="account")
    page = open_page(address)
    expect(connected(page)).to_have_count(1)
    for url in [other, address, other]:
        visit(page, url)
        expect(connected(page)).to_have_count(1)
    server.trigger("SUBSCRIBED/INITIAL_BUY", "ana")
    expect(is_paid(page)).to_be_visible()


def test_a_forged_name_is_rejected_and_asked_for_no_more(server, open_page, app_page):
    forged = server.cable_source("ana").replace('signed-stream-name="', 'signed-stream-name="x')
    page = open_page(app_page("ana", "cable", source=forged))
    traffic = Traffic(page)
    page.reload()
    deadline = time.monotonic() + 40
    while "reject_subscription" not in traffic.heard and time.monotonic() < deadline:
        page.wait_for_timeout(50)
    assert "reject_subscription" in traffic.heard
    sent = list(traffic.sent)
    page.wait_for_timeout(2_000)
    assert traffic.sent == sent and set(sent) == {"subscribe"}
    expect(connected(page)).to_have_count(0)
