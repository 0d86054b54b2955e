"""The page that `serve --dev` shows first."""

import io
import json
import re
import urllib.error

import pytest
from PIL import Image
from playwright.sync_api import expect

from program import ROOT
from server import PLANS, Server

CATALOG = PLANS
LOOKS = {"desktop": {"width": 1366, "height": 768}, "phone": {"width": 390, "height": 844}}
ANNUAL = "$79.99"

# Each step, the state that the page shows after it, and the steps that it offers then.
STEPS = [
    ("renew", "active", {"renew", "cancel", "downgrade", "grace", "retry", "expire", "refund"}),
    ("cancel", "cancelled", {"resume", "expire", "refund"}),
    ("resume", "active", {"renew", "cancel", "downgrade", "grace", "retry", "expire", "refund"}),
    ("grace", "in_grace_period", {"recover", "retry", "expire", "refund"}),
    ("recover", "active", {"renew", "cancel", "downgrade", "grace", "retry", "expire", "refund"}),
    ("refund", "revoked", {"reversed"}),
    ("reversed", "active", {"renew", "cancel", "downgrade", "grace", "retry", "expire", "refund"}),
    ("retry", "in_billing_retry", {"recover", "expire", "refund"}),
    ("expire", "expired", set()),
]


def status(page, state):
    return page.locator(f"#subscription_status[data-state={state}]")


def button(page):
    return page.get_by_role("button", name="Subscribe", exact=True)


def is_ready(page):
    """The page may have changed before the store's answer is there, and until then it takes no other click."""
    expect(page.locator("body[data-delivering]")).to_have_count(0)


def subscribe(page, plan="Annual"):
    page.get_by_role("radio", name=plan).check()
    is_ready(page)
    button(page).click()
    expect(status(page, "active")).to_be_visible()


def say(page, step):
    is_ready(page)
    page.locator(f"#store button[value={step}]").click()


def offered(page):
    return {element.get_attribute("value") for element in page.locator("#store button:visible").all()}


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("look", LOOKS)
def test_subscribing_swaps_the_paywall(server, open_page, screenshot, look, scheme):
    page = open_page(server.url, viewport=LOOKS[look], color_scheme=scheme)
    assert page.locator("h1").count() == 1
    expect(button(page)).to_be_in_viewport(ratio=1)
    screenshot(page, f"demo-{look}-{scheme}-before")
    subscribe(page)
    expect(page.locator("#paywall h2")).to_be_in_viewport(ratio=1)
    expect(page.locator("#paywall")).to_contain_text("Welcome to Pro")
    expect(page.locator("#events .event").first).to_contain_text("SUBSCRIBED")
    assert page.evaluate("window.hasNotReloaded")
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), "scrolls sideways"
    screenshot(page, f"demo-{look}-{scheme}-after")


@pytest.fixture
def demo(tmp_path):
    """With all that `paycast demo` sells: a plan, something that stays, and something that is used up."""
    server = Server(tmp_path, {"PAYCAST_CATALOG": str(ROOT / "public" / "demo" / "catalog.json")})
    yield server
    server.stop()


@pytest.mark.parametrize("look", LOOKS)
def test_each_product_changes_its_own_elements(demo, open_page, screenshot, look):
    page = open_page(demo.url, viewport=LOOKS[look])
    expect(button(page)).to_be_in_viewport(ratio=1)
    screenshot(page, f"demo-{look}-products-before")
    page.get_by_role("button", name="Buy for $4.99").click()
    expect(page.locator("#paywall_maps")).to_contain_text("The maps are yours")
    is_ready(page)
    page.get_by_role("button", name="Order for $9.99").click()
    expect(page.locator("#purchase")).to_contain_text("Ten prints")
    expect(page.locator("#paywall")).to_contain_text("See further with Pro")
    subscribe(page)
    expect(page.locator("#paywall")).to_contain_text("Welcome to Pro")
    expect(page.locator("#paywall_maps")).to_contain_text("The maps are yours")
    assert page.evaluate("window.hasNotReloaded")
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), "scrolls sideways"
    screenshot(page, f"demo-{look}-products-after")


# What a buyer, or whoever looks around, can press.
CONTROLS = ".stage :is(.plan, button), #phone, .doing :is(button, select, .segments span, .switch)"
OUTSIDE = """selector => [...document.querySelectorAll(selector)].filter(element => element.checkVisibility())
    .filter(element => element.getBoundingClientRect().bottom > innerHeight).map(element => element.textContent.trim())"""


