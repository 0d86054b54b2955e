"""The pages of an article, in Chromium with stock Turbo."""

import importlib.util
import os
import re
from pathlib import Path

from program import ROOT

# Milliseconds.
PATIENCE = 15_000
TURBO = re.compile(r"https://cdn\.jsdelivr\.net/npm/@hotwired/turbo.*")
CDN = "https://cdn.jsdelivr.net/npm/@hotwired/turbo@8.0.13/dist/turbo.es2017-umd.js"
SHELL = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>A page</title>
<link rel="icon" href="data:,">
<script type="module" src="{turbo}"></script>
{head}
</head>
<body>
{body}
</body>
</html>
"""
PROBE = '<turbo-stream action="append" targets="body"><template><i class="probe"></i></template></turbo-stream>'


def turbo():
    """What the CDN serves as Turbo: TURBO_JS, or the one from PyPI with the elements of a newer one."""
    if "TURBO_JS" in os.environ:
        return Path(os.environ["TURBO_JS"]).read_text()
    package = importlib.util.find_spec("turbo").submodule_search_locations[0]
    stock = next(Path(package).rglob("turbo.min.js")).read_text()
    elements = (ROOT / "Tests" / "Browser" / "turbo_elements.js").read_text()
    # In a scope of its own: Turbo looks for a global `define`.
    return f"{stock}\n{{\n{elements}\n}}"


class Pages:
    def __init__(self, browser, walkthrough):
        self.browser, self.walkthrough = browser, walkthrough
        self.context = self.page = None
        self.errors = []

    def open(self, path):
        """As a new visitor."""
        self.close()
        url = path if path.startswith("http") else self.walkthrough.serving().url + path
        self.context = self.browser.new_context(reduced_motion="reduce", ignore_https_errors=True)
        self.context.set_default_timeout(PATIENCE)
        self.context.set_default_navigation_timeout(15_000)  # loading is no expectation
        self.context.route(TURBO, lambda route: route.fulfill(content_type="text/javascript", body=turbo()))
        self.page = self.context.new_page()
        self.page.on("console", lambda message: message.type == "error" and self.errors.append(message.text))
        self.page.on("pageerror", lambda error: self.errors.append(str(error)))
        answer = self.page.goto(self.walkthrough.placed(url))
        assert answer.status == 200, f"{url} is answered {answer.status}"
        self.page.evaluate("window.hasNotReloaded = true")
        assert not self.errors, self.errors

    def shows(self, text):
        """`SELECTOR | TEXT`: without a reload the page comes to have it."""
        selector, _, words = (part.strip() for part in text.partition("|"))
        assert self.page, "no page was opened"
        found = self.page.locator(selector).filter(has_text=words).first
        found.wait_for(state="visible" if words else "attached")
        assert self.page.evaluate("window.hasNotReloaded"), "the page was loaded again"
        assert not self.errors, self.errors

    def fragment(self, block):
        """Markup for a page's `head` or `body`: what it loads is there, and its source hears what user 42 is told."""
        place = block.mark("in")
        assert place in ("head", "body"), f"{block}: in head or in body?"
        parts = {"head": "", "body": "", place: self.filled(block.text)}
        self.hears(parts["head"], parts["body"])

    def hears(self, head, body, scripts=""):
        script = f"<script>{scripts}</script>" if scripts else ""
        page = SHELL.format(turbo=CDN, head=script + head, body=body)
        (self.walkthrough.folder / "public" / "example.html").write_text(page)
        self.open("/example.html")
        failed = self.page.evaluate(
            "() => performance.getEntriesByType('resource').filter(e => e.responseStatus >= 400).map(e => e.name)"
        )
        assert not failed, f"not found: {failed}"
        self.page.locator("turbo-cable-stream-source:not([connected])").first.wait_for(state="detached")
        for _ in self.page.locator("turbo-stream-source, turbo-cable-stream-source").all():
            self.walkthrough.tell(PROBE)
            self.page.locator(".probe").first.wait_for(state="attached")

    def filled(self, text):
        """With user 42's signed name and cursor."""
        page = self.walkthrough.ask("/users/42/stream")
        text = text.replace("SIGNED", page["signed_stream"].replace("=", "%3D")).replace("CURSOR", page["since"])
        return self.walkthrough.placed(text)

    def close(self):
        if self.context:
            self.context.close()
        self.context = self.page = None
        errors, self.errors = self.errors, []
        assert not errors, errors
