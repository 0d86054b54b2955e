"""public/paycast.js adds to stock Turbo and never makes anything worse."""

import pytest
from playwright.sync_api import expect

from conftest import launch, visit

SCRIPT = '<script type="module" src="/paycast.js"></script>'
TRANSPORTS = ["sse", "websocket"]


@pytest.fixture
def page_of(app_page, open_page):
    def page_of(transport, base=None, **options):
        page = open_page(app_page("ana", transport, SCRIPT, base=base), outages=True, **options)
        expect(connected(page)).to_be_attached()
        return page

    return page_of


def connected(page):
    return page.locator("turbo-stream-source[connected]")


def gone(page):
    return page.locator("turbo-stream-source:not([connected])")


def expect_paid(page):
    expect(page.locator("#paywall[data-state=active]")).to_be_visible(timeout=40_000)
    expect(connected(page)).to_have_count(1)
    assert page.evaluate("window.hasNotReloaded")


def hide(page, seconds):
    """Puts the page into the background, as its clock sees it, and back."""
    page.evaluate(
        """seconds => {
            const say = hidden => {
                Object.defineProperty(document, "hidden", {get: () => hidden, configurable: true})
                document.dispatchEvent(new Event("visibilitychange", {bubbles: true}))
            }
            say(true)
            const now = Date.now
            Date.now = () => now() + seconds * 1000
            say(false)
        }""",
        seconds,
    )


# Records when the page opens a source from now on.
COUNT_SOURCES = """() => {
    window.openings = []
    for (const name of ["EventSource", "WebSocket"]) {
        window[name] = class extends window[name] {
            constructor(...options) {
                super(...options)
                openings.push(performance.now())
            }
        }
    }
}"""
# Until the network is back, the script's own next try is minutes away.
FAR_BACK_OFF = """() => {
    const random = Math.random
    Math.random = () => 1_000
    addEventListener("online", () => Math.random = random)
}"""


@pytest.fixture
def counting_page(page_of, wire):
    """A page that counts the sources that it opens from now on, and its connection to the server."""

    def counting_page(transport):
        road = wire()
        page = page_of(transport, road.url)
        page.evaluate(COUNT_SOURCES)
        return page, road

    return counting_page


@pytest.mark.parametrize("transport", TRANSPORTS)
def test_says_whether_the_source_is_open(server, page_of, wire, transport):
    road = wire()
    page = page_of(transport, road.url)
    road.cut()
    expect(gone(page)).to_be_attached()
    road.connect()
    expect(connected(page)).to_be_attached(timeout=40_000)


@pytest.mark.parametrize("end", ["kill", "stop"])
@pytest.mark.parametrize("transport", TRANSPORTS)
def test_the_end_of_the_server_is_survived(server, page_of, transport, end):
    page = page_of(transport)
    getattr(server, end)()
    expect(gone(page)).to_be_attached()
    server.start()
    server.trigger("SUBSCRIBED/INITIAL_BUY", "ana")
    expect_paid(page)


@pytest.mark.parametrize("transport", TRANSPORTS)
def test_a_dead_connection_is_opened_anew_in_the_foreground(server, page_of, wire, transport):
    road = wire()
    page = page_of(transport, road.url)
    road.die()
    server.trigger("SUBSCRIBED/INITIAL_BUY", "ana")
    road.revive()
    expect(connected(page)).to_be_attached()
    hide(page, seconds=60)
    expect_paid(page)
    assert road.accepted >= 2


@pytest.mark.parametrize("transport", TRANSPORTS)
def test_a_glance_at_another_tab_costs_nothing(server, page_of, wire, transport):
    road = wire()
    page = page_of(transport, road.url)
    before = page.evaluate_handle("document.querySelector('turbo-stream-source').streamSource")
    for _ in range(5):
        hide(page, seconds=2)
    assert page.evaluate("before => document.querySelector('turbo-stream-source').streamSource === before", before)


@pytest.mark.parametrize("transport", TRANSPORTS)
def test_comes_back_with_the_network_at_once(server, counting_page, transport):
    page, road = counting_page(transport)
    # A source that is younger than a second is not opened again at once.
    page.wait_for_timeout(1_100)
    page.evaluate(FAR_BACK_OFF)
    page.context.set_offline(True)
    road.cut()
    expect(gone(page)).to_be_attached()
    server.trigger("SUBSCRIBED/INITIAL_BUY", "ana")
    road.connect()
    assert page.evaluate("openings.length") == 0
    page.context.set_offline(False)
    expect_paid(page)
    # An EventSource also tries again by itself, but only the script makes a new one.
    assert page.evaluate("openings.length") >= 1


