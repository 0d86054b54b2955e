"""Where a state has no template, the app's own server renders it: the page loads itself again, once."""

import pytest
from playwright.sync_api import expect


# `refresh` came with Turbo 8; the older one that every run has is taught it.
REFRESH = """<script>
    addEventListener("turbo:before-stream-render", event => {
        if (event.target.action !== "refresh") return
        event.preventDefault()
        location.reload()
    })
</script>"""


@pytest.fixture
def page_of(server, app_page, open_page):
    """A page whose HTML is the same after every reload, and the requests for it."""

    def page_of(transport):
        server.remove_template("paywall.html")
        source = server.cable_source("ana") if transport == "cable" else server.source("ana", transport)
        address = app_page("ana", transport, REFRESH, source)
        page = open_page(address)
        loads = []
        page.on("request", lambda request: request.url == address and loads.append(request.method))
        return page, loads

    return page_of


def expect_calm(server, page):
    """Later changes stay: the page does not load itself again."""
    expect(page.locator("#paywall")).to_have_text("Offers")
    server.notice("ana", "calm")
    expect(page.locator("#notices li")).to_have_text(["calm"])
    page.wait_for_timeout(1_000)
    expect(page.locator("#notices li")).to_have_text(["calm"])


@pytest.mark.parametrize("transport", ["sse", "websocket", "cable"])
def test_an_open_page_loads_itself_once(server, page_of, transport):
    page, loads = page_of(transport)
    server.trigger("SUBSCRIBED/INITIAL_BUY", "ana")
    expect(page.locator("#paywall[data-state=active]")).to_be_visible()
    server.trigger("EXPIRED/VOLUNTARY", "ana")
    expect_calm(server, page)
    assert loads == ["GET"]
