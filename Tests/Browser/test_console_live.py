"""The live list: it grows while somebody looks at it, and never under the reader's hand."""

import re

import pytest
from playwright.sync_api import expect

from console import console_server, deliver

LONGEST = 200
# More at a time are counted, and not listed.
FEW = 10
# The page's own policy forbids Playwright to wait for an expression.
OPEN = """new Promise(done => {
    const source = () => document.querySelector("turbo-stream-source")?.streamSource
    const look = () => source()?.readyState === EventSource.OPEN ? done() : setTimeout(look, 20)
    look()
})"""


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    server = console_server(tmp_path_factory.mktemp("live"))
    yield server
    server.stop()


@pytest.fixture
def live(server, open_page):
    def live(query="", **options):
        page = open_page(server.url + "/console/enter", outages=True, **options)
        page.goto(f"{server.url}/console/live{query}")
        page.evaluate(OPEN)
        page.evaluate("window.hasNotReloaded = true")
        # Nobody's hand is on the list.
        page.mouse.move(1, 1)
        return page

    return live


def grant(server, user, product="pro"):
    values = {"product": product, "days": 30, "reason": "none"}
    return server.request("POST", f"/users/{user}/grants", values)


def fill(server, page, name, count):
    """So many rows, a few at a time."""
    for first in range(0, count, FEW):
        numbers = range(first, min(first + FEW, count))
        for number in numbers:
            grant(server, f"{name}-{number:03}")
        expect(row_of(page, f"{name}-{numbers[-1]:03}")).to_have_count(1)


def rows(page):
    return page.locator("#live-rows tr")


def row_of(page, text):
    return page.locator("#live-rows tr", has_text=text)


def test_a_new_event_comes_to_the_top(server, live):
    page = live()
    for user in ("first", "second"):
        grant(server, user)
        expect(rows(page).first).to_contain_text(user)
    expect(row_of(page, "first")).to_have_count(1)
    assert page.evaluate("window.hasNotReloaded")


def test_a_row_changes_when_its_state_does(server, live):
    page = live()
    order = "11111111-2222-4333-8444-555555555555"
    deliver(server, "apple", "initial", "--order", order)
    row = rows(page).first
    expect(row).to_contain_text("unclaimed")
    name = row.get_attribute("id")
    server.request("POST", "/orders", {"user": "late", "product": "paycast.pro.monthly", "token": order})
    expect(page.locator(f"#{name}")).not_to_contain_text("unclaimed")
    assert page.evaluate("window.hasNotReloaded")


def test_it_is_never_longer_than_a_reader_can_use(server, live):
    page = live()
    fill(server, page, "many", LONGEST + 50)
    expect(rows(page).first).to_contain_text(f"many-{LONGEST + 49}")
    assert rows(page).count() <= LONGEST


@pytest.mark.parametrize("count", [3, 120])
def test_a_pause_loses_nothing(server, live, count):
    """Rows for as many as can be listed; a counter says how many there were besides."""
    page = live()
    mark = f"paused{count}"
    grant(server, f"before-{mark}")
    expect(rows(page).first).to_contain_text(f"before-{mark}")
    page.get_by_role("button", name="Pause").click()
    expect(page.locator("turbo-stream-source")).to_have_count(0)
    for number in range(count):
        grant(server, f"{mark}-{number:03}")
    expect(row_of(page, mark)).to_have_count(1)
    page.get_by_role("button", name="Go on").click()
    expect(row_of(page, f"{mark}-{count - 1:03}")).to_have_count(1)
    shown = set(re.findall(rf"{mark}-\d+", page.locator("#live-rows").inner_text()))
    if len(shown) < count:
        expect(page.locator("#live-more, #live-counter").filter(has_text=re.compile(r"\d"))).not_to_have_count(0)
    else:
        assert rows(page).evaluate_all("rows => new Set(rows.map(row => row.id)).size === rows.length")


def test_many_at_once_are_a_counter(server, live):
    page = live("?provider=paycast")
    page.evaluate(
        """async ([key]) => {
            const grant = number => fetch(`/users/burst-${number}/grants`, {method: "POST",
                headers: {Authorization: `Bearer ${key}`, "Content-Type": "application/json"},
                body: JSON.stringify({product: "pro", days: 30, reason: "none"})})
            for (let round = 0; round < 10; round += 1) {
                await Promise.all(Array.from({length: 60}, (_, number) => grant(60 * round + number)))
            }
        }""",
        [server.key],
    )
    expect(page.locator("#live-more")).to_contain_text(re.compile(r"\d+\+? events"))
    assert rows(page).count() <= LONGEST
    page.locator("#live-more a").click()
    expect(rows(page).first).to_contain_text("burst-")


