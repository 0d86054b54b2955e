"""The console's live list, as somebody reads it: it grows, waits under the hand, pauses without loss, and stays short."""

import pytest
from playwright.sync_api import expect


@pytest.fixture
def live(server, open_page):
    def live(filters=""):
        page = open_page(f"{server.url}/console/enter?next=/console/live{filters}")
        expect(page.locator("h1")).to_have_text("Events as they come")
        page.mouse.move(0, 0)
        return page

    return live


def rows(page):
    return page.locator("#live-rows tr")


def test_the_list_grows_and_filters_stay_in_its_address(server, live):
    page, stripe = live(), live("?provider=stripe")
    server.trigger("SUBSCRIBED/INITIAL_BUY", "ana")
    expect(rows(page)).to_have_count(1)
    expect(rows(page).first).to_contain_text("SUBSCRIBED INITIAL_BUY")
    server.trigger("DID_RENEW", "ana")
    expect(rows(page).first).to_contain_text("DID_RENEW")
    expect(rows(stripe)).to_have_count(0)
    rows(page).first.get_by_role("link", name="DID_RENEW").click()
    expect(page.locator("h1")).to_have_text("DID_RENEW")


def test_nothing_jumps_under_the_readers_hand(server, live):
    server.trigger("SUBSCRIBED/INITIAL_BUY", "ana")
    page = live()
    rows(page).first.hover()
    server.trigger("DID_RENEW", "ana")
    expect(page.locator("#live-counter")).to_have_text("1 new")
    expect(rows(page)).to_have_count(1)
    page.get_by_role("button", name="Show them").click()
    expect(rows(page)).to_have_count(2)
    expect(page.locator("#live-counter")).to_have_text("")


def test_a_pause_loses_nothing(server, live):
    page = live()
    server.trigger("SUBSCRIBED/INITIAL_BUY", "ana")
    expect(rows(page)).to_have_count(1)
    page.get_by_role("button", name="Pause").click()
    page.mouse.move(0, 0)
    server.trigger("DID_RENEW", "ana")
    page.wait_for_timeout(1_000)
    expect(rows(page)).to_have_count(1)
    page.get_by_role("button", name="Go on").click()
    page.mouse.move(0, 0)
    expect(rows(page)).to_have_count(2)
    expect(rows(page).first).to_contain_text("DID_RENEW")


def test_a_long_list_stays_short(server, live):
    page = live()
    page.evaluate(
        """() => {
            const rows = Array.from({ length: 300 }, (_, number) => `<tr id="event-x-${number}"><td>${number}</td></tr>`)
            const streams = rows.map((row) =>
                `<turbo-stream action="prepend" target="live-rows"><template>${row}</template></turbo-stream>`)
            document.body.insertAdjacentHTML("beforeend", streams.join(""))
        }"""
    )
    expect(rows(page)).to_have_count(200)
    expect(rows(page).first).to_have_text("299")
