"""A page of an app, in a webview whose native side is `native_adapter.js`."""

import json
import os
import shutil
import time
from contextlib import suppress
from html import escape
from pathlib import Path

import pytest
from places import ACTION_CABLE, BROWSER, HERE, turbo

PAGE = """<!doctype html>
<html lang="en"{attributes}>
<head>
  <meta charset="utf-8">
  <title>An app</title>
  <link rel="icon" href="data:,">
  <script src="/native_adapter.js" data-shop="{user}" {adapter}></script>
  {injected}
  <script src="/action_cable.js"></script>
  <script type="module" src="/turbo.js"></script>
  <script type="module" src="/turbo_elements.js"></script>
  {scripts}
</head>
<body>
  {source}
  {paywall}
  <div id="more"></div>
</body>
</html>
"""
PAYWALL = """<section id="paywall" data-paycast-order="{order}" data-paycast-stream="{stream}"{attributes}>
  <form action="/checkout.html">
    <button id="annual" data-paycast-buy="pro.annual">Annual <span data-paycast-price="pro.annual">$79.99</span></button>
    <button id="monthly" data-paycast-buy="pro.monthly" data-paycast-apple-product="apple.monthly">
      Monthly <span data-paycast-price="pro.monthly">$9.99</span>
    </button>
    <button id="lifetime" data-paycast-buy="pro.lifetime">
      For ever <span data-paycast-price="pro.lifetime">$199</span>
    </button>
  </form>
  <button id="restore" data-paycast-restore>Restore purchases</button>
  <button id="manage" data-paycast-manage hidden>Manage</button>
  <button id="redeem" data-paycast-redeem hidden>Redeem a code</button>
  <button id="refund" data-paycast-refund="pro.monthly" hidden>Give it back</button>
</section>"""
OURS = '<script type="module" src="/paycast-native.js"></script>'
THEIRS = '<script type="module" src="/hotwire-native-bridge.js"></script>'
# What a button tells assistive technology: aria-busy and aria-disabled.
FREE, TAKEN, BUSY = [None, None], [None, "true"], ["true", "true"]
APPROVAL = "Waiting for approval. You will have access as soon as it is given."
# Alone, or beside the library that pages of such apps mostly have, which may come before or after.
SCRIPTS = {"alone": OURS, "bridge first": THEIRS + OURS, "bridge last": OURS + THEIRS}


# The libraries' own scripts, which their apps inject.
GENUINE = {"ios": "HOTWIRE_NATIVE_IOS_JS", "android": "HOTWIRE_NATIVE_ANDROID_JS"}


def bridge():
    """The genuine @hotwired/hotwire-native-bridge, as npm has it."""
    if "HOTWIRE_NATIVE_BRIDGE_JS" not in os.environ:
        pytest.skip("HOTWIRE_NATIVE_BRIDGE_JS names no dist/hotwire-native-bridge.js of @hotwired/hotwire-native-bridge")
    return Path(os.environ["HOTWIRE_NATIVE_BRIDGE_JS"])


