"""public/paycast-native.js in three engines, in webviews whose app speaks the wire of Hotwire Native for iOS.

HOTWIRE_NATIVE_BRIDGE_JS names a copy of @hotwired/hotwire-native-bridge's dist/hotwire-native-bridge.js, beside which
everything is then tested once more. HOTWIRE_NATIVE_IOS_JS and HOTWIRE_NATIVE_ANDROID_JS name the scripts that the libraries'
apps inject, in place of those of `native_adapter.js`.
"""

import json

import pytest

from webview import APPROVAL, BUSY, FREE, TAKEN


def test_prices_are_the_stores_own(webview):
    prices = webview.sent("prices")[0]
    assert [product["productId"] for product in prices["products"]] == ["pro.annual", "apple.monthly", "pro.lifetime"]
    assert prices["products"][1] == {
        "product": "apple.monthly",
        "productId": "apple.monthly",
        "appleStoreProductId": "apple.monthly",
        "googleStoreProductId": "pro.monthly",
    }
    shown = webview.run("[...document.querySelectorAll('[data-paycast-price]')].map(e => [e.textContent, e.hidden])")
    assert shown == [["79,99 €", False], ["9,99 €", False], ["$199", True]]
    assert webview.until_state("lifetime", None) == FREE, "a missing product hides its price and nothing else"


def test_no_price_but_the_stores_is_ever_seen(open_webview):
    webview = open_webview()
    webview.until_prices()
    webview.run("delete native.automatic.prices")
    webview.run("document.body.insertAdjacentHTML('beforeend', '<b id=late data-paycast-price=late>$5</b>')")
    webview.until("late.hidden")
    webview.run("native.reply(native.of('prices').at(-1), {error: 'store_failed'})")
    webview.until("late.hidden && late.textContent === '$5'")
    webview.appear()
    webview.run("native.reply(native.of('prices').at(-1), {prices: {late: '6 €'}})")
    webview.until("!late.hidden && late.textContent === '6 €'")


def test_the_offer_that_the_page_names_goes_with_the_purchase(webview):
    webview.press("monthly")
    webview.until("native.of('purchase').length === 1")
    webview.finish("apple.monthly", status="cancelled")
    webview.run("document.getElementById('annual').dataset.paycastOffer = 'back'")
    webview.press("annual")
    webview.until("native.of('purchase').length === 2")
    assert [message.get("offer") for message in webview.sent("purchase")] == [None, "back"]
    webview.finish("pro.annual", status="error", error="not_eligible")
    assert webview.until_state("annual", "not_eligible") == FREE
    assert webview.text() == ["This offer is not for you."]


def test_what_has_no_price_is_asked_for_again(open_webview):
    webview = open_webview()
    webview.until_prices()
    webview.run("native.prices['pro.lifetime'] = '199 €'")
    webview.appear()
    price = "document.querySelector('#lifetime [data-paycast-price]')"
    webview.until(f"!{price}.hidden && {price}.textContent === '199 €'")
    assert [product["productId"] for product in webview.sent("prices")[-1]["products"]] == ["pro.lifetime"]


def test_a_purchase_ends_with_the_stream(server, webview, user, order):
    webview.press("annual")
    assert webview.until_state("annual", "buying") == BUSY
    webview.press("annual")
    [purchase] = webview.sent("purchase")
    assert purchase == {
        "order": order["order"],
        "userId": order["order"],
        "correlationId": order["order"],
        "stream": order["signed_stream"],
        "product": "pro.annual",
        "productId": "pro.annual",
        "appleStoreProductId": "pro.annual",
        "googleStoreProductId": "pro.annual",
        "metadata": {"url": webview.run("location.href")},
    }
    webview.finish("pro.annual", status="success")
    assert webview.until_state("annual", "confirming") == BUSY
    assert webview.text() == ["Thank you. Your purchase is being confirmed."]
    webview.press("annual")
    assert len(webview.sent("purchase")) == 1, "what is being confirmed is not bought again"
    server.trigger("SUBSCRIBED/INITIAL_BUY", user)
    webview.until_paid()
    assert webview.run("hasNotReloaded")


def test_a_stream_may_come_before_the_answer(server, pages, webview, user, order):
    webview.press("annual")
    webview.until_state("annual", "buying")
    server.trigger("SUBSCRIBED/INITIAL_BUY", user)
    webview.until_paid()
    webview.finish("pro.annual", status="success")
    # Much later, access has ended.
    server.broadcast(user, pages.replacement(order))
    webview.until("document.getElementById('annual') !== null")
    assert webview.until_state("annual", None) == FREE


