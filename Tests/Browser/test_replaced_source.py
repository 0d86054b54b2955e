"""A stream can replace the element that it came through: the server moves pages elsewhere with stock Turbo alone."""

import pytest
from playwright.sync_api import expect

from server import Server


@pytest.fixture
def server(tmp_path):
    # Each wire has a port of its own, and is another origin.
    server = Server(tmp_path, {"PAYCAST_ALLOWED_ORIGINS": "*"})
    yield server
    server.stop()


def hex_of(server, user):
    """The start of the signature, by which a selector finds the user's source however its address was escaped."""
    return server.stream(user)["signed_stream"].split("--")[1][:16]


def move(server, user, source):
    """Replaces the source of the user's pages."""
    selector = f"turbo-stream-source[src*='{hex_of(server, user)}']"
    template = f"<template>{source}</template>"
    server.broadcast(user, f'<turbo-stream action="replace" targets="{selector}">{template}</turbo-stream>')


def open_sources(page):
    """The number of open sources that the page has now, and their ports."""
    return page.evaluate(
        "[...document.querySelectorAll('turbo-stream-source')]"
        ".map(element => [element.streamSource.readyState, Number(new URL(element.streamSource.url).port)])"
    )


def wait_until_open(page, port):
    page.wait_for_function(
        "port => { const source = document.querySelector('turbo-stream-source')?.streamSource;"
        " return source?.readyState === 1 && Number(new URL(source.url).port) === port }",
        arg=port,
    )


MOVES = [("websocket", "websocket"), ("websocket", "sse"), ("sse", "sse"), ("sse", "websocket")]


@pytest.mark.parametrize("old, new", MOVES, ids=["ws-ws", "ws-sse", "sse-sse", "sse-ws"])
def test_the_old_source_closes_and_the_new_one_delivers(server, open_page, app_page, wire, old, new):
    before, after = wire(), wire()
    page = open_page(app_page("ana", old, base=before.url))
    wait_until_open(page, before.port)
    page.evaluate("window.old = document.querySelector('turbo-stream-source').streamSource")
    move(server, "ana", server.source("ana", new, after.url))
    wait_until_open(page, after.port)
    page.wait_for_function("old.readyState === old.CLOSED")
    server.notice("ana", "after the move")
    server.trigger("SUBSCRIBED/INITIAL_BUY", "ana")
    expect(page.locator("#paywall[data-state=active]")).to_be_visible()
    expect(page.locator("#notices li")).to_have_text(["after the move"])
    assert open_sources(page) == [[1, after.port]]
    assert page.evaluate("window.hasNotReloaded")


def test_what_is_committed_during_a_move_arrives_once(server, open_page, app_page, wire):
    before, after = wire(), wire()
    page = open_page(app_page("ana", "websocket", base=before.url))
    wait_until_open(page, before.port)
    source = server.source("ana", "websocket", after.url)
    server.notice("ana", "after the cursor")
    expect(page.locator("#notices li")).to_have_count(1)
    page.evaluate("document.getElementById('notices').replaceChildren()")
    move(server, "ana", source)
    server.notice("ana", "meanwhile")
    wait_until_open(page, after.port)
    # The new source's cursor is from before the first notice: the server sends both, once.
    expect(page.locator("#notices li").last).to_have_text("meanwhile")
    server.notice("ana", "fence")
    expect(page.locator("#notices li").last).to_have_text("fence")
    assert page.locator("#notices li", has_text="after the cursor").count() == 1


@pytest.mark.parametrize("old", ["websocket", "sse"])
def test_an_event_source_waits_for_a_server_that_does_not_listen_yet(server, open_page, app_page, wire, old):
    before, after = wire(), wire()
    page = open_page(app_page("ana", old, base=before.url), outages=True)
    wait_until_open(page, before.port)
    after.cut()
    move(server, "ana", server.source("ana", "sse", after.url))
    page.wait_for_timeout(2_000)
    server.trigger("SUBSCRIBED/INITIAL_BUY", "ana")
    after.connect()
    expect(page.locator("#paywall[data-state=active]")).to_be_visible()
    assert page.evaluate("window.hasNotReloaded")


def test_a_web_socket_to_a_server_that_does_not_listen_is_lost(server, open_page, app_page, wire):
    before, after = wire(), wire()
    page = open_page(app_page("ana", "websocket", base=before.url), outages=True)
    wait_until_open(page, before.port)
    after.cut()
    move(server, "ana", server.source("ana", "websocket", after.url))
    page.wait_for_function("document.querySelector('turbo-stream-source').streamSource.readyState === 3")
    after.connect()
    page.wait_for_timeout(1_000)
    assert open_sources(page) == [[3, after.port]]


@pytest.mark.parametrize("transport", ["websocket", "sse"])
@pytest.mark.parametrize("method", ["replace", "morph"])
def test_a_source_that_goes_away_with_a_refresh_comes_back_fresh(
    server, open_page, app_page, turbo_8, transport, method
):
    head = f'<meta name="turbo-refresh-method" content="{method}"><meta name="turbo-refresh-scroll" content="preserve">'
    page = open_page(app_page("ana", transport, head))
    wait_until_open(page, server.port)
    page.evaluate("window.old = document.querySelector('turbo-stream-source').streamSource")
    # The app's own server renders what it knows now.
    app_page("ana", transport, head + '<meta name="rendered" content="again">')
    selector = f"turbo-stream-source[src*='{hex_of(server, 'ana')}']"
    gone = f'<turbo-stream action="remove" targets="{selector}"></turbo-stream>'
    server.broadcast("ana", gone + '<turbo-stream action="refresh"></turbo-stream>')
    page.wait_for_function("old.readyState === old.CLOSED")
    expect(page.locator("meta[name=rendered]")).to_be_attached()
    wait_until_open(page, server.port)
    assert page.evaluate("document.querySelector('turbo-stream-source').streamSource !== old")
    server.trigger("SUBSCRIBED/INITIAL_BUY", "ana")
    expect(page.locator("#paywall[data-state=active]")).to_be_visible()
    assert len(open_sources(page)) == 1
    assert page.evaluate("window.hasNotReloaded"), "Turbo renders the page anew, in the same document"


@pytest.mark.parametrize("old", ["websocket", "sse"])
def test_a_page_that_is_moved_just_before_the_server_ends_waits_for_the_next_one(server, open_page, app_page, old):
    page = open_page(app_page("ana", old), outages=True)
    wait_until_open(page, server.port)
    move(server, "ana", server.source("ana", "sse"))
    # Stock Turbo never opens a WebSocket again, so the page must have heard of its move.
    expect(page.locator("turbo-stream-source[src^=http]")).to_be_attached()
    server.kill()
    page.wait_for_timeout(1_500)
    server.start()
    server.trigger("SUBSCRIBED/INITIAL_BUY", "ana")
    expect(page.locator("#paywall[data-state=active]")).to_be_visible(timeout=40_000)
    wait_until_open(page, server.port)
    assert page.evaluate("window.hasNotReloaded")
