"""The demo's phone: an app with a web view that buys from the App Store.

Apple and the app are played by the demo. The page in the web view, its script, the routes and the stream are the real ones.
"""

import re

import pytest
from playwright.sync_api import expect

from phone import events, in_browser
from server import PLANS

CATALOG = PLANS

DESKTOP, NARROW = {"width": 1280, "height": 800}, {"width": 390, "height": 844}
ANNUAL, MONTHLY = "paycast.pro.annual", "paycast.pro.monthly"


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("look", [DESKTOP, NARROW], ids=["desktop", "narrow"])
def test_buying(open_phone, screenshot, look, scheme):
    phone = open_phone(viewport=look, color_scheme=scheme)
    name = f"story-buy-{'desktop' if look == DESKTOP else 'narrow'}-{scheme}"
    phone.tap()
    expect(phone.sheet).to_contain_text("Renews for $79.99 a year")
    phone.offers("buying", "Waiting for the store")
    screenshot(phone.page, f"{name}-sheet")
    phone.sheet.locator("[data-slot=confirm]").click()
    phone.is_in()
    in_browser(phone.page)
    phone.happened(
        "asks for Annual",
        "shows the payment sheet",
        "signs a transaction",
        "commits",
        "posts the transaction 200 applied",
        "finishes the transaction",
        "commits it, no page changes",
        "sends its webhook 200 applied",
    )
    phone.happened("changes on the phone")
    phone.happened("changes in the browser")
    phone.is_settled()
    assert phone.page.evaluate("window.hasNotReloaded")
    assert phone.page.evaluate("document.documentElement.scrollWidth <= innerWidth"), "scrolls sideways"
    screenshot(phone.page, f"{name}-done")


def test_the_first_view_shows_the_whole_phone(phone):
    expect(phone.page.locator("#phone")).to_be_in_viewport(ratio=1)
    expect(phone.page.locator("#world")).to_be_in_viewport(ratio=1)
    expect(phone.app.locator("#paywall [data-paycast-restore]")).to_be_visible()
    # In the browser, the same markup is an ordinary form.
    expect(phone.page.locator("#paywall [data-paycast-restore]")).to_be_hidden()


def test_the_server_commits_one_purchase_once(server, phone):
    phone.pay()
    phone.happened("sends its webhook 200")
    phone.is_settled()
    order = phone.app.locator(".app-body").get_attribute("data-paycast-order")
    (purchase,) = server.request("GET", f"/orders/{order}")["purchases"]
    assert purchase["product"] == ANNUAL and purchase["user"] == "demo"


def test_a_phone_works_with_the_keyboard_alone(phone):
    phone.app.get_by_role("radio", name="Monthly").focus()
    phone.page.keyboard.press("Space")
    phone.page.keyboard.press("Enter")
    confirm = phone.sheet.locator("[data-slot=confirm]")
    expect(confirm).to_be_focused()
    dialog = phone.page.get_by_role("dialog", name="App Store Northlight Pro, Monthly")
    expect(dialog).to_have_attribute("aria-modal", "true")
    for slot in ["cancel", "confirm"]:
        phone.page.keyboard.press("Tab")
        expect(phone.sheet.locator(f"[data-slot={slot}]")).to_be_focused()
    phone.page.keyboard.press("Escape")
    phone.offers("cancelled")
    phone.buy.focus()
    phone.page.keyboard.press("Enter")
    expect(confirm).to_be_focused()
    phone.page.keyboard.press("Enter")
    phone.is_in()
    expect(phone.app.locator("#paywall h2")).to_be_focused()
    expect(phone.page.locator(f"#subscription_status[data-product='{MONTHLY}']")).to_be_visible()


def test_cancelling(server, phone, screenshot):
    phone.tap()
    phone.sheet.locator("[data-slot=cancel]").click()
    phone.offers("cancelled", "The purchase was cancelled.")
    phone.happened("cancels")
    screenshot(phone.page, "story-cancel")
    assert events(server) == [] and not phone.disk().get("outbox")
    # And it can be bought all the same.
    phone.pay()
    phone.is_in()


