"""The page that ordered goes on to its order's `success_url`: once, and nobody else does."""

import pytest
from playwright.sync_api import expect

SCRIPT = '<script type="module" src="/paycast.js"></script>'


@pytest.fixture
def order(server):
    body = {"user": "ana", "product": "paycast.pro.monthly", "success_url": "/thanks.html?from=stream"}
    return server.request("POST", "/orders", body)["order"]


@pytest.fixture
def thanks(server, app_page):
    """Where they go, with the user's stream as well."""
    page = server.public / "thanks.html"
    app_page("ana", head=SCRIPT, name="thanks")
    (server.public / "thanks-sse.html").rename(page)
    return server.url + "/thanks.html?from=stream"


def mark(page, attribute, order):
    page.evaluate(
        "([attribute, order]) => { document.querySelector('#paywall').innerHTML ="
        " `<form><button type=button ${attribute}=\"${order.toUpperCase()}\"><b>Buy</b></button></form>` }",
        [attribute, order],
    )


def buy(server, order):
    server.trigger("SUBSCRIBED/INITIAL_BUY", order, "--order")


def connected(page):
    expect(page.locator("turbo-stream-source[connected]")).to_be_attached()
    return page


@pytest.mark.parametrize("transport", ["sse", "websocket"])
def test_the_page_that_ordered_goes_on_and_no_other(server, open_page, app_page, order, thanks, transport):
    ordered, seen, other = (connected(open_page(app_page("ana", transport, SCRIPT))) for _ in range(3))
    for page in (ordered, seen):
        mark(page, "data-paycast-order", order)
    ordered.locator("b").click()
    buy(server, order)
    ordered.wait_for_url(thanks)
    # Turbo went there.
    assert ordered.evaluate("window.hasNotReloaded")
    for page in (seen, other):
        expect(page.locator("#paywall[data-state=active]")).to_be_visible()
        assert page.url.endswith(f"/ana-{transport}.html")


def test_a_page_that_waits_goes_on_though_it_was_away(server, open_page, app_page, order, thanks):
    page = connected(open_page(app_page("ana", head=SCRIPT), outages=True))
    mark(page, "data-paycast-waiting", order)
    server.stop()
    server.start()
    buy(server, order)
    page.wait_for_url(thanks, timeout=40_000)


def test_it_goes_once(server, open_page, app_page, order, thanks):
    """The page that is returned to gets what it missed since it was rendered: the purchase once more."""
    address = app_page("ana", head=SCRIPT)
    page = connected(open_page(address))
    mark(page, "data-paycast-waiting", order)
    buy(server, order)
    page.wait_for_url(thanks)
    page.go_back()
    page.wait_for_url(address)
    mark(page, "data-paycast-waiting", order)
    expect(page.locator("#paywall[data-state=active]")).to_be_visible()
    server.notice("ana", "later")
    expect(page.locator("#notices li")).to_have_text(["later"])
    assert page.url == address


def test_it_stays_within_its_origin(server, open_page, app_page, order):
    """Whatever a template says."""
    page = connected(open_page(app_page("ana", head=SCRIPT)))
    mark(page, "data-paycast-waiting", order)
    for address in ("https://evil.example/", "//evil.example/", "javascript:alert(1)", "/\\evil.example", "http://["):
        visit = f'<section id="paywall" data-paycast-visit="{address}" data-paycast-bought="{order}">tried</section>'
        values = {"user": "ana", "action": "append", "target": "notices", "html": f"<li>{visit}</li>"}
        server.request("POST", "/broadcasts", values)
    expect(page.locator("#notices li")).to_have_count(5)
    assert page.evaluate("window.hasNotReloaded") and page.url.endswith("/ana-sse.html")