@pytest.mark.parametrize("language", ["English", "Deutsch"])
def test_a_laptop_shows_all_that_can_be_done(demo, open_page, language):
    page = open_page(demo.url, viewport={"width": 1366, "height": 800})
    page.get_by_role("button", name=language).click()
    expect(page.get_by_role("button", name=language)).to_have_attribute("aria-pressed", "true")
    expect(page.locator("#phone")).to_be_visible()
    assert page.locator(CONTROLS).count() > 20
    assert page.evaluate(OUTSIDE, CONTROLS) == []
    is_ready(page)
    page.locator("#paywall button").first.click()
    expect(page.locator("#store button[value=renew]")).to_be_visible()
    expect(page.locator("#way li[data-reached]")).to_have_count(4)
    assert page.evaluate(OUTSIDE, CONTROLS + ", #way li") == [] and page.evaluate("scrollY") == 0


@pytest.mark.parametrize("width", [390, 360, 320])
def test_no_label_of_the_segments_wraps(server, open_page, width):
    page = open_page(server.url, viewport={"width": width, "height": 844})
    expect(page.locator("#world-panel")).to_be_visible()
    for choice in page.locator(".segments input").all():
        choice.check()
        lines = page.locator(".segments span").evaluate_all(
            "labels => labels.map(label => (range => (range.selectNodeContents(label), range.getClientRects().length))(new Range()))"
        )
        assert lines == [1] * 6
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), "scrolls sideways"


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_what_is_not_selected_does_not_look_disabled(server, open_page, scheme):
    """The middle of the radio is what is around it: browsers fill their own dark one with grey."""
    page = open_page(server.url, color_scheme=scheme, viewport=LOOKS["desktop"])
    radio, plan = page.get_by_role("radio", name="Monthly"), page.locator(".plan", has_text="Monthly")
    box, area = radio.bounding_box(), plan.bounding_box()
    picture = Image.open(io.BytesIO(plan.screenshot())).convert("RGB")
    x, y = (int(box[at] + box[size] / 2 - area[at]) for at, size in (("x", "width"), ("y", "height")))
    assert picture.getpixel((x, y)) == picture.getpixel((x, 6))


def test_the_swapped_card_comes_into_view(server, open_page):
    page = open_page(server.url, viewport={"width": 390, "height": 500})
    button(page).scroll_into_view_if_needed()
    expect(page.locator("#paywall h2")).not_to_be_in_viewport()
    subscribe(page)
    expect(page.locator("#paywall h2")).to_be_in_viewport(ratio=1)


def test_the_way_is_shown_in_milliseconds(server, open_page):
    page = open_page(server.url)
    subscribe(page)
    expect(page.locator("#way li[data-reached]")).to_have_count(4)
    times = [float(text.removesuffix(" ms")) for text in page.locator("#way b").all_inner_texts()]
    assert times[0] == 0 and times == sorted(times) and times[3] > times[1] > 0


def test_works_with_the_keyboard_alone(server, open_page):
    page = open_page(server.url)
    for _ in range(20):
        page.keyboard.press("Tab")
        if button(page).evaluate("button => button === document.activeElement"):
            break
    expect(button(page)).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.locator("#paywall h2")).to_be_focused()
    expect(page.locator("#paywall")).to_contain_text("Welcome to Pro")


def test_only_what_makes_sense_now_is_offered(server, open_page):
    page = open_page(server.url)
    assert offered(page) == set()
    subscribe(page)
    for step, state, steps in STEPS:
        say(page, step)
        expect(status(page, state)).to_be_visible()
        expect(page.locator("body[data-delivering]")).to_have_count(0)
        assert offered(page) == steps, step
    assert page.evaluate("window.hasNotReloaded")


def test_the_card_and_the_banner_tell_one_truth(server, open_page):
    page = open_page(server.url)
    subscribe(page)
    for step, card, banner in [
        ("grace", "Your payment didn’t go through", "Your payment didn’t go through."),
        ("recover", "Pro is yours", "Pro is on."),
        ("cancel", "Pro is yours for now", "Your current plan is ending."),
        ("resume", "Pro is yours", "Pro is on."),
    ]:
        say(page, step)
        expect(page.locator("#paywall h2")).to_have_text(card)
        expect(page.locator("#subscription_status strong")).to_have_text(banner)
        ends = page.locator("#paywall time, #subscription_status time")
        assert len({end.get_attribute("datetime") for end in ends.all()}) == 1, step
    assert page.evaluate("window.hasNotReloaded")


