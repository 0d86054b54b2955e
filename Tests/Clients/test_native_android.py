"""public/paycast-native.js in webviews whose app speaks the wire of Hotwire Native for Android: its script comes after the
page, messages are text, and the bridge is built anew when another screen takes the webview over."""

import pytest

from test_native import (  # noqa: F401: what holds on both systems
    test_a_cancelled_purchase_can_be_made_again,
    test_a_stream_may_come_before_the_answer,
    test_an_app_may_answer_twice,
    test_an_app_without_the_component,
    test_approval_comes_after_a_reload,
    test_restore,
)
from test_native_dropped import (  # noqa: F401
    test_a_tap_on_a_busy_button_finds_out_that_the_answer_was_lost,
    test_an_app_that_drops_everything,
)
from test_native_survival import (  # noqa: F401
    test_a_page_is_replaced_in_the_middle_of_a_purchase,
    test_a_reload_in_the_middle_of_a_purchase,
    test_an_answer_to_the_page_before,
    test_turbo_leaves_and_comes_back,
    test_two_purchases_in_flight,
)
from webview import BUSY, FREE


@pytest.fixture
def platform():
    return "android"


def test_products_have_the_names_of_google_play(webview):
    assert webview.run("document.documentElement.dataset.bridgePlatform") == "android"
    assert webview.sent("prices")[0]["products"][1] == {
        "product": "pro.monthly",
        "productId": "pro.monthly",
        "appleStoreProductId": "apple.monthly",
        "googleStoreProductId": "pro.monthly",
    }
    webview.press("monthly")
    assert webview.sent("purchase")[0]["productId"] == "pro.monthly"


PLANS = """<section id="paywall" data-paycast-order="{order}" data-paycast-stream="{stream}"{attributes}>
  <button id="annual" data-paycast-buy="annual" data-paycast-google-product="pro" data-paycast-google-base-plan="year">
    Annual <b data-paycast-price="annual"></b></button>
  <button id="monthly" data-paycast-buy="monthly" data-paycast-google-product="pro" data-paycast-google-base-plan="month">
    Monthly <b data-paycast-price="monthly"></b></button>
  <button id="team" data-paycast-buy="team" data-paycast-google-product="team" data-paycast-google-base-plan="year">
    Team <b data-paycast-price="team"></b></button>
</section>"""


def test_base_plans_of_one_product(open_webview, pages, order):
    webview = open_webview(paywall=pages.paywall(order, markup=PLANS))
    webview.run("native.prices = {'pro:year': '80 €', 'pro:month': '10 €', 'team:year': '200 €'}")
    webview.appear()
    webview.until("document.querySelector('#team b').textContent === '200 €'")
    assert webview.run("[...document.querySelectorAll('b')].map(e => e.textContent)") == ["80 €", "10 €", "200 €"]
    webview.press("monthly")
    [purchase] = webview.sent("purchase")
    assert (purchase["productId"], purchase["googleStoreBasePlanId"]) == ("pro", "month")
    webview.run("native.automatic.state = undefined")
    webview.reload()
    webview.answer_state({"purchases": [{"productId": "pro:month", "status": "buying"}]})
    assert webview.until_state("monthly", "buying") == BUSY
    assert webview.until_state("annual", None) == FREE


def test_the_bridge_is_built_anew(webview):
    webview.run("native.losesAnswers = true")
    webview.press("annual")
    webview.until_state("annual", "buying")
    webview.finish("pro.annual", status="cancelled")
    webview.run("native.losesAnswers = false")
    webview.run("native.reconnect()")
    assert webview.until_state("annual", None) == FREE
    webview.press("annual")
    webview.finish("pro.annual", status="pending")
    assert webview.until_state("annual", "pending") == FREE
