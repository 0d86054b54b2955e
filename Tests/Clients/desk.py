"""The console in one of three engines, as somebody at a support desk uses it."""

import json
import time
from contextlib import suppress

# Seconds for a page to be there, beside other suites.
PATIENCE = 60
FIND = """
    const words = text => text.replace(/\\s+/g, " ").trim()
    const named = (selector, name) => [...document.querySelectorAll(selector)].find(one => words(one.textContent).includes(name))
    const field = name => named("label", name)?.control
"""


class Desk:
    def __init__(self, browser, server):
        self.browser, self.server = browser, server
        self.page = browser.show(server.url + "/console/enter")
        self.arrived()

    def close(self):
        self.browser.close(self.page)

    def evaluate(self, script):
        """What a function's body returns, as text."""
        return self.browser.evaluate(self.page, f"Promise.resolve((() => {{ {FIND} {script} }})()).then(String)")

    def arrived(self):
        """Waits until another page than that of `act` is there. While one gives way to the other, there is nobody to ask."""
        deadline = time.monotonic() + PATIENCE
        while time.monotonic() < deadline:
            with suppress(Exception):
                if self.evaluate("return !window.isOld && document.readyState === 'complete' && !!document.body") == "true":
                    return
        raise AssertionError("no other page came")

    def act(self, script):
        """Does what leads to another page."""
        done = self.evaluate(f"window.isOld = true; {script}; return 'done'")
        assert done == "done"
        self.arrived()

    def open(self, path):
        self.act(f"location.href = {json.dumps(self.server.url + path)}")

    def search(self, text):
        self.open("/console")
        self.act(f"document.getElementById('q').value = {json.dumps(text)}; document.getElementById('q').form.requestSubmit()")

    def follow(self, name):
        """A link of the page itself."""
        self.act(f"named('main a', {json.dumps(name)}).click()")

    def press(self, name):
        self.act(f"named('main button', {json.dumps(name)}).click()")

    def fill(self, name, text):
        assert self.evaluate(f"field({json.dumps(name)}).value = {json.dumps(text)}; return 'filled'") == "filled"

    @property
    def path(self):
        return self.evaluate("return location.pathname")

    @property
    def answer(self):
        """The heading: what is known of the user, in words."""
        return self.evaluate("return words(document.querySelector('main h1')?.textContent ?? '')")

    @property
    def text(self):
        return self.evaluate("return words(document.querySelector('main').innerText)")

    def shows(self, *parts):
        text = self.text
        for part in parts:
            assert part in text, f"no “{part}” in: {text}"
