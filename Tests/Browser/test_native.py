"""public/paycast-native.js: what only one engine can be asked. Tests/Clients has the rest, in three of them."""

import shutil

import pytest
from playwright.sync_api import expect

from conftest import launch
from program import ROOT

SCRIPT = '<script type="module" src="/paycast-native.js"></script>'
ADAPTER = '<script src="/native_adapter.js"></script>'
LATE = '<script src="/native_adapter.js" data-late></script>'
APP = "Mozilla/5.0 Hotwire Native iOS; Turbo Native iOS; bridge-components: [form paywall]"
POLICY = "default-src 'none'; script-src 'self'; img-src data:; require-trusted-types-for 'script'"
PAYWALL = """
<section id="offers" data-paycast-order="ORDER" data-paycast-stream="STREAM">
  <form action="/checkout.html">
    <button data-paycast-buy="pro.annual">Annual <span data-paycast-price="pro.annual">$79.99</span></button>
  </form>
  <a href="/checkout.html" data-paycast-buy="pro.monthly">Monthly</a>
  <button data-paycast-restore hidden>Restore</button>
</section>
"""


@pytest.fixture
def native_page(server, open_page):
    """Opens a page of an app: no Turbo, unless a test needs it."""
    shutil.copy(ROOT / "Tests" / "Clients" / "native_adapter.js", server.public)
    (server.public / "checkout.html").write_text("<link rel=icon href=data:,><title>Checkout</title>")

    def native_page(head, **options):
        icon = '<link rel="icon" href="data:,">'
        page = f'<!doctype html><html lang="en"><head>{icon}{head}{SCRIPT}</head><body>{PAYWALL}</body></html>'
        (server.public / "native.html").write_text(page)
        return open_page(f"{server.url}/native.html", **options)

    return native_page


def annual(page):
    return page.get_by_role("button", name="Annual")


def sent(page, event):
    return page.evaluate("event => native.of(event).length", event)


def test_a_browser_is_left_alone(native_page, server, open_page):
    page = native_page("")
    before = page.evaluate("document.getElementById('offers').outerHTML").strip()
    assert before == PAYWALL.strip().replace("data-paycast-restore hidden", 'data-paycast-restore="" hidden=""')
    names = "Object.getOwnPropertyNames(window).sort()"
    assert page.evaluate(names) == open_page(f"{server.url}/checkout.html").evaluate(names)
    annual(page).click()
    page.wait_for_url("**/checkout.html?")


def test_a_link_stays_a_link(native_page):
    page = native_page("")
    page.get_by_role("link", name="Monthly").click()
    page.wait_for_url("**/checkout.html")


def test_a_tap_before_the_app_is_ready_is_kept(native_page):
    """The user agent says what the app can do: not even then may a tap lead to another shop."""
    page = native_page(LATE, user_agent=APP)
    annual(page).click()
    page.get_by_role("link", name="Monthly").click()
    expect(annual(page)).to_be_disabled()
    assert page.evaluate("native.received.length + native.dropped.length") == 0
    page.evaluate("native.register()")
    page.wait_for_function("native.of('purchase').length === 2")
    expect(annual(page)).to_contain_text("79,99 €")
    expect(page.get_by_role("button", name="Restore")).to_be_visible()
    # The state was asked for before the taps, so its answer does not end them.
    page.wait_for_function("native.of('state').length > 0")
    expect(annual(page)).to_be_disabled()
    assert page.url.endswith("/native.html")


def test_a_promise_that_the_app_does_not_keep(native_page):
    """A tap that nobody takes keeps no button busy."""
    page = native_page(LATE, user_agent=APP)
    annual(page).click()
    expect(annual(page)).to_be_disabled()
    page.evaluate("nativeBridge.register(['form'])")
    expect(annual(page)).to_be_enabled()
    annual(page).click()
    page.wait_for_url("**/checkout.html?")


def test_people_and_machines_see_the_same(native_page, screenshot):
    page = native_page(ADAPTER, user_agent=APP)
    expect(annual(page)).to_have_accessible_name("Annual 79,99 €")
    annual(page).dblclick()
    expect(annual(page)).to_be_disabled()
    expect(annual(page)).to_be_focused()
    expect(page.get_by_role("status")).to_have_text("Waiting for the store …")
    assert sent(page, "purchase") == 1
    page.evaluate("native.finish('pro.annual', {status: 'pending'})")
    expect(annual(page)).to_be_enabled()
    expect(page.get_by_role("status")).to_contain_text("Waiting for approval")
    screenshot(page, "native-pending")
    annual(page).press("Enter")
    expect(annual(page)).to_be_disabled()
    assert sent(page, "purchase") == 2


def test_a_strict_policy_is_enough(native_page):
    page = native_page(f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">{ADAPTER}')
    expect(annual(page)).to_contain_text("79,99 €")
    annual(page).click()
    page.evaluate("native.finish('pro.annual', {status: 'cancelled'})")
    expect(page.get_by_role("status")).to_have_text("The purchase was cancelled.")


def test_a_page_from_the_back_forward_cache_asks_again(playwright, native_page):
    with launch(playwright, ignore_default_args=["--disable-back-forward-cache"]) as browser:
        page = native_page(ADAPTER, browser=browser)
        page.evaluate("addEventListener('pageshow', event => window.persisted = event.persisted)")
        annual(page).click()
        expect(annual(page)).to_be_disabled()
        page.goto(page.url.replace("native", "checkout"))
        # Meanwhile the sheet was cancelled.
        page.evaluate("localStorage.clear()")
        page.go_back(wait_until="commit")
        expect(annual(page)).to_be_enabled()
        assert page.evaluate("window.persisted"), "the browser kept no page"
        assert page.evaluate("window.hasNotReloaded")


def test_nothing_waits_for_a_time_or_changes_the_address():
    text = (ROOT / "public" / "paycast-native.js").read_text()
    for word in ("setTimeout", "setInterval", "replaceState", "pushState", "location.assign", "location.href ="):
        assert word not in text
