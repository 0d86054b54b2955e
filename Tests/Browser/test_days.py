"""Pages write the day that their user has: in the time zone that the app has told, else by paycast.js in the browser's."""

from datetime import datetime, timedelta

import pytest
from playwright.sync_api import expect

SCRIPT = '<script type="module" src="/paycast.js"></script>'
# Neither knows summer time, and 24 hours are between them: one of the two never has UTC's day.
ZONES = {"Pacific/Apia": 13, "Pacific/Pago_Pago": -11}
MARKED = "#paywall time"


def days_after(iso, hours):
    return datetime.fromisoformat(iso.replace("Z", "+00:00")) + timedelta(hours=hours)


def english(day):
    return f"{day:%B} {day.day}, {day.year}"


def server_english(day):
    return f"{day.day} {day:%B} {day.year}"


@pytest.fixture
def day_page(app_page, open_page):
    """A page whose browser is in a time zone."""

    def day_page(zone, head=SCRIPT, user="ana", **options):
        page = open_page(app_page(user, head=head), timezone_id=zone, **options)
        expect(page.locator("turbo-stream-source")).to_be_attached()
        return page

    return day_page


def append(page, html):
    page.evaluate("html => document.body.insertAdjacentHTML('beforeend', html)", html)


@pytest.mark.parametrize("zone", ZONES)
def test_the_day_is_the_browsers(server, day_page, zone):
    page = day_page(zone)
    server.trigger("SUBSCRIBED/INITIAL_BUY", "ana")
    expect(page.locator(MARKED)).to_have_attribute("data-paycast-time-zone", zone)
    day = days_after(page.locator(MARKED).get_attribute("datetime"), ZONES[zone])
    expect(page.locator(MARKED)).to_have_text(english(day))
    expect(page.locator("#subscription_status time")).to_have_text(english(day))


def test_without_the_script_it_is_utcs(server, day_page):
    page = day_page("Pacific/Apia", head="")
    server.trigger("SUBSCRIBED/INITIAL_BUY", "ana")
    expect(page.locator(MARKED)).to_have_attribute("data-paycast-time-zone", "")
    iso = page.locator(MARKED).get_attribute("datetime")
    expect(page.locator(MARKED)).to_have_text(server_english(days_after(iso, 0)))


@pytest.mark.parametrize("zone", ZONES)
def test_the_zone_that_the_app_has_told_stays(server, day_page, zone):
    """The user is there, says the app, wherever this browser is."""
    browser = next(other for other in ZONES if other != zone)
    server.request("GET", f"/users/ana/stream?time_zone={zone}")
    page = day_page(browser)
    server.trigger("SUBSCRIBED/INITIAL_BUY", "ana")
    expect(page.locator(MARKED)).to_have_attribute("data-paycast-time-zone", zone)
    day = days_after(page.locator(MARKED).get_attribute("datetime"), ZONES[zone])
    expect(page.locator(MARKED)).to_have_text(server_english(day))


def test_the_day_is_in_the_language_of_its_element(server, day_page):
    server.request("GET", "/users/ana/stream?locale=de")
    page = day_page("Pacific/Apia")
    server.trigger("SUBSCRIBED/INITIAL_BUY", "ana")
    expect(page.locator("#paywall[lang=de] time")).to_have_attribute("data-paycast-time-zone", "Pacific/Apia")
    day = days_after(page.locator(MARKED).get_attribute("datetime"), 13)
    assert page.locator(MARKED).text_content().startswith(f"{day.day}. ")


# When the clocks change, by the browser's own rules.
@pytest.mark.parametrize(
    "zone, iso, text",
    [
        ("Europe/Berlin", "2026-03-29T21:59:59.999Z", "March 29, 2026"),
        ("Europe/Berlin", "2026-03-29T22:00:00.000Z", "March 30, 2026"),
        ("Europe/Berlin", "2026-10-25T22:59:59.999Z", "October 25, 2026"),
        ("America/New_York", "2026-03-09T03:59:59.999Z", "March 8, 2026"),
    ],
)
def test_summer_time(day_page, zone, iso, text):
    page = day_page(zone)
    append(page, f'<p id="new"><time datetime="{iso}" data-paycast-time-zone="">?</time></p>')
    expect(page.locator("#new time")).to_have_text(text)


@pytest.mark.parametrize(
    "time",
    [
        '<time datetime="2026-01-31T23:30:00.000Z">soon</time>',
        '<time datetime="2026-01-31T23:30:00.000Z" data-paycast-time-zone="UTC">soon</time>',
        '<time data-paycast-time-zone="">soon</time>',
        '<time datetime="" data-paycast-time-zone=""></time>',
        '<time datetime="tomorrow" data-paycast-time-zone="">soon</time>',
        '<time datetime="2026-01-31T23:30:00.000Z" data-paycast-time-zone=""><b>soon</b></time>',
        '<time datetime="2026-01-31T23:30:00.000Z" data-paycast-time-zone="" lang="no language">soon</time>',
    ],
)
def test_what_the_server_has_not_written_stays(day_page, time):
    page = day_page("Pacific/Apia")
    append(page, f'<p id="own">{time}</p><p id="new"><time datetime="2026-01-31T23:30:00.000Z" data-paycast-time-zone="">?</time></p>')
    expect(page.locator("#new time")).to_have_text("February 1, 2026")
    assert page.locator("#own").inner_html() == time


# Counts how often each observer is called.
COUNT_CALLS = """
    window.calls = 0
    const Observer = window.MutationObserver
    window.MutationObserver = class extends Observer {
        constructor(callback) { super((...given) => { window.calls++; callback(...given) }) }
    }
"""
TWO_FRAMES = "() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() => done(window.calls))))"


def test_nothing_that_is_written_makes_the_script_look_again(app_page, browser):
    """What a page's own change costs: a call of each observer, with a day to write in it or without."""
    context = browser.new_context(timezone_id="Pacific/Apia")
    context.add_init_script(COUNT_CALLS)
    page = context.new_page()
    page.goto(app_page("ana", head=SCRIPT))
    expect(page.locator("turbo-stream-source[connected]")).to_be_attached()
    costs = []
    for html in ["<p>new</p>", '<time id="new" datetime="2026-01-31T23:30:00.000Z" data-paycast-time-zone="">?</time>']:
        before = page.evaluate(TWO_FRAMES)
        append(page, html)
        costs.append(page.evaluate(TWO_FRAMES) - before)
    expect(page.locator("#new")).to_have_text("February 1, 2026")
    assert costs[0] == costs[1] > 0
    context.close()


def test_a_morph_that_brings_the_servers_text_back_is_written_again(day_page):
    """A morph changes the attribute and the text of the element that is there, as here."""
    page = day_page("Pacific/Apia")
    append(page, '<time id="new" datetime="2026-01-31T23:30:00.000Z" data-paycast-time-zone="">?</time>')
    expect(page.locator("#new")).to_have_text("February 1, 2026")
    page.evaluate(
        """() => {
            const day = document.getElementById("new")
            day.setAttribute("data-paycast-time-zone", "")
            day.firstChild.nodeValue = "31 January 2026"
        }"""
    )
    expect(page.locator("#new")).to_have_text("February 1, 2026")
