"""The account was switched at the same address: after a morph, the page hears the new user's stream and no other.

Turbo leaves the connection of a `<turbo-stream-source>` whose `src` changes as it is
(https://github.com/hotwired/turbo/pull/1287), so the element has an id that names its stream.
"""

import pytest
from playwright.sync_api import expect

import morphs
from conftest import turbo

SCRIPT = '<script type="module" src="/paycast.js"></script>'
TRANSPORTS = ["sse", "websocket", "cable"]
CONNECTION = """
    [...document.querySelectorAll("turbo-stream-source, turbo-cable-stream-source")]
        .map(element => element.streamSource ?? element.subscription)[0]
"""


@pytest.fixture
def source(server):
    def source(user, transport):
        return server.cable_source(user) if transport == "cable" else server.source(user, transport)

    return source


@pytest.fixture
def page_of(server, app_page, open_page, source):
    """A page at an address that does not name its user, and that hears ana's stream."""

    def page_of(transport, head):
        page = open_page(app_page("ana", transport, head, source("ana", transport), name="account"))
        server.notice("ana", "open")
        expect(page.locator("#notices li")).to_have_text(["open"])
        return page

    return page_of


def expect_only_ben(server, page):
    server.notice("ben", "for ben")
    expect(page.locator("#notices li").last).to_have_text("for ben")
    server.notice("ana", "for ana")
    server.notice("ben", "fence")
    expect(page.locator("#notices li").last).to_have_text("fence")
    page.wait_for_timeout(500)
    assert "for ana" not in page.locator("#notices li").all_text_contents()
    assert page.evaluate("window.hasNotReloaded")


@pytest.mark.parametrize("script", ["", SCRIPT], ids=["stock", "paycast.js"])
@pytest.mark.parametrize("transport", TRANSPORTS)
def test_a_morph_into_the_page_of_another_user(server, page_of, app_page, source, turbo_8, transport, script):
    if not script and not morphs.replaces_other_ids(turbo()):
        pytest.skip("this Turbo keeps an element with another id")
    page = page_of(transport, morphs.HEAD + script)
    # The app's own server renders what it knows now.
    head = morphs.HEAD + script + '<meta name="rendered" content="for ben">'
    app_page("ben", transport, head, source("ben", transport), name="account")
    server.broadcast("ana", morphs.REFRESH)
    expect(page.locator("meta[name=rendered]")).to_be_attached()
    expect_only_ben(server, page)


@pytest.mark.parametrize("transport", TRANSPORTS)
def test_the_script_follows_an_element_whose_stream_is_changed(server, page_of, source, transport):
    page = page_of(transport, SCRIPT)
    page.evaluate(morphs.CHANGE, source("ben", transport))
    expect_only_ben(server, page)


@pytest.mark.parametrize("transport", TRANSPORTS)
def test_the_script_leaves_the_connection_to_the_same_stream(server, page_of, source, transport):
    page = page_of(transport, SCRIPT)
    before = page.evaluate_handle(CONNECTION)
    server.notice("ana", "seen")
    expect(page.locator("#notices li").last).to_have_text("seen")
    # The cursor is a newer one.
    page.evaluate(morphs.CHANGE, source("ana", transport))
    server.notice("ana", "last")
    expect(page.locator("#notices li")).to_have_text(["open", "seen", "last"])
    assert page.evaluate(f"before => before === {CONNECTION}", before)