def test_approval_comes_after_a_reload(server, webview, user):
    webview.press("annual")
    webview.finish("pro.annual", status="pending")
    assert webview.until_state("annual", "pending") == FREE
    assert webview.text() == [APPROVAL]
    webview.reload()
    webview.until_prices()
    webview.until_state("annual", "pending")
    assert webview.text() == [APPROVAL]
    webview.finish("pro.annual", status="success")
    server.trigger("SUBSCRIBED/INITIAL_BUY", user)
    webview.until_paid()


def test_an_app_may_answer_twice(webview):
    webview.press("annual")
    webview.finish("pro.annual", status="pending")
    webview.until_state("annual", "pending")
    webview.finish("pro.annual", status="success")
    assert webview.until_state("annual", "confirming") == BUSY


def test_a_declined_approval_ends_with_the_next_appearance(webview):
    webview.press("annual")
    webview.finish("pro.annual", status="pending")
    webview.until_state("annual", "pending")
    webview.run("localStorage.clear()")
    webview.appear()
    webview.until_state("annual", None)
    assert webview.text() == []


def test_a_cancelled_purchase_can_be_made_again(webview):
    webview.press("annual")
    webview.until_state("annual", "buying")
    assert webview.run("document.activeElement.id") == "annual", "a busy button keeps the focus"
    webview.finish("pro.annual", status="cancelled")
    assert webview.until_state("annual", "cancelled") == FREE
    assert webview.text() == ["The purchase was cancelled."]
    assert webview.run("document.activeElement.id") == "annual"
    webview.press("annual")
    webview.until_state("annual", "buying")
    assert len(webview.sent("purchase")) == 2


OUTCOMES = [
    ({"status": "offline"}, "offline", FREE),
    ({"status": "error", "error": "offline"}, "offline", FREE),
    ({"status": "owned_by_other"}, "owned_by_other", FREE),
    ({"status": "error", "error": "owned_by_other"}, "owned_by_other", FREE),
    ({"status": "recorded", "reason": "quarantined"}, "recorded", FREE),
    ({"status": "refused"}, "refused", FREE),
    ({"status": "logged_out"}, "logged_out", FREE),
    ({"status": "already_owned"}, "already_owned", FREE),
    ({"status": "changes_at_renewal"}, "changes_at_renewal", FREE),
    ({"status": "failed"}, "failed", FREE),
    ({"status": "error", "error": "what PurchaseKit says"}, "failed", FREE),
    ({"error": "no status"}, "failed", FREE),
    ({"status": "of the future"}, "failed", FREE),
    ({}, "failed", FREE),
    ({"status": "kept"}, "kept", TAKEN),
]


def test_other_outcomes(webview):
    for answer, state, access in OUTCOMES:
        webview.press("annual")
        webview.until_state("annual", "buying")
        webview.finish("pro.annual", **answer)
        assert webview.until_state("annual", state) == access, answer
        [text] = webview.text()
        assert text and "PurchaseKit" not in text
    webview.press("annual")
    assert len(webview.sent("purchase")) == len(OUTCOMES), "what is kept is not bought again"


def test_a_page_hears_of_answers(webview):
    webview.run("addEventListener('paycast:answer', ({target, detail}) => window.heard = [target.id, detail])")
    webview.press("annual")
    webview.finish("pro.annual", status="cancelled", more=1)
    detail = {
        "event": "purchase",
        "product": "pro.annual",
        "state": "cancelled",
        "data": {"status": "cancelled", "more": 1},
    }
    assert webview.until("window.heard") == ["annual", detail]


def test_what_waits_ends_when_the_app_says_so(webview):
    """The app answers its last question again, which came before the purchase."""
    for status, access in (("kept", TAKEN), ("pending", FREE)):
        webview.press("annual")
        webview.finish("pro.annual", status=status)
        assert webview.until_state("annual", status) == access
        webview.answer_state({"purchases": [{"productId": webview.monthly, "status": "kept"}]})
        assert webview.until_state("annual", None) == FREE
        assert webview.until_state("monthly", "kept") == TAKEN
        webview.answer_state({"purchases": []})
        assert webview.until_state("monthly", None) == FREE
    # Approved, and on its way to the server.
    webview.press("annual")
    webview.finish("pro.annual", status="pending")
    webview.until_state("annual", "pending")
    for purchases, state, access in (([{"productId": "pro.annual", "status": "buying"}], "buying", BUSY), ([], None, FREE)):
        webview.answer_state({"purchases": purchases})
        assert webview.until_state("annual", state) == access