class Pages:
    """The pages of an app, all on Paycast's own origin."""

    def __init__(self, server):
        self.server = server
        shutil.copy(turbo(), server.public / "turbo.js")
        for file in (BROWSER / "turbo_elements.js", HERE / "native_adapter.js", ACTION_CABLE):
            shutil.copy(file, server.public)
        (server.public / "checkout.html").write_text("<title>Checkout</title>")
        # The bridge alone is tested, not the controllers of pages that use it.
        (server.public / "stimulus.js").write_text("export class Controller {}")

    def order(self, user):
        return self.server.request("POST", "/orders", {"user": user, "product": "pro.annual"})

    def paywall(self, order, attributes="", markup=PAYWALL):
        return markup.format(order=order["order"], stream=escape(order["signed_stream"]), attributes=attributes)

    def replacement(self, order, **options):
        paywall = self.paywall(order, **options)
        return f'<turbo-stream action="replace" target="paywall"><template>{paywall}</template></turbo-stream>'

    def write(self, user, order, kind="alone", platform="ios", components="paywall", attributes="", paywall=None, name=None):
        """`kind`: which scripts. `components`: those of the app. `attributes`: of the page."""
        if kind != "alone":
            genuine = bridge().read_text().replace('"@hotwired/stimulus"', '"/stimulus.js"')
            (self.server.public / "hotwire-native-bridge.js").write_text(genuine)
        adapter = f'data-platform="{platform}" data-components="{components}"'
        injected = self.injected(platform)
        page = PAGE.format(
            user=user,
            adapter=adapter + (f' data-genuine="{injected}"' if injected else ""),
            injected=f'<script src="{injected}"></script>' if injected and platform == "ios" else "",
            attributes=attributes,
            scripts=SCRIPTS[kind],
            source=self.server.source(user, "sse"),
            paywall=self.paywall(order) if paywall is None else paywall,
        )
        file = self.server.public / f"{name or user}.html"
        file.write_text(page)
        return f"{self.server.url}/{file.name}"

    def injected(self, platform):
        """The address of the library's own script, if there is one."""
        if GENUINE[platform] not in os.environ:
            return None
        shutil.copy(os.environ[GENUINE[platform]], self.server.public / f"injected-{platform}.js")
        return f"/injected-{platform}.js"


class Webview:
    def __init__(self, browser, address, platform):
        self.browser, self.page = browser, browser.show(address)
        # The name of the page's product pro.monthly in the app's store.
        self.monthly = {"ios": "apple.monthly", "android": "pro.monthly"}[platform]

    def run(self, expression):
        return self.told(f"told(() => ({expression}))")

    def until(self, expression, seconds=60):
        return self.told(f"until(() => ({expression}), {1000 * seconds})")

    def told(self, expression):
        told = json.loads(self.browser.evaluate(self.page, expression))
        assert "error" not in told, told["error"]
        return told["value"]

    def reload(self):
        self.browser.reload(self.page)

    def close(self):
        self.browser.close(self.page)

    def until_at(self, path, seconds=60):
        """Waits for another page, which is none of the app's."""
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline:
            # While one page gives way to the other, there is nobody to ask.
            with suppress(Exception):
                if self.browser.evaluate(self.page, "Promise.resolve(location.pathname)") == path:
                    return
        raise AssertionError(f"not at {path}")

    def press(self, name):
        """Presses a button as a keyboard does: it has the focus."""
        self.run(f"(document.getElementById('{name}').focus(), document.getElementById('{name}').click())")

    def finish(self, product, **data):
        self.run(f"native.finish({json.dumps(product)}, {json.dumps(data)})")

    def sent(self, event):
        """The data of all messages of an event that the app has taken."""
        return self.run(f"native.of('{event}').map(message => message.data)")

    def until_prices(self):
        self.until("document.querySelector('[data-paycast-price]').textContent === '79,99 €'")

    def until_state(self, name, state):
        """Waits until the button shows the state, and returns how it tells it to assistive technology."""
        state = json.dumps(state)
        self.until(f"document.getElementById('{name}').getAttribute('data-paycast-state') === {state}")
        button = f"document.getElementById('{name}')"
        return self.run(f"[{button}.getAttribute('aria-busy'), {button}.getAttribute('aria-disabled')]")

    def text(self):
        return self.run("[...document.querySelectorAll('[role=status] p')].map(line => line.textContent)")

    def appear(self):
        """As when the app's screen is shown again. An engine's own window may need a moment until it is seen."""
        self.until("!document.hidden")
        self.run("document.dispatchEvent(new Event('visibilitychange'))")

    def answer_state(self, answer):
        """The app answers the newest question for its purchases, once more or with the test's help."""
        self.until("native.of('state').length > 0")
        self.run(f"native.reply(native.of('state').at(-1), {json.dumps(answer)})")

    def until_paid(self):
        self.until("document.querySelector('#paywall[data-state=active]') !== null")