def test_a_monthly_plan_is_upgraded(server, open_page):
    page = open_page(server.url)
    subscribe(page, "Monthly")
    assert "upgrade" in offered(page) and "downgrade" not in offered(page)
    say(page, "upgrade")
    expect(page.locator("#subscription_status[data-product='paycast.pro.annual']")).to_be_visible()
    expect(page.locator("#store button[value=downgrade]")).to_be_visible()


@pytest.mark.parametrize("store", ["apple", "google", "stripe", "revenuecat", "purchasekit"])
def test_every_store_can_be_chosen(server, open_page, store):
    page = open_page(server.url)
    page.locator("#stores").select_option(store)
    subscribe(page)
    expect(page.locator(f"#subscription_status[data-provider={store}]")).to_be_visible()
    expect(page.locator("#stores")).to_be_disabled()
    say(page, "expire")
    expect(status(page, "expired")).to_be_visible()
    expect(page.locator("#stores")).to_be_enabled()


def test_the_same_users_phone_changes_too(server, open_page):
    page = open_page(server.url, viewport=LOOKS["desktop"])
    phone = page.frame_locator("#phone iframe")
    expect(phone.locator("#paywall")).to_contain_text(ANNUAL)
    subscribe(page)
    expect(phone.locator("#paywall")).to_contain_text("Welcome to Pro")
    say(page, "refund")
    phone.get_by_role("button", name="Subscribe again").click()
    page.locator("#sheet [data-slot=confirm]").click()
    expect(status(page, "active")).to_be_visible()


def test_ten_visible_tabs_are_all_live(server, browser, open_page):
    """All pages are in one browser, which opens at most six connections to a server besides WebSockets."""
    first = open_page(server.url)
    tabs = [first] + [first.context.new_page() for _ in range(9)]
    for tab in tabs[1:]:
        tab.goto(server.url)
    subscribe(tabs[-1])
    for tab in tabs:
        expect(status(tab, "active")).to_be_attached()


def test_a_slow_delivery_keeps_the_buttons_busy(server, open_page):
    page = open_page(server.url)
    held = []
    page.route("**/demo/store", lambda route: held.append(route))
    button(page).click()
    expect(button(page)).to_have_attribute("aria-busy", "true")
    button(page).click()
    assert len(held) == 1
    held[0].continue_()
    expect(status(page, "active")).to_be_visible()
    expect(page.locator("[aria-busy]")).to_have_count(0)


def test_trouble_is_told_in_the_one_live_region(server, open_page):
    page = open_page(server.url, outages=True)
    assert page.locator("[aria-live], [role=status], [role=alert]").count() == 1
    page.route("**/demo/store", lambda route: route.abort())
    button(page).click()
    expect(page.locator("[aria-live=polite] .trouble")).to_contain_text("did not answer")
    page.unroute("**/demo/store")
    subscribe(page)
    expect(page.locator(".trouble")).to_be_hidden()
    assert page.locator("[aria-live=polite] #subscription_status").count() == 1


def test_without_javascript_the_form_posts(server, browser):
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(f"{server.url}/?user=%C3%A4da")
    expect(page.locator(".noscript")).to_be_visible()
    button(page).click()
    expect(status(page, "active")).to_be_visible()
    page.locator("#store button[value=expire]").click()
    expect(status(page, "expired")).to_be_visible()
    context.close()


GERMAN = {"renew": "Gültig bis", "cancel": "Dein aktuelles Abo läuft aus", "grace": "Deine Zahlung hat nicht geklappt",
          "retry": "Pro ist gesperrt", "refund": "Dein Kauf wurde zurückgenommen"}
# No card and no banner of the other language has one of these.
ENGLISH_WORDS, GERMAN_WORDS = r"\b(the|your|you|Pro is|until|year|month)\b", r"\b(der|dein|du|Pro ist|bis|Jahr|Monat|Abo)\b"


def devices(page):
    """The page and the phone beside it, each as a user sees it."""
    return [page.locator(".app"), page.frame_locator("#phone iframe").locator(".app")]


def speaks(device, tag):
    expect(device).to_have_attribute("lang", tag)
    expect(device).not_to_contain_text(re.compile(ENGLISH_WORDS if tag == "de" else GERMAN_WORDS, re.IGNORECASE))


