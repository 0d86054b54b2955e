"""What stock Turbo and the browser do when the server or the page goes away; the server sends what was missed."""

import pytest
from playwright.sync_api import expect

from conftest import visit


def is_paid(page):
    return page.locator("#paywall[data-state=active]")


@pytest.mark.parametrize("end", ["kill", "stop"])
def test_a_page_survives_the_end_of_the_server(server, open_page, app_page, end):
    page = open_page(app_page("ana"), outages=True)
    server.notice("ana", "before")
    expect(page.locator("#notices li")).to_have_text(["before"])
    getattr(server, end)()
    server.start()
    server.notice("ana", "meanwhile")
    server.trigger("SUBSCRIBED/INITIAL_BUY", "ana")
    expect(is_paid(page)).to_be_visible(timeout=20_000)
    expect(page.locator("#notices li")).to_have_text(["before", "meanwhile"])
    assert page.evaluate("window.hasNotReloaded")


@pytest.mark.parametrize("transport", ["sse", "websocket"])
def test_a_page_in_the_background_changes_too(server, open_page, app_page, transport):
    page = open_page(app_page("ana", transport))
    front = page.context.new_page()
    front.bring_to_front()
    # Chromium without a screen shows every page; Turbo asks this property.
    page.evaluate("Object.defineProperty(document, 'visibilityState', {get: () => 'hidden'})")
    page.evaluate("Object.defineProperty(document, 'hidden', {get: () => true})")
    server.trigger("SUBSCRIBED/INITIAL_BUY", "ana")
    expect(is_paid(page)).to_be_attached()


@pytest.mark.parametrize("transport", ["sse", "websocket"])
def test_a_page_that_was_left_and_returned_to_shows_the_newest_state(server, open_page, app_page, transport):
    page = open_page(app_page("ana", transport))
    page.goto(app_page("ben", transport))
    server.trigger("SUBSCRIBED/INITIAL_BUY", "ana")
    page.go_back()
    expect(is_paid(page)).to_be_visible()
    assert page.evaluate("document.querySelector('turbo-stream-source').streamSource.readyState") == 1


@pytest.mark.parametrize("transport", ["sse", "websocket"])
def test_turbo_follows_links_and_comes_back(server, open_page, app_page, transport):
    address = app_page("ana", transport)
    other = app_page("ben", transport)
    page = open_page(address)
    visit(page, other)
    server.trigger("SUBSCRIBED/INITIAL_BUY", "ana")
    page.go_back()
    page.wait_for_url(address)
    expect(is_paid(page)).to_be_visible()
    assert page.locator("turbo-stream-source").count() == 1
    assert page.evaluate("window.hasNotReloaded")


@pytest.mark.parametrize("transport", ["sse", "websocket"])
def test_two_source_elements_of_one_stream_agree(server, open_page, app_page, transport):
    page = open_page(app_page("ana", transport, source=server.source("ana", transport) * 2))
    server.trigger("SUBSCRIBED/INITIAL_BUY", "ana")
    expect(is_paid(page)).to_be_visible()
    expect(page.locator("#paywall")).to_have_count(1)
    expect(page.locator("#subscription_status")).to_have_count(1)
