"""The demo's phone: an app with a web view that buys from the App Store.

Apple and the app are played by the demo. The page in the web view, its script, the routes and the stream are the real ones.
"""

import re

import pytest
from playwright.sync_api import expect

DESKTOP, NARROW = {"width": 1280, "height": 800}, {"width": 390, "height": 844}
ANNUAL, MONTHLY = "paycast.pro.annual", "paycast.pro.monthly"


class Phone:
    """A visitor's page, and the phone on it."""

    def __init__(self, page):
        self.page = page
        self.app = page.frame_locator("#phone iframe")
        self.sheet = page.locator("#sheet")
        self.buy = self.app.locator("#paywall [data-paycast-buy]")
        self.waiting = page.locator("#waiting li")
        self.timeline = page.locator("#timeline li")

    def choose(self, name, value):
        """One of the controls around the phone."""
        expect(self.page.locator("#world-panel")).to_be_visible()
        self.page.locator(f"#world [name={name}][value={value}]").check(force=True)

    def tap(self):
        expect(self.app.locator("html[data-bridge-components=paywall]")).to_have_count(1)
        self.buy.click()

    def pay(self):
        self.tap()
        self.sheet.locator("[data-slot=confirm]").click()
        expect(self.sheet).to_be_hidden()

    def press(self, name):
        self.page.get_by_role("button", name=name, exact=True).click()

    def is_in(self, text="Welcome to Pro"):
        """The phone's page has the success card."""
        expect(self.app.locator("#paywall")).to_contain_text(text)

    def offers(self, state=None, text=""):
        """The phone's page has the offers, in this state, with this sentence."""
        if state is None:
            expect(self.buy).not_to_have_attribute("data-paycast-state", re.compile("."))
        else:
            expect(self.buy).to_have_attribute("data-paycast-state", state)
        expect(self.app.locator("[data-paycast-status]")).to_contain_text(text)

    def happened(self, *lines):
        """The timeline has these lines in this order, perhaps with others between them."""
        pattern = ".*".join(re.escape(line) for line in lines)
        expect(self.page.locator("#timeline")).to_have_text(re.compile(pattern, re.DOTALL))

    def disk(self):
        """What the phone keeps, by file."""
        return self.page.evaluate(
            """() => Object.fromEntries(Object.keys(sessionStorage).filter(key => key.startsWith("paycast-demo/"))
                .map(key => [key.split("/").at(-1), JSON.parse(sessionStorage[key])]))"""
        )

    def is_settled(self):
        """Nothing is kept any more: the store has been told that the transaction is finished."""
        self.happened("finishes the transaction")
        disk = self.disk()
        assert not disk.get("outbox") and not disk.get("unfinished"), disk


def in_browser(page, text="Welcome to Pro"):
    """The page beside the phone has the success card."""
    expect(page.locator("#paywall")).to_contain_text(text)


@pytest.fixture
def open_phone(server, open_page):
    def open_phone(query="", **options):
        return Phone(open_page(server.url + query, **{"viewport": DESKTOP} | options))

    return open_phone


@pytest.fixture
def phone(open_phone):
    return open_phone()


def events(server, user="demo"):
    return [event["type"] for event in server.request("GET", f"/users/{user}/events")["events"]]


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
    expect(phone.sheet).to_contain_text("Monthly")
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


@pytest.mark.parametrize("again", ["", "reload", "reopen"])
def test_airplane_mode_keeps_the_purchase(server, phone, screenshot, again):
    phone.choose("connection", "drops")
    phone.choose("webhook", "held")
    phone.pay()
    phone.offers("kept", "Your purchase is safe")
    expect(phone.page.locator("#phone[data-connection=airplane]")).to_be_visible()
    phone.happened("signs a transaction", "loses its connection", "keeps the purchase on its disk")
    if not again:
        screenshot(phone.page, "story-airplane-kept")
    if again:
        phone.page.reload() if again == "reload" else phone.press("Reopen the app")
        expect(phone.page.locator("#no-page")).to_be_visible()
    assert len(phone.disk()["outbox"]) == 1 and events(server) == []
    in_browser(phone.page, "See further with Pro")
    phone.choose("connection", "online")
    phone.is_in()
    in_browser(phone.page)
    phone.happened("is online again", "posts the transaction 200 applied", "finishes the transaction")
    phone.is_settled()
    if not again:
        screenshot(phone.page, "story-airplane-back")