@pytest.mark.parametrize("look", LOOKS)
def test_the_app_speaks_german(server, open_page, screenshot, look):
    page = open_page(server.url, viewport=LOOKS[look])
    german = page.get_by_role("button", name="Deutsch")
    expect(german).to_have_attribute("aria-pressed", "false")
    german.click()
    expect(german).to_have_attribute("aria-pressed", "true")
    page.evaluate("window.hasNotReloaded = true")
    expect(page.locator("html")).to_have_attribute("lang", "en")
    subscribe_in_german = page.get_by_role("button", name="Abonnieren", exact=True)
    expect(subscribe_in_german).to_be_in_viewport(ratio=1)
    expect(page.locator("#paywall")).to_contain_text("79,99\u00a0$ / Jahr")
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), "scrolls sideways"
    screenshot(page, f"demo-{look}-german-before")
    shown = devices(page) if look == "desktop" else devices(page)[:1]
    for device in shown:
        speaks(device, "de")
    subscribe_in_german.click()
    for device in shown:
        expect(device.locator("#paywall")).to_contain_text("Willkommen bei Pro")
        expect(device.locator("#paywall[lang=de] time")).to_have_text(re.compile(r"^\d+\. [A-ZÄÖÜa-zäöü]+ \d{4}$"))
        speaks(device, "de")
    screenshot(page, f"demo-{look}-german-after")
    assert page.evaluate("window.hasNotReloaded")


def test_german_stays_german_through_a_life(server, open_page):
    page = open_page(f"{server.url}/?locale=de", viewport=LOOKS["desktop"])
    page.get_by_role("button", name="Abonnieren", exact=True).click()
    expect(status(page, "active")).to_be_visible()
    for step, state, _ in STEPS:
        say(page, step)
        for device in devices(page):
            expect(device.locator(f"#subscription_status[data-state={state}]")).to_be_visible()
            if step in GERMAN:
                expect(device).to_contain_text(GERMAN[step])
            speaks(device, "de")
        expect(page.locator("body[data-delivering]")).to_have_count(0)
    page.get_by_role("button", name="English").click()
    for device in devices(page):
        expect(device.locator("#paywall")).to_contain_text("See further with Pro")
        speaks(device, "en")


def test_trouble_is_told_in_german(server, open_page):
    page = open_page(f"{server.url}/?locale=de", outages=True)
    page.route("**/demo/store", lambda route: route.abort())
    page.get_by_role("button", name="Abonnieren", exact=True).click()
    expect(page.locator(".trouble")).to_have_text("Das hat nicht geklappt. Versuch es gleich noch einmal.")
    expect(page.locator("#answer")).to_contain_text("did not answer")


def test_another_tab_follows_the_language(server, open_page):
    """All of the user's pages switch, and the tabs come to rest."""
    first = open_page(server.url)
    second = open_page(server.url)
    first.get_by_role("button", name="Deutsch").click()
    for tab in (first, second):
        speaks(tab.locator(".app"), "de")
        expect(tab.locator("#paywall h2")).to_have_text("Weiter sehen mit Pro")
    second.get_by_role("button", name="English").click()
    for tab in (first, second):
        speaks(tab.locator(".app"), "en")
        expect(tab.locator("#paywall h2")).to_have_text("See further with Pro")
    subscribe(first)
    expect(status(second, "active")).to_be_attached()
    assert "locale" not in first.url and "locale" not in second.url


def test_the_language_is_chosen_without_javascript(server, browser):
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(f"{server.url}/?user=%C3%A4da")
    page.get_by_role("button", name="Deutsch").click()
    page.get_by_role("button", name="Abonnieren", exact=True).click()
    expect(page.locator("#paywall")).to_contain_text("Willkommen bei Pro")
    speaks(page.locator(".app"), "de")
    assert page.locator("#user").input_value() == "äda"
    # Another user has not chosen.
    page.goto(server.url)
    speaks(page.locator(".app"), "en")
    # No page is half in a language that the app does not speak.
    page.goto(f"{server.url}/?locale=fr")
    speaks(page.locator(".app"), "en")
    context.close()


BODIES = {"nothing": b"", "an object": b"{}", "a list": b"[]", "no step": b"user=a", "an unknown step": b"user=a&step=x",
          "an unknown store": b"user=a&step=renew&store=x", "a flawed form": b"user=%zz&step=renew",
          "a long user": b"user=" + b"a" * 65 + b"&step=renew"}


@pytest.mark.parametrize("body", BODIES.values(), ids=BODIES)
def test_other_bodies_are_refused(server, body):
    with pytest.raises(urllib.error.HTTPError) as refusal:
        server.request("POST", "/demo/store", body)
    assert refusal.value.code == 400 and json.load(refusal.value)["error"] == "invalid_body"


def test_a_reload_shows_what_the_page_showed(server, open_page):
    page = open_page(server.url)
    subscribe(page)
    page.reload()
    expect(status(page, "active")).to_be_visible()
    expect(page.locator("#paywall")).to_contain_text("Pro")
    expect(page.locator("#events .event").first).to_contain_text("SUBSCRIBED")
