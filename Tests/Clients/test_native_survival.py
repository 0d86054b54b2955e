"""public/paycast-native.js, when pages go away, messages get lost and answers come late: no button stays busy."""

import json

from webview import APPROVAL, BUSY, FREE


def test_a_page_is_replaced_in_the_middle_of_a_purchase(server, pages, webview, user, order):
    webview.press("annual")
    webview.until_state("annual", "buying")
    server.broadcast(user, pages.replacement(order, attributes=' class="replaced"'))
    webview.until("document.querySelector('#paywall.replaced') !== null")
    assert webview.until_state("annual", "buying") == BUSY
    assert webview.run("document.activeElement.id") == "annual"
    assert webview.run("document.querySelector('[data-paycast-price]').textContent") == "79,99 €"
    webview.press("annual")
    assert len(webview.sent("purchase")) == 1
    webview.finish("pro.annual", status="cancelled")
    assert webview.until_state("annual", "cancelled") == FREE
    assert len(webview.run("[...document.querySelectorAll('[role=status]')].map(e => e.id)")) == 1


def test_a_reload_in_the_middle_of_a_purchase(webview):
    for learns in (webview.appear, lambda: webview.press("annual"), lambda: webview.answer_state({"purchases": []})):
        webview.press("annual")
        webview.until_state("annual", "buying")
        webview.reload()
        assert webview.until_state("annual", "buying") == BUSY
        # The sheet that the first page has opened is answered: there is nobody to reply to.
        webview.finish("pro.annual", status="cancelled")
        learns()
        assert webview.until_state("annual", None) == FREE


def test_two_purchases_in_flight(webview):
    webview.press("annual")
    webview.press("monthly")
    assert webview.until_state("monthly", "buying") == BUSY
    assert [message["productId"] for message in webview.sent("purchase")] == ["pro.annual", webview.monthly]
    webview.finish(webview.monthly, status="cancelled")
    assert webview.until_state("monthly", "cancelled") == FREE
    assert webview.until_state("annual", "buying") == BUSY
    webview.finish("pro.annual", status="pending")
    webview.until_state("annual", "pending")
    assert webview.text() == ["Monthly 9,99 €: The purchase was cancelled.", f"Annual 79,99 €: {APPROVAL}"]


def test_a_second_webview(open_webview, webview):
    other = open_webview(name="second-" + webview.run("location.pathname.slice(1, -5)"))
    other.until_prices()
    asked = len(other.sent("state"))
    webview.press("annual")
    webview.until_state("annual", "buying")
    # It knows only if it has asked: Firefox may have shown the window already, which is an appearance, too.
    known = other.run("document.getElementById('annual').getAttribute('data-paycast-state')")
    assert known is None or len(other.sent("state")) > asked
    other.appear()
    assert other.until_state("annual", "buying") == BUSY
    other.press("annual")
    assert other.sent("purchase") == []
    other.press("monthly")
    other.finish(other.monthly, status="cancelled")
    assert other.until_state("monthly", "cancelled") == FREE
    assert webview.until_state("annual", "buying") == BUSY
    webview.finish("pro.annual", status="cancelled")
    webview.until_state("annual", "cancelled")
    # The app may also answer the last `state` again.
    other.answer_state({"purchases": []})
    assert other.until_state("annual", None) == FREE


def test_an_answer_counts_whatever_a_list_has_said(webview):
    """The app may have looked for its purchases before it took this one."""
    webview.run("native.automatic.state = undefined")
    webview.press("annual")
    for list, state in [([], None), ([{"productId": "pro.annual", "status": "buying"}], "buying")]:
        webview.appear()
        webview.answer_state({"purchases": list})
        webview.until_state("annual", state)
    webview.finish("pro.annual", status="cancelled")
    assert webview.until_state("annual", "cancelled") == FREE


def test_an_answer_to_the_page_before(webview, kind):
    """The library counts messages from 1 on each page, so ids alone do not tell whose answer comes."""
    webview.press("annual")
    webview.run("native.reply({...native.of('purchase')[0], event: 'restore'}, {status: 'nothing'})")
    assert webview.until_state("annual", "buying") == BUSY
    last = int(webview.run("native.received.at(-1).id"))
    webview.reload()
    webview.until("native.received.length > 0")
    assert kind != "alone" or int(webview.run("native.received[0].id")) > last


def test_an_app_that_takes_its_component_back(webview):
    webview.press("annual")
    webview.until_state("annual", "buying")
    webview.run("nativeBridge.unregister('paywall')")
    assert webview.until_state("annual", None) == FREE
    assert webview.text() == []
    webview.press("annual")
    webview.until_at("/checkout.html")


def test_a_late_list_does_not_end_a_new_purchase(webview):
    webview.run("native.automatic.state = undefined")
    webview.appear()
    webview.press("annual")
    webview.until_state("annual", "buying")
    webview.answer_state({"purchases": []})
    assert webview.until_state("annual", "buying") == BUSY
    webview.answer_state({"purchases": [{"productId": "pro.annual", "status": "pending"}]})
    assert webview.until_state("annual", "buying") == BUSY


def test_a_late_list_does_not_bring_back_a_purchase_that_has_ended(webview):
    webview.run("native.automatic.state = undefined")
    for answer, state in [("cancelled", "cancelled"), ("success", "confirming")]:
        webview.press("annual")
        webview.until_state("annual", "buying")
        webview.appear()
        webview.finish("pro.annual", status=answer)
        webview.until_state("annual", state)
        webview.answer_state({"purchases": [{"productId": "pro.annual", "status": "buying"}]})
        webview.until_state("annual", state)


