"""A browser opens at most six HTTP/1.1 connections to an origin. HTTP/2 has no such limit."""

import pytest
from playwright.sync_api import expect

from secure import secure_server

SOURCES = 20


@pytest.fixture
def server(tmp_path):
    server = secure_server(tmp_path)
    yield server
    server.stop()


def test_many_pages_share_a_connection(server, open_page, app_page):
    page = open_page(app_page("ana"), ignore_https_errors=True)
    page.evaluate(
        "([address, count]) => { window.received = 0; window.sources = Array.from({length: count}, () => {"
        " const source = new EventSource(address); source.onmessage = () => received++; return source }) }",
        [server.stream("ana")["sse"], SOURCES],
    )
    page.wait_for_function("sources.every(source => source.readyState === EventSource.OPEN)")
    # Open pages do not hold up an app's other requests.
    assert page.evaluate("fetch('/up').then(answer => answer.text())") == "up\n"
    assert page.evaluate("performance.getEntriesByType('resource').some(one => one.nextHopProtocol === 'h2')")
    server.notice("ana", "Hello")
    page.wait_for_function(f"received === {SOURCES}")


@pytest.mark.parametrize("transport", ["sse", "websocket"])
def test_a_page_of_stock_turbo_changes(server, open_page, app_page, transport):
    """WebSockets stay on HTTP/1.1, on the same port."""
    page = open_page(app_page("ana", transport), ignore_https_errors=True)
    server.notice("ana", "Hello")
    expect(page.locator("#notices li")).to_have_text("Hello")