def test_a_page_that_comes_later_is_told_what_no_connection_cures(webview):
    for status in ("refused", "logged_out"):
        webview.answer_state({"purchases": [{"productId": webview.monthly, "status": status}]})
        assert webview.until_state("monthly", status) == FREE
        webview.press("annual")
        webview.finish("pro.annual", status="cancelled")
        webview.until_state("annual", "cancelled")
        assert webview.until_state("monthly", status) == FREE, "another purchase does not end it"
        webview.answer_state({"purchases": []})
        assert webview.until_state("monthly", None) == FREE


def test_what_is_kept_may_turn_out_otherwise(webview):
    webview.press("annual")
    webview.finish("pro.annual", status="kept")
    assert webview.until_state("annual", "kept") == TAKEN
    webview.finish("pro.annual", status="logged_out")
    assert webview.until_state("annual", "logged_out") == FREE
    assert webview.text() == ["Your purchase is safe. Please log in to get it."]


NOBODY = """<section id="paywall">
  <form><button id="annual" data-paycast-buy="pro.annual">Annual <b data-paycast-price="pro.annual"></b></button></form>
  <p data-paycast-status></p>
  <button id="restore" data-paycast-restore hidden>Restore purchases</button>
</section>"""


def test_a_page_for_nobody_goes_on(open_webview):
    """Two sections, one around the other: Tests/Browser has more of them."""
    webview = open_webview(paywall=NOBODY)
    webview.until_prices()
    for name, answer in (("annual", "cancelled"), ("restore", "not_logged_in")):
        webview.press(name)
        event = {"annual": "purchase"}.get(name, name)
        webview.run(f"native.reply(native.of('{event}').at(-1), {{status: '{answer}'}})")
        assert webview.until_state(name, answer) == FREE
    assert webview.run("document.querySelector('#paywall > [role=status]').textContent") == "Please log in first."
    assert webview.run("document.querySelector('form > [role=status]').textContent") == ""


RESTORED = [
    ({"status": "restored"}, "restored"),
    ({"status": "restored", "subscriptionIds": ["1"]}, "restored"),
    ({"status": "restored", "subscriptionIds": []}, "nothing"),
    ({"status": "success"}, "restored"),
    ({"subscriptionIds": ["1"]}, "restored"),
    ({"subscriptionIds": []}, "nothing"),
    ({"status": "nothing"}, "nothing"),
    ({"status": "offline"}, "offline"),
    ({"subscriptionIds": [], "error": "no"}, "failed"),
    ({"status": "cancelled"}, "restore_cancelled"),
]


def test_restore(webview, order):
    for answer, state in RESTORED:
        webview.press("restore")
        assert webview.until_state("restore", "restoring") == BUSY
        webview.press("restore")
        webview.run(f"native.reply(native.of('restore').at(-1), {json.dumps(answer)})")
        assert webview.until_state("restore", state) == FREE
        assert len(webview.text()) == 1
    assert webview.text() == ["Nothing was restored."]
    messages = webview.sent("restore")
    assert len(messages) == len(RESTORED)
    assert (messages[0]["order"], messages[0]["stream"]) == (order["order"], order["signed_stream"])


def test_manage_and_redeem(webview):
    for name in ("manage", "redeem"):
        assert webview.run(f"document.getElementById('{name}').hidden") is False, "the app can do it"
        webview.press(name)
        assert webview.until_state(name, "opening") == BUSY
        webview.run(f"native.reply(native.of('{name}')[0], {{status: 'shown'}})")
        assert webview.until_state(name, None) == FREE
        assert webview.text() == []
    webview.press("redeem")
    webview.run("native.reply(native.of('redeem')[1], {status: 'success'})")
    webview.until_state("redeem", "confirming")


REFUNDS = [
    ({"status": "requested"}, "requested", ["The store has your request."]),
    ({"status": "cancelled"}, "refund_cancelled", []),
    ({"status": "error", "error": "nothing_bought"}, "nothing_bought", ["There is no purchase to give back."]),
]


