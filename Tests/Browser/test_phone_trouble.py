"""What the demo's phone keeps, and brings to the server later."""

import pytest
from playwright.sync_api import expect

from phone import events, in_browser
from server import PLANS

CATALOG = PLANS


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
    phone.offers("refused", "could not be verified")
    phone.happened("posts the transaction 400")
    disk = phone.disk()
    assert len(disk["outbox"]) == len(disk["unfinished"]) == 1
    phone.press("Reopen the app")
    phone.offers("refused", "could not be verified")