def test_a_page_with_nothing_to_change_after_a_purchase(webview):
    """Coins outside of what a stream replaces, or a contract that has lapsed by then."""
    webview.press("annual")
    webview.finish("pro.annual", status="granted")
    assert webview.until_state("annual", "confirming") == BUSY
    webview.appear()
    assert webview.until_state("annual", None) == FREE
    assert webview.text() == []


def test_hasty_taps_buy_nothing_twice(webview):
    """Not before the app has said that the purchase is over."""
    webview.press("annual")
    webview.finish("pro.annual", status="granted")
    webview.until_state("annual", "confirming")
    asked = len(webview.sent("state"))
    for _ in range(2):
        webview.press("annual")
    # Answered, and with an empty list.
    webview.until(f"native.of('state').length === {asked + 2}")
    webview.answer_state({"purchases": []})
    assert webview.until_state("annual", "confirming") == BUSY
    webview.finish("pro.annual", status="delivered")
    assert webview.until_state("annual", "delivered") == FREE
    assert webview.text() == ["Thank you. Your purchase is there."]
    assert len(webview.sent("purchase")) == 1
    webview.press("annual")
    assert webview.until_state("annual", "buying") == BUSY


def test_a_tap_ends_the_confirmation_of_a_code(webview):
    webview.press("redeem")
    webview.run("native.reply(native.of('redeem')[0], {status: 'success'})")
    assert webview.until_state("redeem", "confirming") == BUSY
    webview.press("redeem")
    assert webview.until_state("redeem", None) == FREE
    assert len(webview.sent("redeem")) == 1


def test_a_confirmation_is_not_ended_by_what_was_asked_for_another_reason(webview):
    """The stream is on its way: the button must not be free for a moment before it is replaced."""
    webview.run("native.automatic.state = undefined")
    webview.press("annual")
    webview.until_state("annual", "buying")
    # Asked before the purchase was answered.
    webview.appear()
    webview.finish("pro.annual", status="granted")
    webview.until_state("annual", "confirming")
    webview.answer_state({"purchases": []})
    assert webview.until_state("annual", "confirming") == BUSY
    # Asked by the page, as another of its buttons is new.
    asked = len(webview.sent("state"))
    webview.run("document.getElementById('more').innerHTML = '<button data-paycast-buy=\"coins\">Coins</button>'")
    webview.until(f"native.of('state').length > {asked}")
    webview.answer_state({"purchases": []})
    assert webview.until_state("annual", "confirming") == BUSY


def test_a_list_of_what_waits_for_approval(webview):
    """Such an answer says nothing of other purchases."""
    pending = json.dumps([webview.monthly])
    webview.run(f"native.automatic.state = () => ({{status: 'current', pending: {pending}, kept: 0}})")
    webview.press("annual")
    webview.appear()
    assert webview.until_state("monthly", "pending") == FREE
    assert webview.until_state("annual", "buying") == BUSY
    webview.run("native.automatic.state = () => ({status: 'current', pending: [], kept: 0})")
    webview.appear()
    webview.until_state("monthly", None)
    assert webview.until_state("annual", "buying") == BUSY


def test_an_app_that_knows_three_messages_only(open_webview):
    """Such as one with PurchaseKit's component."""
    webview = open_webview()
    webview.run("delete native.automatic.state")
    webview.until_prices()
    webview.press("annual")
    webview.finish("pro.annual", status="pending")
    webview.until_state("annual", "pending")
    webview.appear()
    assert webview.until_state("annual", "pending") == FREE


VISIT = (
    "new Promise(done => {{ addEventListener('turbo:load', () => setTimeout(done), {{once: true}}); {visit} }})"
)


def test_turbo_leaves_and_comes_back(pages, webview, user, platform):
    pages.write(f"{user}-other", pages.order(f"{user}-other"), platform=platform, paywall="<p>Other</p>")
    address = webview.run("location.href")
    webview.press("annual")
    webview.press("monthly")
    webview.finish(webview.monthly, status="cancelled")
    webview.until_state("monthly", "cancelled")
    webview.run(VISIT.format(visit=f"Turbo.visit('/{user}-other.html')"))
    webview.finish("pro.annual", status="pending")
    # The page as it was kept, before anything is said of it.
    webview.run("addEventListener('turbo:before-render', ({detail}) => window.kept = detail.newBody.innerHTML)")
    webview.run(VISIT.format(visit="history.back()"))
    assert webview.run("location.href") == address
    kept = webview.run("kept")
    assert "79,99 €" in kept and "aria-busy" not in kept and "cancelled" not in kept and "Waiting" not in kept
    webview.until_state("annual", "pending")
    assert webview.until_state("monthly", None) == FREE
    assert webview.text() == [APPROVAL]
    urls = webview.run("[...new Set(native.received.map(message => message.data.metadata.url))]")
    assert urls == [address], "the page between has nothing to ask"
    assert webview.run("hasNotReloaded && native.dropped.length === 0")


def test_a_morph_takes_nothing_away(webview):
    webview.press("annual")
    webview.until_state("annual", "buying")
    # As when a newer Turbo morphs the page into what the server has rendered.
    webview.run(
        "(() => { const button = document.getElementById('annual');"
        " for (const name of ['aria-busy', 'aria-disabled', 'data-paycast-state']) button.removeAttribute(name);"
        " document.querySelector('[data-paycast-price]').firstChild.nodeValue = '$79.99';"
        " document.querySelector('[role=status]').remove() })()"
    )
    assert webview.until_state("annual", "buying") == BUSY
    webview.until_prices()
    assert webview.text() == ["Waiting for the store …"]
