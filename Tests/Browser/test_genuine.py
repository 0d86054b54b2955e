"""What Apple really posted changes the page of the buyer that it names."""

import pytest
from playwright.sync_api import expect

from program import ROOT
from server import Server

# The file stands beside the project, not in it.
GENUINE = ROOT.parent / "shared" / "data" / "apple" / "did-renew-sandbox.json"


@pytest.fixture
def server(tmp_path):
    environment = {
        "PAYCAST_DEV_NOW": "2025-12-18T21:47:00Z",
        "PAYCAST_APPLE_BUNDLE_ID": "com.masilotti.purchasekit.base",
    }
    server = Server(tmp_path, environment)
    yield server
    server.stop()


@pytest.mark.skipif(not GENUINE.exists(), reason="the genuine notification is not on this machine")
def test_a_genuine_notification_swaps_the_page(server, open_page, app_page, screenshot):
    token = "a5af9b36-0e4d-4665-8351-0e4003752165"
    server.request("POST", "/orders", {"user": "ana", "product": "purchasekit.pro.annual", "token": token})
    page = open_page(app_page("ana"))
    expect(page.locator("#paywall")).to_have_text("Offers")
    answer = server.request("POST", "/webhooks/apple", GENUINE.read_bytes(), authorized=False)
    assert answer["outcome"] == "applied"
    expect(page.locator("#subscription_status[data-state=active]")).to_be_visible()
    assert page.evaluate("window.hasNotReloaded")
    screenshot(page, "genuine")