def test_nothing_moves_under_the_readers_hand(server, live):
    page = live()
    fill(server, page, "long", 40)
    row = rows(page).nth(1)
    name = row.get_attribute("id")
    row.hover()
    before = row.bounding_box()
    grant(server, "while-hovering")
    expect(page.locator("#live-counter")).to_contain_text("1 new")
    assert page.locator(f"#{name}").bounding_box() == before
    page.mouse.move(1, 1)
    page.get_by_role("button", name="Show them").click()
    expect(row_of(page, "while-hovering")).to_have_count(1)


def test_nothing_moves_for_somebody_who_has_scrolled(server, live):
    page = live(viewport={"width": 1000, "height": 500})
    fill(server, page, "down", 40)
    page.evaluate("scrollTo(0, document.body.scrollHeight)")
    place = page.evaluate("scrollY")
    assert place > 0
    reading = rows(page).nth(30)
    name, before = reading.get_attribute("id"), reading.bounding_box()
    grant(server, "while-scrolled")
    expect(page.locator("#live-counter")).to_contain_text("1 new")
    assert page.locator(f"#{name}").bounding_box() == before
    assert page.evaluate("scrollY") == place


def test_a_focused_row_keeps_its_focus(server, live):
    page = live()
    grant(server, "focused")
    link = row_of(page, "focused").first.get_by_role("link").first
    link.focus()
    before = link.bounding_box()
    grant(server, "while-focused")
    expect(page.locator("#live-counter")).to_contain_text("1 new")
    expect(link).to_be_focused()
    assert link.bounding_box() == before


def test_a_view_can_be_sent_to_a_colleague(server, live):
    page = live()
    page.get_by_label("Outcome").select_option("unclaimed")
    page.get_by_label("Store", exact=True).select_option("stripe")
    page.get_by_label("User").fill("")
    page.get_by_role("button", name="Show", exact=True).click()
    page.wait_for_url(re.compile("outcome=unclaimed"))
    colleague = live("?" + page.url.partition("?")[2])
    expect(colleague.get_by_label("Outcome")).to_have_value("unclaimed")
    grant(server, "not-of-this-view")
    deliver(server, "apple", "initial", "--order", "21111111-2222-4333-8444-555555555555")
    deliver(server, "stripe", "initial", "--order", "31111111-2222-4333-8444-555555555555")
    expect(rows(colleague).first).to_contain_text("unclaimed")
    expect(rows(colleague).first).to_contain_text("Stripe")
    expect(colleague.locator("#live-rows")).not_to_contain_text("Apple")
    expect(colleague.locator("#live-rows")).not_to_contain_text("not-of-this-view")


def test_one_product_alone(server, live):
    page = live("?product=pro.annual")
    grant(server, "of-another-product")
    grant(server, "of-this-product", "pro.annual")
    expect(rows(page).first).to_contain_text("of-this-product")
    expect(page.locator("#live-rows")).not_to_contain_text("of-another-product")


def test_a_name_that_nothing_has_is_named(server, live):
    page = live("?product=pro.anual")
    expect(page.locator("main .empty")).to_contain_text("“pro.anual”")
    grant(server, "a-typing-error", "pro.anual")
    expect(rows(page).first).to_contain_text("a-typing-error")
    expect(page.locator("main .empty")).to_be_hidden()


@pytest.mark.parametrize("query", ["outcome=aplied", "provider=aple", "environment=Test"])
def test_a_filter_that_nothing_can_meet_is_named(server, open_page, query):
    page = open_page(server.url + "/console/enter", outages=True)
    page.goto(f"{server.url}/console/live?{query}")
    expect(page.get_by_role("alert")).to_contain_text(query.partition("=")[2])
    expect(page.locator("#live-rows")).to_have_count(0)


def test_it_goes_on_after_the_server_was_away(server, live):
    page = live()
    server.stop()
    server.start()
    grant(server, "after-a-restart")
    expect(row_of(page, "after-a-restart")).to_have_count(1, timeout=40_000)
    assert page.evaluate("window.hasNotReloaded")


def test_its_end_is_the_end_of_the_session(server, live):
    """Whoever has logged out in another tab sees nothing new."""
    page = live()
    address = page.locator("#live-source").get_attribute("data-address")
    tab = page.context.new_page()
    tab.goto(server.url + "/console")
    tab.get_by_role("button", name="Log out").click()
    expect(tab.get_by_label("Key")).to_be_visible()
    # Asked from the tab: the page itself may be on its way to the log-in already.
    answer = tab.evaluate("address => fetch(address).then(answer => answer.status)", address)
    assert answer in (401, 403)