@pytest.mark.parametrize("transport", TRANSPORTS)
def test_a_page_from_the_back_forward_cache_is_current(playwright, server, open_page, app_page, transport):
    with launch(playwright, ignore_default_args=["--disable-back-forward-cache"]) as browser:
        page = open_page(app_page("ana", transport, SCRIPT), outages=True, browser=browser)
        expect(connected(page)).to_be_attached()
        page.evaluate("addEventListener('pageshow', event => window.persisted = event.persisted)")
        page.goto(f"{server.url}/up")
        server.trigger("SUBSCRIBED/INITIAL_BUY", "ana")
        page.go_back(wait_until="commit")
        expect_paid(page)
        assert page.evaluate("window.persisted"), "the browser kept no page"


# The least milliseconds between two sources. The events open one at once and one a second later. After a WebSocket that fails
# then, the script opens others; an EventSource tries again by itself.
@pytest.mark.parametrize("transport, pauses", [("sse", [990]), ("websocket", [990, 500, 1_000])], ids=TRANSPORTS)
def test_a_server_that_is_away_is_asked_ever_less_often(counting_page, transport, pauses):
    page, road = counting_page(transport)
    page.wait_for_timeout(1_100)
    # All that is counted comes from the events.
    page.evaluate(FAR_BACK_OFF)
    road.cut()
    expect(gone(page)).to_be_attached()
    page.evaluate(
        """() => {
            for (let each = 0; each < 20; each += 1) dispatchEvent(new Event("online"))
        }"""
    )
    # However slow the machine is, no timer is early.
    page.wait_for_function("count => openings.length > count", arg=len(pauses), timeout=60_000)
    times = page.evaluate("openings")
    waited = [later - earlier for earlier, later in zip(times, times[1:])]
    assert all(took >= least for took, least in zip(waited, pauses)), waited
    road.connect()
    expect(connected(page)).to_have_count(1, timeout=60_000)
    assert page.evaluate("document.querySelectorAll('turbo-stream-source').length") == 1


@pytest.mark.parametrize("transport", TRANSPORTS)
def test_a_return_that_is_said_in_several_ways_opens_one_source(counting_page, transport):
    page, _ = counting_page(transport)
    page.wait_for_timeout(1_100)
    opened = page.evaluate(
        """() => {
            dispatchEvent(new PageTransitionEvent("pageshow", {persisted: true}))
            dispatchEvent(new Event("online"))
            document.dispatchEvent(new Event("visibilitychange"))
            return openings.length
        }"""
    )
    assert opened == 1
    expect(connected(page)).to_have_count(1)
    # A source that takes more than a second to open is opened again. One that is open stays.
    opened = page.evaluate("openings.length")
    page.wait_for_timeout(2_500)
    expect(connected(page)).to_have_count(1)
    assert page.evaluate("openings.length") == opened


def test_an_event_source_that_a_refusal_killed_opens_again(server, page_of, wire):
    road = wire()
    page = page_of("sse", road.url)
    road.refuse("HTTP/1.1 503 Service Unavailable\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
    page.wait_for_function("document.querySelector('turbo-stream-source').streamSource.readyState === 2")
    server.trigger("SUBSCRIBED/INITIAL_BUY", "ana")
    road.refuse(None)
    expect_paid(page)


def test_server_sent_events_resume_behind_the_last_one_seen(server, page_of, wire):
    road = wire()
    page = page_of("sse", road.url)
    server.notice("ana", "seen")
    expect(page.locator("#notices li")).to_have_text(["seen"])
    hide(page, seconds=60)
    server.notice("ana", "new")
    expect(page.locator("#notices li").last).to_have_text("new")
    expect(page.locator("#notices li")).to_have_text(["seen", "new"])


@pytest.mark.parametrize("transport", TRANSPORTS)
def test_follows_turbo_to_another_page_and_back(server, page_of, app_page, transport):
    page = page_of(transport)
    address, other = page.url, app_page("ben", transport, SCRIPT)
    visit(page, other)
    expect(connected(page)).to_have_count(1)
    page.go_back()
    page.wait_for_url(address)
    expect(connected(page)).to_have_count(1)
    server.trigger("SUBSCRIBED/INITIAL_BUY", "ana")
    expect_paid(page)


def test_a_morph_keeps_the_source_and_what_is_said_of_it(server, open_page, app_page, turbo_8):
    head = SCRIPT + '<meta name="turbo-refresh-method" content="morph">'
    page = open_page(app_page("ana", "sse", head))
    expect(connected(page)).to_be_attached()
    page.evaluate("window.old = document.querySelector('turbo-stream-source').streamSource")
    app_page("ana", "sse", head + '<meta name="rendered" content="again">')
    server.broadcast("ana", '<turbo-stream action="refresh"></turbo-stream>')
    expect(page.locator("meta[name=rendered]")).to_be_attached()
    expect(connected(page)).to_have_count(1)
    assert page.evaluate("document.querySelector('turbo-stream-source').streamSource === old")


def test_leaves_no_name_behind(server, open_page, app_page):
    plain = open_page(app_page("ben"))
    page = open_page(app_page("ana", head=SCRIPT))
    names = "Object.getOwnPropertyNames(window).sort()"
    assert page.evaluate(names) == plain.evaluate(names)
