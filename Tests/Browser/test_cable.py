"""<turbo-cable-stream-source>, which speaks Action Cable: the stock client, and what `turbo_stream_from` prints."""

import json

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


def commands(page):
    """Every Action Cable command that the page sends from its next load on."""
    sent = []

    def note(socket):
        socket.on("framesent", lambda frame: sent.append(json.loads(frame)["command"]))

    page.on("websocket", note)
    return sent


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
    sent = commands(page)
    page.reload()
    expect(connected(page)).to_have_count(2)
    server.notice("ben", "for ben")
    server.notice("ana", "for ana")
    expect(page.locator("#notices li")).to_have_text(["for ben", "for ana"])
    assert sent == ["subscribe", "subscribe"]


def test_the_same_stream_twice_is_no_storm(server, open_page, cable_page):
    page = open_page(cable_page("ana", count=2))
    sent = commands(page)
    page.reload()
    expect(connected(page)).to_have_count(2)
    page.wait_for_timeout(3_000)
    assert len(sent) <= 3, sent
    server.trigger("SUBSCRIBED/INITIAL_BUY", "ana")
    expect(is_paid(page)).to_have_count(1)


@pytest.mark.parametrize("end", ["kill", "stop"])
@pytest.mark.parametrize("head, wait", [("", 25_000), (SCRIPT, 6_000)], ids=["stock", "script"])
def test_the_end_of_the_server_is_survived(server, open_page, cable_page, head, wait, end):
    page = open_page(cable_page("ana", head=head), outages=True)
    expect(connected(page)).to_have_count(1)
    getattr(server, end)()
    expect(connected(page)).to_have_count(0)
    server.start()
    server.trigger("SUBSCRIBED/INITIAL_BUY", "ana")
    # The stock client comes back after 6 to 18 seconds.
    expect(is_paid(page)).to_be_visible(timeout=wait)
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
    sent = commands(page)
    page.reload()
    page.wait_for_timeout(2_000)
    assert sent == ["subscribe"]
    expect(connected(page)).to_have_count(0)
