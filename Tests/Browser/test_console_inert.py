"""What stores, users and pages say is shown as text, and can neither run, hide nor move what stands beside it."""

import re

import pytest
from playwright.sync_api import expect

from console import console_server, deliver, expect_user, heading, user_address

SCRIPT = "<script>window.isHacked = true</script><img src=x onerror='window.isHacked = true'>"
QUOTES = "\"'><svg onload=\"window.isHacked = true\">"
TEMPLATE = "{{user}}</template></turbo-stream><part name=\"x\">"
# Turns what follows around, and hides what is between.
BIDI = "pro\u202egnp.\u2066x\u200b\u200f"
CONTROL = "a\u0007b\u001b[31mc\u0085d"
LONG = "n" * 10_000
HOSTILE = {"script": SCRIPT, "quotes": QUOTES, "template": TEMPLATE, "bidi": BIDI, "control": CONTROL, "long": LONG}
STORES = ["apple", "google", "stripe", "revenuecat", "purchasekit"]
HIDDEN = re.compile("[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200b\u200e\u200f\u202a-\u202e\u2066-\u2069]")
LONGEST = 300


def is_user(text):
    return len(text.encode()) <= 255 and not re.search("[\u0000-\u001f\u007f-\u009f]", text)


@pytest.fixture(scope="module")
def told(tmp_path_factory):
    """A server to which each store has said each of them, in every field that it takes."""
    server = console_server(tmp_path_factory.mktemp("inert"))
    events = []
    for store in STORES:
        for name, text in HOSTILE.items():
            user = text if is_user(text) else f"{store} {name}"
            for options in (["--product", text], ["--bundle", text], []):
                event = deliver(server, store, "initial", "--user", user, *options).get("event")
                events += [event] if event else []
    for text in HOSTILE.values():
        for field in ("product", "reason"):
            grant = {"product": "pro", "reason": "none", "days": 30, field: text}
            try:
                server.request("POST", "/users/granted/grants", grant)
            except OSError as refusal:
                # What is too long, or has control characters, does not come in.
                assert refusal.code == 400
    assert len(events) > 2 * len(STORES)
    yield server, events
    server.stop()


def expect_inert(page):
    # With its style sheet, after a form too.
    page.wait_for_load_state()
    assert page.evaluate("window.isHacked") is None
    scripts = page.evaluate("[...document.scripts].map(script => new URL(script.src).pathname)")
    assert all(path.startswith("/console/assets/") for path in scripts)
    assert page.locator("main :is(img, [onload], [onerror], object, embed)").count() == 0
    text = page.locator("body").inner_text()
    assert not HIDDEN.search(text), HIDDEN.search(text)
    texts = page.evaluate(
        """() => [...document.querySelectorAll("body *")].filter(one => one.childElementCount === 0 && !one.closest("pre"))
            .flatMap(one => [one.textContent, one.getAttribute("aria-label") ?? ""])"""
    )
    # A sentence of ours may name several of theirs.
    assert max(len(word) for text in texts for word in text.split()) <= 2 * LONGEST
    assert max(map(len, texts)) <= 3000
    # A page that stores could widen would hide what is at its right.
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


@pytest.fixture
def page(told, open_page):
    return open_page(told[0].url + "/console/enter", outages=True, viewport={"width": 390, "height": 844})


@pytest.mark.parametrize("name", ["/console", "/console/live", "/console/attention", "/console/nodes"])
def test_a_list_of_it(told, page, name):
    page.goto(told[0].url + name)
    expect(heading(page)).to_be_visible()
    expect_inert(page)


@pytest.mark.parametrize("name", [name for name, text in HOSTILE.items() if is_user(text)])
def test_a_user_of_that_name(told, page, name):
    server, _ = told
    page.goto(server.url + "/console")
    page.get_by_role("searchbox").fill(HOSTILE[name])
    page.get_by_role("button", name="Search").click()
    expect(page.get_by_role("heading", level=1)).to_be_visible()
    expect_inert(page)
    page.goto(server.url + user_address(HOSTILE[name]))
    expect_inert(page)
    if HOSTILE[name].isascii():
        expect_user(page, HOSTILE[name])


@pytest.mark.parametrize("store", STORES)
def test_a_user_of_a_store_that_says_such_things(told, page, store):
    for name in HOSTILE:
        page.goto(told[0].url + user_address(f"{store} {name}"))
        expect_inert(page)


def test_the_events(told, page):
    server, events = told
    for event in events:
        page.goto(f"{server.url}/console/events/{event}")
        expect(heading(page)).to_be_visible()
        expect_inert(page)
        page.get_by_role("button", name="Read the store's words").click()
        expect(page.locator("pre")).to_be_visible()
        expect_inert(page)


@pytest.mark.parametrize("name", HOSTILE)
def test_a_search_for_it(told, page, name):
    page.goto(told[0].url + "/console")
    page.get_by_role("searchbox").fill(HOSTILE[name])
    page.get_by_role("button", name="Search").click()
    expect(heading(page)).to_be_visible()
    expect_inert(page)


@pytest.mark.parametrize("field", ["user", "type", "product", "outcome", "provider", "environment"])
def test_a_filter_of_it(told, page, field):
    for text in (SCRIPT, QUOTES, BIDI):
        page.goto(told[0].url + f"/console/live?{field}=" + user_address(text).rpartition("/")[2])
        expect(heading(page)).to_be_visible()
        expect_inert(page)


def test_a_row_that_comes_live(told, page):
    server, _ = told
    page.goto(server.url + "/console/live")
    expect(page.locator("#live-rows tr").first).to_be_visible()
    deliver(server, "stripe", "initial", "--user", "live" + SCRIPT, "--product", BIDI)
    expect(page.locator("#live-rows tr").first).to_contain_text("live<script>")
    expect_inert(page)
    server.request("POST", "/users/granted/grants", {"product": QUOTES, "reason": "none", "days": 30})
    expect(page.locator("#live-rows tr").first).to_contain_text("svg onload")
    expect_inert(page)


def test_the_frame_of_a_fragment_runs_nothing(told, browser):
    """A template is the app's own, and may have a script that the app's page would run."""
    server, _ = told
    html = "<script>parent.isHacked = true</script><p>Hello</p>"
    server.request("POST", "/broadcasts", {"user": "framed", "action": "update", "target": "paywall", "html": html})
    context = browser.new_context()
    page = context.new_page()
    page.goto(server.url + "/console/enter")
    # The browser says what it did not run.
    with page.expect_console_message(lambda entry: entry.text.startswith("Blocked script execution")):
        page.goto(server.url + user_address("framed"))
        page.locator("iframe").scroll_into_view_if_needed()
    expect(page.frame_locator("iframe").get_by_text("Hello")).to_be_visible()
    assert page.locator("iframe").get_attribute("sandbox") == ""
    expect_inert(page)
    context.close()