def test_refund(webview):
    assert webview.run("document.getElementById('refund').hidden") is False, "the app can do it"
    for answer, state, text in REFUNDS:
        webview.press("refund")
        assert webview.until_state("refund", "opening") == BUSY
        assert webview.sent("refund")[-1]["product"] == webview.monthly
        webview.run(f"native.reply(native.of('refund').at(-1), {json.dumps(answer)})")
        assert webview.until_state("refund", state) == FREE
        assert webview.text() == text


def test_buttons_that_come_later(server, webview, user):
    price = '<b data-paycast-price="apple.monthly"></b>'
    button = f'<button id="later" data-paycast-buy="apple.monthly">Later {price}</button>'
    html = f'<turbo-stream action="append" target="more"><template>{button}</template></turbo-stream>'
    server.broadcast(user, html)
    webview.until("document.querySelector('#later b')?.textContent === '9,99 €'")
    webview.press("later")
    webview.until_state("later", "buying")
    [purchase] = webview.sent("purchase")
    assert purchase["productId"] == "apple.monthly" and "order" not in purchase


PLANS = """<section id="paywall" data-paycast-order="{order}" data-paycast-stream="{stream}"{attributes}>
  <form action="/checkout.html">
    <label><input type="radio" name="product" value="pro.annual" checked> <b data-paycast-price="pro.annual"></b></label>
    <label><input type="radio" name="product" value="pro.monthly" id="choice">
      <b data-paycast-price="pro.monthly" data-paycast-apple-product="apple.monthly"></b></label>
    <button id="buy" data-paycast-buy>Subscribe</button>
  </form>
</section>"""


def test_one_button_for_several_plans(open_webview, pages, order):
    webview = open_webview(paywall=pages.paywall(order, markup=PLANS))
    webview.until_prices()
    webview.press("buy")
    assert webview.until_state("buy", "buying") == BUSY
    webview.run("document.getElementById('choice').click()")
    assert webview.until_state("buy", None) == FREE
    webview.press("buy")
    sent = [(message["productId"], message["appleStoreProductId"]) for message in webview.sent("purchase")]
    assert sent == [("pro.annual", "pro.annual"), ("apple.monthly", "apple.monthly")]


def test_a_page_chooses_its_words(open_webview, pages, order):
    words = ' data-paycast-text-pending="Warten auf Freigabe" data-paycast-text-owned-by-other="Fremd"'
    status = '<p>Status: <span data-paycast-status></span></p></section>'
    markup = pages.paywall(order, words).replace("</section>", status)
    webview = open_webview(paywall=markup, attributes=' data-paycast-text-cancelled=""')
    webview.until_prices()
    for answer, expected in [
        ("pending", [["Warten auf Freigabe", ""]]),
        ("owned_by_other", [["Fremd", ""]]),
        ("cancelled", []),
        ("offline", [["There is no connection. Please try again later.", "en"]]),
    ]:
        webview.press("annual")
        webview.finish("pro.annual", status=answer)
        webview.until_state("annual", answer)
        lines = webview.run("[...document.querySelectorAll('span[role=status] p')].map(e => [e.textContent, e.lang])")
        assert lines == expected
    assert webview.run("document.querySelectorAll('[role=status]').length") == 1


COMPONENT = """<script type="module">
  import { BridgeComponent } from "/hotwire-native-bridge.js"
  window.Form = class extends BridgeComponent { static component = "form" }
</script>"""


def test_other_components_of_the_page(open_webview, kind):
    if kind == "alone":
        pytest.skip("needs the library")
    webview = open_webview(components="paywall form", paywall=COMPONENT)
    webview.until("window.Form !== undefined")
    webview.run("(window.form = new Form()).initialize()")
    webview.run("form.send('connect', {}, ({data}) => window.heard = data)")
    webview.until("native.of('connect').length")
    webview.run("native.reply(native.of('connect')[0], {tap: 1})")
    assert webview.until("window.heard") == {"tap": 1}
    webview.run("form.disconnect()")
    webview.run("native.reply(native.of('connect')[0], {tap: 2})")
    assert webview.run("heard") == {"tap": 1}


def test_an_app_without_the_component(open_webview):
    webview = open_webview(components="form menu")
    webview.until("document.documentElement.dataset.bridgeComponents === 'form menu'")
    assert webview.run("native.received.length") == 0
    assert webview.run("document.querySelector('[role], [aria-disabled], [data-paycast-state]')") is None
    assert webview.run("[document.getElementById('manage').hidden, document.getElementById('annual').innerText]") == [
        True,
        "Annual $79.99",
    ]
    webview.press("annual")
    webview.until_at("/checkout.html")
