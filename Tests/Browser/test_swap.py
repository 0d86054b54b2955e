"""A payment changes the page: stock Turbo, no code of ours, no reload."""

import pytest
from playwright.sync_api import expect


@pytest.mark.parametrize("transport", ["sse", "websocket"])
def test_a_payment_swaps_the_page(server, open_page, app_page, screenshot, transport):
    page = open_page(app_page("ana", transport))
    expect(page.locator("#paywall")).to_have_text("Offers")
    screenshot(page, f"app-{transport}-before")
    server.trigger("SUBSCRIBED/INITIAL_BUY", "ana")
    expect(page.locator("#paywall[data-state=active]")).to_contain_text("Welcome")
    expect(page.locator("#subscription_status[data-state=active]")).to_be_visible()
    assert page.evaluate("window.hasNotReloaded")
    screenshot(page, f"app-{transport}-after")


def test_every_page_of_the_buyer_swaps_and_nobody_elses(server, open_page, app_page):
    address = app_page("ana")
    tabs = [open_page(address), open_page(address)]
    other = open_page(app_page("ben"))
    server.trigger("SUBSCRIBED/INITIAL_BUY", "ana")
    for tab in tabs:
        expect(tab.locator("#paywall[data-state=active]")).to_be_visible()
    # What comes after the payment has arrived, so the payment itself would have.
    fence = '<turbo-stream action="update" target="fence"><template>reached</template></turbo-stream>'
    server.broadcast("ben", fence)
    expect(other.locator("#fence")).to_have_text("reached")
    expect(other.locator("#paywall")).to_have_text("Offers")


def test_a_page_that_opens_late_shows_the_newest_state(server, open_page, app_page):
    address = app_page("ana")
    server.trigger("SUBSCRIBED/INITIAL_BUY", "ana")
    page = open_page(address)
    expect(page.locator("#paywall[data-state=active]")).to_be_visible()
