"""public/paycast-native.js, when the app drops messages or answers get lost: a tap finds out."""

from webview import BUSY, FREE


def test_a_message_that_the_app_drops(webview):
    webview.run("native.isActive = false")
    webview.press("annual")
    assert webview.until_state("annual", "buying") == BUSY
    webview.run("native.isActive = true")
    webview.appear()
    assert webview.until_state("annual", None) == FREE
    assert webview.run("native.dropped.map(message => message.event)")[0] == "purchase"


def test_a_tap_on_a_busy_button_finds_out_that_the_message_was_dropped(webview):
    """The page was never away, so nothing else would ask."""
    webview.run("native.isActive = false")
    webview.press("annual")
    webview.until_state("annual", "buying")
    webview.run("native.isActive = true")
    webview.press("annual")
    assert webview.until_state("annual", None) == FREE
    webview.press("annual")
    assert webview.until_state("annual", "buying") == BUSY
    assert len(webview.sent("purchase")) == 1


def test_a_tap_on_a_busy_button_finds_out_that_the_answer_was_lost(webview):
    webview.run("native.losesAnswers = true")
    webview.press("annual")
    webview.finish("pro.annual", status="pending")
    webview.run("native.losesAnswers = false")
    assert webview.until_state("annual", "buying") == BUSY
    webview.press("annual")
    assert webview.until_state("annual", "pending") == FREE
    assert len(webview.sent("purchase")) == 1


def test_a_tap_on_any_busy_button_finds_out_that_its_message_was_dropped(webview):
    for name, state in (("restore", "restoring"), ("redeem", "opening")):
        webview.run("native.isActive = false")
        webview.press(name)
        webview.until_state(name, state)
        webview.run("native.isActive = true")
        webview.press(name)
        assert webview.until_state(name, None) == FREE
        assert webview.sent(name) == []


def test_an_app_that_drops_everything(webview):
    """The button is free with the second question, so that the next tap tries again; an app that answers keeps it busy."""
    for name, event, state in (("annual", "purchase", "buying"), ("restore", "restore", "restoring")):
        webview.run("native.isActive = false")
        webview.press(name)
        webview.until_state(name, state)
        webview.press(name)
        assert webview.until_state(name, state) == BUSY
        webview.press(name)
        assert webview.until_state(name, None) == FREE
        webview.run("native.isActive = true")
        webview.press(name)
        assert webview.until_state(name, state) == BUSY
        assert len(webview.sent(event)) == 1
        webview.run("native.isActive = false")
        webview.press(name)
        assert webview.until_state(name, state) == BUSY
        webview.run("native.isActive = true")
