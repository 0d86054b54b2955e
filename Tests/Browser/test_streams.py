"""One source of stock Turbo follows several streams, with one cursor for all of them."""

from urllib.parse import quote

import pytest
from playwright.sync_api import expect


@pytest.mark.parametrize("transport", ["sse", "websocket"])
def test_one_source_follows_two_streams(server, open_page, app_page, transport):
    beside = server.stream("ben")["signed_stream"]
    source = server.source("ana", transport, query=f"?name={quote(beside, safe='')}")
    page = open_page(app_page("ana", transport, source=source), outages=True)
    page.wait_for_function("document.querySelector('turbo-stream-source').streamSource.readyState === 1")
    server.notice("ben", "of Ben")
    server.trigger("SUBSCRIBED/INITIAL_BUY", "ana")
    expect(page.locator("#paywall[data-state=active]")).to_be_visible()
    expect(page.locator("#notices li")).to_have_text(["of Ben"])
    server.stop()
    server.start()
    server.notice("ana", "of Ana")
    server.notice("ben", "of Ben again")
    expect(page.locator("#notices li")).to_have_text(["of Ben", "of Ana", "of Ben again"], timeout=20_000)
    assert page.locator("turbo-stream-source").count() == 1
    assert page.evaluate("window.hasNotReloaded")
