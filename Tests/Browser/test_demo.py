"""The page that `serve --dev` shows first."""

import pytest
from playwright.sync_api import expect

LOOKS = {"desktop": {"width": 1280, "height": 900}, "phone": {"width": 390, "height": 844}}

# Each button in the page's order, and the state that the buyer's page shows after it.
STORE = [
    ("Renew", "active"),
    ("Turn renewal off", "cancelled"),
    ("Turn it on", "active"),
    ("Billing failure (grace)", "in_grace_period"),
    ("Recover", "active"),
    ("Expire", "expired"),
    ("Refund", "revoked"),
    ("Refund reversed", "active"),
    ("Upgrade", "active"),
]


def status(page, state):
    return page.locator(f"#subscription_status[data-state={state}]")


def subscribe(page):
    page.get_by_role("button", name="Subscribe", exact=True).click()
    expect(status(page, "active")).to_be_visible()


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("look", LOOKS)
def test_subscribing_swaps_the_paywall(server, open_page, screenshot, look, scheme):
    page = open_page(server.url, viewport=LOOKS[look], color_scheme=scheme)
    expect(page.locator("#live")).to_have_text("live")
    screenshot(page, f"demo-{look}-{scheme}-before")
    subscribe(page)
    expect(page.locator("#paywall")).to_contain_text("Welcome to Pro")
    expect(page.locator("#events .event").first).to_contain_text("SUBSCRIBED")
    assert page.evaluate("window.hasNotReloaded")
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), "scrolls sideways"
    screenshot(page, f"demo-{look}-{scheme}-after")


def test_works_with_the_keyboard_alone(server, open_page):
    page = open_page(server.url)
    expect(page.locator("#live")).to_have_text("live")
    button = page.get_by_role("button", name="Subscribe", exact=True)
    for _ in range(20):
        page.keyboard.press("Tab")
        if button.evaluate("button => button === document.activeElement"):
            break
    expect(button).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.locator("#paywall h2")).to_be_focused()
    expect(page.locator("#paywall")).to_contain_text("Welcome to Pro")


def test_every_button_of_the_store_is_answered_and_shown(server, open_page):
    page = open_page(server.url)
    subscribe(page)
    assert page.locator("button[data-store]").all_inner_texts() == [name for name, _ in STORE]
    for count, (name, state) in enumerate(STORE, start=2):
        page.get_by_role("button", name=name, exact=True).click()
        expect(page.locator("#events .event")).to_have_count(count)
        expect(page.locator("#answer")).to_have_attribute("data-tone", "good")
        expect(status(page, state)).to_be_visible()
    assert page.evaluate("window.hasNotReloaded")


def test_changes_are_announced(server, open_page):
    page = open_page(server.url)
    assert page.locator("[aria-live=polite] #subscription_status, #subscription_status[aria-live=polite]").count() == 1
    subscribe(page)
    expect(page.locator("#subscription_status")).to_have_attribute("aria-live", "polite")


def test_a_reload_shows_what_the_page_showed(server, open_page):
    page = open_page(server.url)
    subscribe(page)
    page.reload()
    expect(status(page, "active")).to_be_visible()
    expect(page.locator("#paywall")).to_contain_text("Pro")