def test_the_webhook_opens_other_pages_while_the_phone_is_offline(phone):
    phone.choose("connection", "drops")
    phone.pay()
    in_browser(phone.page)
    phone.happened("sends its webhook 200 applied")
    phone.offers("kept")
    phone.choose("connection", "online")
    phone.is_in("Pro")
    phone.happened("commits it, no page changes", "posts the transaction 200", "finishes the transaction")


def test_without_a_connection_nothing_is_sold(server, phone):
    phone.offers()
    phone.choose("connection", "airplane")
    phone.tap()
    phone.offers("offline", "There is no connection")
    expect(phone.sheet).to_be_hidden()
    assert events(server) == []


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


@pytest.mark.parametrize("way", ["new phone", "another page"])
def test_restoring_on_a_second_phone(open_phone, screenshot, way):
    """The first phone never gets its purchase to the server, and neither does Apple."""
    first = open_phone()
    first.choose("connection", "drops")
    first.choose("webhook", "held")
    first.pay()
    first.offers("kept")
    second = first
    if way == "new phone":
        first.press("Get a new phone")
        expect(first.page.locator("#phone[data-connection=online]")).to_be_visible()
    else:
        second = open_phone()
    second.offers()
    second.app.get_by_role("button", name="Restore purchases").click()
    second.is_in()
    in_browser(second.page)
    second.happened("asks for its purchases", "finds one purchase", "posts the transaction 200 applied")
    second.is_settled()
    if way == "new phone":
        screenshot(second.page, "story-restore")


def test_nothing_to_restore(phone):
    phone.app.get_by_role("button", name="Restore purchases").click()
    expect(phone.app.locator("[data-paycast-status]")).to_contain_text("There are no purchases to restore.")
    phone.happened("finds no purchases")


def test_a_server_in_trouble_gets_the_purchase_later(open_phone):
    phone = open_phone(outages=True)
    phone.choose("webhook", "held")
    answers = iter([503, None])

    def answer(route):
        status = next(answers, 200)
        if status is None:
            route.abort()
        elif status == 200:
            route.continue_()
        else:
            route.fulfill(status=status, json={"error": "busy", "message": "Later."}, headers={"Retry-After": "1"})

    phone.page.route("**/transactions/apple", answer)
    phone.pay()
    phone.happened("posts the transaction 503 busy")
    phone.offers("kept", "Your purchase is safe")
    phone.is_in()
    phone.happened("503 busy", "no answer", "200 applied", "finishes the transaction")


def test_an_answer_that_is_lost_is_asked_for_again(server, phone):
    """The app ends between the server's commit and its answer."""
    phone.choose("webhook", "held")
    lost = []
    phone.page.route("**/transactions/apple", lambda route: route.continue_() if lost else lost.append(route.fetch()))
    phone.pay()
    phone.is_in()
    assert len(phone.disk()["unfinished"]) == 1
    phone.press("Reopen the app")
    phone.happened("is quit and opened again", "posts the transaction 200 duplicate", "finishes the transaction")
    phone.is_settled()


def test_what_is_not_genuine_is_kept_and_never_finished(open_phone):
    phone = open_phone(outages=True)
    forge = {"signedTransaction": "not.a.transaction"}
    phone.choose("webhook", "held")
    phone.page.route(
        "**/transactions/apple",
        lambda route: route.continue_(post_data=forge | {"stream": route.request.post_data_json["stream"]}),
    )
    phone.pay()
    phone.offers("kept")
    phone.happened("posts the transaction 400")
    disk = phone.disk()
    assert len(disk["outbox"]) == len(disk["unfinished"]) == 1


def test_a_sheet_speaks_the_apps_language(open_phone, screenshot):
    phone = open_phone("/?locale=de")
    phone.tap()
    expect(phone.sheet).to_contain_text(re.compile(r"Verlängert sich für 79,99\s\$ im Jahr"))
    phone.offers("buying", "Warten auf den Store")
    screenshot(phone.page, "story-german")
    phone.sheet.get_by_role("button", name="Abonnieren", exact=True).click()
    phone.is_in("Willkommen bei Pro")


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