@pytest.mark.parametrize("again", ["", "reload", "reopen"])
def test_ask_to_buy_is_approved_later(phone, screenshot, again):
    phone.choose("parent", "on")
    phone.tap()
    expect(phone.sheet).to_contain_text("has to approve")
    phone.sheet.get_by_role("button", name="Ask", exact=True).click()
    phone.offers("pending", "Waiting for approval")
    in_browser(phone.page, "See further with Pro")
    if not again:
        screenshot(phone.page, "story-ask-pending")
    if again == "reload":
        phone.page.reload()
    if again == "reopen":
        phone.press("Reopen the app")
    phone.offers("pending", "Waiting for approval")
    phone.press("Approve")
    phone.is_in()
    in_browser(phone.page)
    phone.happened("hears yes", "signs a transaction", "posts the transaction 200 applied")
    phone.is_settled()
    if not again:
        screenshot(phone.page, "story-ask-approved")


def test_a_refusal_leaves_the_offers(server, phone):
    phone.choose("parent", "on")
    phone.pay()
    phone.press("Decline")
    phone.happened("hears no, and tells the app nothing")
    expect(phone.waiting).to_have_count(0)
    phone.offers("pending")
    assert events(server) == []
    phone.page.locator("#world [name=parent]").uncheck(force=True)
    phone.pay()
    phone.is_in()


def test_the_webhook_comes_first(phone, screenshot):
    phone.choose("webhook", "first")
    phone.pay()
    phone.is_in()
    in_browser(phone.page)
    phone.happened(
        "signs a transaction",
        "commits",
        "sends its webhook 200 applied",
        "commits it, no page changes",
        "posts the transaction 200",
        "finishes the transaction",
    )
    phone.is_settled()
    screenshot(phone.page, "story-webhook-first")


@pytest.mark.parametrize("again", [False, True], ids=["", "reload"])
def test_the_webhook_comes_late(phone, screenshot, again):
    phone.choose("webhook", "held")
    phone.pay()
    phone.is_in()
    in_browser(phone.page)
    phone.happened("holds its webhook back", "posts the transaction 200 applied", "finishes the transaction")
    if again:
        phone.page.reload()
    phone.press("Send it")
    phone.happened("sends its webhook 200 applied")
    expect(phone.waiting).to_have_count(0)
    in_browser(phone.page, "Pro")
    if not again:
        screenshot(phone.page, "story-webhook-late")


def test_a_sheet_speaks_the_apps_language(open_phone, screenshot):
    phone = open_phone("/?locale=de")
    phone.tap()
    expect(phone.sheet).to_contain_text(re.compile(r"Verlängert sich für 79,99\s\$ im Jahr"))
    phone.offers("buying", "Warten auf den Store")
    screenshot(phone.page, "story-german")
    phone.sheet.get_by_role("button", name="Abonnieren", exact=True).click()
    phone.is_in("Willkommen bei Pro")
    phone.choose("connection", "airplane")
    phone.press("Reopen the app")
    expect(phone.page.locator("#no-page")).to_contain_text("Keine Verbindung.")


def test_the_phone_is_a_page_without_an_app_elsewhere(server, open_page):
    """Opened by itself there is no bridge, and the form is the demo's."""
    page = open_page(f"{server.url}/?device=phone")
    expect(page.locator("html[data-bridge-components]")).to_have_count(0)
    page.get_by_role("button", name="Subscribe", exact=True).click()
    in_browser(page)


def test_what_was_bought_here_can_be_changed_there(phone):
    """The store's other notifications are about the same contract."""
    phone.pay()
    phone.is_in()
    phone.is_settled()
    phone.page.locator("#store button[value=refund]").click()
    phone.is_in("Your purchase was taken back")
    phone.app.get_by_role("button", name="Restore purchases").click()
    expect(phone.app.locator("[data-paycast-status]")).to_contain_text("There are no purchases to restore.")
    phone.pay()
    phone.is_in("Pro")
    expect(phone.page.locator("#subscription_status[data-state=active]")).to_be_visible()
