"""The demo's phone, as a test uses it."""

import re

from playwright.sync_api import expect

# In milliseconds. A post that failed twice is tried again within 4.5 s, and on a busy machine the answer takes its time.
PATIENCE = 60_000


class Phone:
    """A visitor's page, and the phone on it."""

    def __init__(self, page):
        self.page = page
        self.app = page.frame_locator("#phone iframe")
        self.sheet = page.locator("#sheet")
        self.buy = self.app.locator("#paywall [data-paycast-buy]")
        self.waiting = page.locator("#waiting li")
        self.timeline = page.locator("#timeline li")

    def choose(self, name, value):
        """One of the controls around the phone."""
        expect(self.page.locator("#world-panel")).to_be_visible()
        self.page.locator(f"#world [name={name}][value={value}]").check(force=True)

    def tap(self):
        expect(self.app.locator("html[data-bridge-components=paywall]")).to_have_count(1)
        self.buy.click()

    def pay(self):
        self.tap()
        self.sheet.locator("[data-slot=confirm]").click()
        expect(self.sheet).to_be_hidden()

    def press(self, name):
        self.page.get_by_role("button", name=name, exact=True).click()

    def is_in(self, text="Welcome to Pro"):
        """The phone's page has the success card."""
        expect(self.app.locator("#paywall")).to_contain_text(text, timeout=PATIENCE)

    def offers(self, state=None, text=""):
        """The phone's page has the offers, in this state, with this sentence."""
        if state is None:
            expect(self.buy).not_to_have_attribute("data-paycast-state", re.compile("."))
        else:
            expect(self.buy).to_have_attribute("data-paycast-state", state)
        expect(self.app.locator("[data-paycast-status]")).to_contain_text(text)

    def happened(self, *lines):
        """The timeline has these lines in this order, perhaps with others between them."""
        pattern = ".*".join(re.escape(line) for line in lines)
        expect(self.page.locator("#timeline")).to_have_text(re.compile(pattern, re.DOTALL), timeout=PATIENCE)

    def disk(self):
        """What the phone keeps, by file."""
        return self.page.evaluate(
            """() => Object.fromEntries(Object.keys(sessionStorage).filter(key => key.startsWith("paycast-demo/"))
                .map(key => [key.split("/").at(-1), JSON.parse(sessionStorage[key])]))"""
        )

    def is_settled(self):
        """Nothing is kept any more: the store has been told that the transaction is finished."""
        self.happened("finishes the transaction")
        disk = self.disk()
        assert not disk.get("outbox") and not disk.get("unfinished"), disk


def in_browser(page, text="Welcome to Pro"):
    """The page beside the phone has the success card."""
    expect(page.locator("#paywall")).to_contain_text(text)


def events(server, user="demo"):
    return [event["type"] for event in server.request("GET", f"/users/{user}/events")["events"]]
