"""The script of PaywallComponent.swift that runs in main frames alone: the app hears there what a page itself says, before the
bridge brings it. WebKit is played: here each frame has the handlers, and the script is given to the main frame."""

import re
from html import escape

import pytest

from program import ROOT

COMPONENT = (ROOT / "Sources" / "PaycastKit" / "HotwireNative" / "PaywallComponent.swift").read_text()
[SCRIPT] = re.findall(r'static let script = """\n(.*?)"""', COMPONENT, re.DOTALL)
# What the web view hands to the app, with the frame that says it, as WKFrameInfo does.
HANDLERS = """
top.heard ??= []
const tell = handler => ({ postMessage: message => top.heard.push([handler, window === top, message]) })
window.webkit = { messageHandlers: { paycast: tell("paycast"), bridge: tell("bridge") } }
"""
# As bridge.js of Hotwire Native for iOS makes its object, at the end of the document.
BRIDGE = """
class NativeBridge {
  send(message) { this.postMessage(message) }
  postMessage(message) { webkit.messageHandlers.bridge.postMessage(message) }
}
window.nativeBridge = new NativeBridge()
"""
MESSAGE = '{ component: "paywall", id: "7", event: "restore", data: { stream: "ann" } }'


@pytest.fixture
def page(server, open_page):
    frame = escape(f"<title>Ad</title><script>{HANDLERS}{BRIDGE}</script>")
    scripts = f"<script>{HANDLERS}</script><script>{SCRIPT}</script><script>{BRIDGE}</script>"
    head = f'<!doctype html><title>Shop</title><link rel="icon" href="data:,">{scripts}'
    (server.public / "frames.html").write_text(f'{head}<iframe srcdoc="{frame}"></iframe>')
    return open_page(f"{server.url}/frames.html")


def test_what_the_page_says_is_told_first_and_once(page):
    page.evaluate(f"nativeBridge.send({MESSAGE})")
    message = {"component": "paywall", "id": "7", "event": "restore", "data": {"stream": "ann"}}
    assert page.evaluate("heard") == [["paycast", True, message], ["bridge", True, message]]


def test_what_a_frame_says_is_not_told(page):
    """It reaches the bridge's handler, under whatever id, and not the one by which the component knows its page."""
    [frame] = [frame for frame in page.frames if frame != page.main_frame]
    frame.evaluate(f"nativeBridge.send({MESSAGE})")
    told = page.evaluate("heard")
    assert [(handler, is_main) for handler, is_main, _ in told] == [("bridge", False)]
    # Were it to ask for the other handler itself, the app would hear that it is no main frame.
    frame.evaluate(f"webkit.messageHandlers.paycast.postMessage({MESSAGE})")
    assert page.evaluate("heard").pop()[:2] == ["paycast", False]
