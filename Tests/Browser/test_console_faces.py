"""Each page of the console, for everybody: in both themes, narrow, without JavaScript, with the keyboard alone."""

import io
import re
from pathlib import Path

import axe_playwright_python
import pytest
from PIL import Image
from playwright.sync_api import expect

from console import expect_user, paste, secret, user_address
from office import BUSY, EMPTY, Office

AXE = Path(axe_playwright_python.__file__).parent / "axe.min.js"
RULES = {"runOnly": {"type": "tag", "values": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"]}}
LAPTOP = {"width": 1366, "height": 800}
NARROW, WIDE = {"width": 360, "height": 740}, {"width": 1280, "height": 800}
SCHEMES = ["light", "dark"]

ACTIONS = ["grant", "claim", "send-state", "dry-run", "recover", "end", "erase", "revoke?grant={grant}", "resend?delivery={delivery}"]
PAGES = {
    "overview": "/console",
    "overview-day": "/console?range=day",
    "search-nothing": "/console/search?q=nobody",
    "user": user_address(BUSY),
    "user-empty": user_address(EMPTY),
    "event": "/console/events/{event}",
    "event-unclaimed": "/console/events/{unclaimed}",
    "event-quarantined": "/console/events/{quarantined}",
    "live": "/console/live",
    "live-filtered": "/console/live?outcome=unclaimed&provider=apple",
    "live-wrong": "/console/live?outcome=aplied",
    "attention": "/console/attention",
    "nodes": "/console/nodes",
    "refund": "/console/refunds/{refund}",
    "missing": "/console/nothing-here",
} | {f"action-{action.partition('?')[0]}": f"{user_address(BUSY)}/{action}" for action in ACTIONS}


@pytest.fixture(scope="module")
def office(tmp_path_factory):
    office = Office(tmp_path_factory.mktemp("office"))
    yield office
    office.stop()


@pytest.fixture
def page_of(office, open_page):
    """A page of somebody who may do everything. Whatever it logs fails the test: a refusal of its own policy, for one."""

    def page_of(name, **options):
        page = open_page(office.url + "/console/enter", outages=True, **options)
        answer = page.goto(office.url + PAGES[name].format(**vars(office)))
        assert answer.status == {"missing": 404, "live-wrong": 422}.get(name, 200), name
        return page

    return page_of


def violations(page):
    page.evaluate(AXE.read_text())
    # The fragment's frame lets no script in: its markup is the app's.
    found = page.evaluate("rules => axe.run(document, {...rules, iframes: false})", RULES)["violations"]
    return [f"{one['id']}: {one['help']}: {node['html'][:200]}" for one in found for node in one["nodes"]]


def sideways(page):
    """What is wider than the window, by name."""
    return page.evaluate(
        """() => document.documentElement.scrollWidth <= innerWidth ? [] :
            [...document.querySelectorAll("body *")].filter(element => element.getBoundingClientRect().right > innerWidth)
                .map(element => `${element.localName}.${element.className}`).slice(0, 5)"""
    )


# Words, names and ids that are on more than one line. A Google purchase token is too long for any line.
BROKEN = r"""() => {
    const words = /^[0-9a-f-]{36}$|[^\s\/-]{1,44}(?![^\s\/-])/g
    const texts = document.createTreeWalker(document.querySelector("main"), NodeFilter.SHOW_TEXT)
    const broken = []
    for (let text; (text = texts.nextNode());) {
        if (!text.parentElement.checkVisibility() || text.parentElement.closest(".raw")) continue
        for (const word of text.data.matchAll(words)) {
            const range = new Range()
            range.setStart(text, word.index)
            range.setEnd(text, word.index + word[0].length)
            if (new Set([...range.getClientRects()].map(line => Math.round(line.top))).size > 1) broken.push(word[0])
        }
    }
    return broken
}"""


@pytest.mark.parametrize("name", PAGES)
def test_everybody_can_read_it(page_of, screenshot, name):
    """In both themes, at a desk and on a phone: one visit, since opening a page takes longer than looking at it."""
    page = page_of(name, viewport=WIDE)
    assert page.locator("h1").count() == 1
    # Only the counter is read aloud.
    assert page.locator("[aria-live]").count() == (1 if name in ("live", "live-filtered") else 0)
    for place, size in (("wide", WIDE), ("narrow", NARROW)):
        page.set_viewport_size(size)
        assert sideways(page) == []
        for scheme in SCHEMES:
            page.emulate_media(color_scheme=scheme)
            assert violations(page) == [], (place, scheme)
            screenshot(page, f"console-{name}-{place}-{scheme}")
    page.set_viewport_size(LAPTOP)
    assert page.evaluate(BROKEN) == []
    page.set_viewport_size({"width": 390, "height": 844})
    assert sideways(page) == []
    if name.startswith("live"):
        assert page.evaluate("[...document.querySelectorAll('.wide')].every(one => one.scrollWidth <= one.clientWidth)"), "cut"
        assert page.evaluate(BROKEN) == []
    for table in page.locator("main table").all():
        assert table.locator("th").count() and table.locator("th:not([scope])").count() == 0
        named = table.evaluate("table => !!(table.caption ?? table.closest('[aria-label], [aria-labelledby], details'))")
        assert named, table.inner_html()[:200]


def test_one_minute_of_a_chart_is_seen(page_of):
    page = page_of("overview", viewport=LAPTOP)
    dot = page.locator(".chart .dot").first
    place = dot.evaluate("dot => { const {x, y} = dot.getBoundingClientRect(); return {x: x - 6, y: y + scrollY - 6} }")
    shot = page.screenshot(full_page=True, clip=place | {"width": 12, "height": 12})
    colours = Image.open(io.BytesIO(shot)).convert("RGB").getcolors()
    tone = dot.evaluate("dot => getComputedStyle(dot).stroke")
    painted = sum(count for count, colour in colours if colour == tuple(map(int, re.findall(r"\d+", tone))))
    assert painted >= 30


@pytest.mark.parametrize("scheme", SCHEMES)
def test_everybody_can_log_in(office, open_page, screenshot, scheme):
    page = open_page(office.url + "/console", outages=True, color_scheme=scheme, viewport=NARROW)
    assert sideways(page) == [] and violations(page) == []
    screenshot(page, f"console-log-in-narrow-{scheme}")
    paste(page, "wrong")
    expect(page.get_by_role("alert")).to_be_visible()
    assert sideways(page) == [] and violations(page) == []


SHAPE = """() => [...document.querySelectorAll("main :is(h1, h2, th, caption, summary, label, a, button, svg)")]
    .filter(element => !element.closest("[data-live], #live-pause, #live-show"))
    .filter(element => !element.hidden).map(element => element.localName + (element.getAttribute("href") ?? ""))"""


@pytest.mark.parametrize("name", [name for name in PAGES if name not in ("live", "live-filtered")])
def test_it_says_the_same_without_javascript(page_of, name):
    """But for the time, which the reader's zone is added to, and the live list."""
    page, plain = page_of(name), page_of(name, java_script_enabled=False)
    if plain.evaluate(SHAPE) != page.evaluate(SHAPE):
        # A minute that begins between the two is a column more in the overview's tables: the next one is a minute away.
        page.reload()
        plain.reload()
    assert plain.evaluate(SHAPE) == page.evaluate(SHAPE)


def test_somebody_without_javascript_gets_everywhere(office, open_page):
    page = open_page(office.url + "/console", outages=True, java_script_enabled=False)
    paste(page, secret("admin"))
    page.get_by_role("searchbox").fill(f"  {BUSY} ")
    page.get_by_role("button", name="Search").click()
    expect_user(page, BUSY)
    for name in ("Overview", "Live", "Attention", "Nodes"):
        page.get_by_role("navigation", name="Console").get_by_role("link", name=name, exact=True).click()
        expect(page.get_by_role("link", name=name, exact=True)).to_have_attribute("aria-current", "page")
    page.goto(office.url + "/console/live")
    page.get_by_label("Outcome").select_option("unclaimed")
    page.get_by_role("button", name="Show", exact=True).click()
    page.wait_for_url(re.compile("outcome=unclaimed"))
    expect(page.locator("#live-rows tr")).to_have_count(1)
    page.locator("#live-rows a").first.click()
    expect(page.locator(".lead")).to_contain_text("Unclaimed")
    page.get_by_role("button", name="Log out").click()
    expect(page.get_by_label("Key")).to_be_visible()


def press_until(page, key, target, most=80):
    """Goes on with a key until the element has the focus, which must be seen."""
    for _ in range(most):
        page.keyboard.press(key)
        if target.evaluate("element => element === document.activeElement"):
            break
    expect(target).to_be_focused()
    outline = target.evaluate("element => getComputedStyle(element).outlineStyle")
    assert outline != "none", "the focus cannot be seen"


def test_the_keyboard_is_enough(office, open_page):
    page = open_page(office.url + "/console", outages=True)
    expect(page.get_by_label("Key")).to_be_focused()
    page.keyboard.type(secret("admin"))
    page.keyboard.press("Enter")
    search = page.get_by_role("searchbox")
    expect(search).to_be_focused()
    page.keyboard.type("ben")
    page.keyboard.press("Enter")
    expect_user(page, "ben")
    # The first thing is a way past the menu.
    page.keyboard.press("Tab")
    skip = page.get_by_role("link", name="Skip to the page")
    expect(skip).to_be_focused()
    expect(skip).to_be_in_viewport()
    page.keyboard.press("Enter")
    expect(page.locator("#page")).to_be_focused()
    press_until(page, "Tab", page.get_by_role("main").get_by_role("link", name=re.compile("Grant")).first)
    page.keyboard.press("Enter")
    press_until(page, "Tab", page.get_by_label(re.compile("^Or a product")))
    page.keyboard.type("pro.annual")
    press_until(page, "Tab", page.get_by_label("Why"))
    page.keyboard.type("ticket 7")
    press_until(page, "Tab", page.get_by_role("button", name="Grant it"))
    page.keyboard.press("Enter")
    expect(page.get_by_role("status")).to_contain_text("Granted")
    assert [one["product"] for one in office.server.request("GET", "/users/ben")["contracts"]].count("pro.annual") == 1


def test_times_are_in_utc_and_in_the_readers_zone(page_of):
    page = page_of("user", timezone_id="Asia/Tokyo")
    times = page.locator("main time")
    expect(times.first.locator(".local")).to_have_text(re.compile(r"\d\d:\d\d here"))
    # What the script has added took no room of its own.
    page.evaluate("window.box = () => JSON.stringify([...document.querySelectorAll('main, main time')].map(one => one.getBoundingClientRect()))")
    before = page.evaluate("box()")
    assert page.evaluate("(document.querySelectorAll('.local').forEach(one => one.remove()), box())") == before
    for each in times.all():
        assert re.search(r"UTC|^\d+ \w+ \d{4}$", each.text_content())
        assert re.fullmatch(r"\d{4}-\d\d-\d\dT[\d:.]+Z", each.get_attribute("datetime"))
