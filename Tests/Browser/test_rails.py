"""An app on Rails keeps its pages as they are: one URL and one secret bring it here."""

import json

import pytest
from playwright.sync_api import expect

from server import Server, cable_source

# Signed with the real algorithm of Rails, not by us: user 42 of the app `paywall`, `turbo_stream_from user, :paywall`.
SECRET = "test-secret-key-base-do-not-use"
NAME = "IloybGtPaTh2Y0dGNWQyRnNiQzlWYzJWeUx6UXk6cGF5d2FsbCI="
SIGNATURES = {
    "sha256": "37e354dd7d0a8524e0f64881c55f0f77db327388b0312825e5145e4a80a70b52",
    "sha1": "d93136ab27c8f1968d0b16c5272fe6855758bafb533cb94854cede69e48d21bd",
}


@pytest.fixture
def server(tmp_path):
    environment = {
        "SECRET_KEY_BASE": SECRET,
        "PAYCAST_STREAM_NAME": "gid://paywall/User/{user}:paywall",
        "PAYCAST_ALLOWED_ORIGINS": "*",
    }
    server = Server(tmp_path, environment)
    yield server
    server.stop()


@pytest.fixture
def rails_page(server, app_page, wire):
    """The page comes from the app's own origin; only its cable leads here."""
    app = wire()
    cable = server.url.replace("http:", "ws:") + "/cable"

    def rails_page(digest="sha256", **data):
        head = f'<meta name="action-cable-url" content="{cable}">'
        return app_page("42", "cable", head, cable_source(f"{NAME}--{SIGNATURES[digest]}", **data), app.url)

    return rails_page


@pytest.mark.parametrize("digest", SIGNATURES)
def test_a_payment_swaps_what_turbo_stream_from_subscribed(server, open_page, rails_page, screenshot, digest):
    page = open_page(rails_page(digest))
    expect(page.locator("turbo-cable-stream-source[connected]")).to_have_count(1)
    server.trigger("SUBSCRIBED/INITIAL_BUY", "42")
    expect(page.locator("#paywall[data-state=active]")).to_contain_text("Welcome")
    assert page.evaluate("window.hasNotReloaded")
    screenshot(page, f"app-rails-{digest}")


def test_data_since_names_where_the_page_was_rendered(server, open_page, rails_page):
    server.notice("42", "rendered by the app")
    address = rails_page(since=server.stream("42")["since"])
    server.notice("42", "meanwhile")
    page = open_page(address)
    expect(page.locator("#notices li")).to_have_text(["meanwhile"])


STREAM = "Z2lkOi8vcGF5d2FsbC9Vc2VyLzQy:paywall"
FRAGMENT = {"action": "append", "target": "notices", "html": "<li>Hello</li>"}
HTML = '<turbo-stream action="append" target="notices"><template><li>Hello</li></template></turbo-stream>'

BROADCASTS = {
    "user": ("/broadcasts", {"user": "42", **FRAGMENT}),
    "stream": ("/broadcasts", {"stream": STREAM, "html": HTML}),
    "anycable": ("/_broadcast", {"stream": STREAM, "data": json.dumps(HTML)}),
}


@pytest.mark.parametrize("path, body", BROADCASTS.values(), ids=BROADCASTS)
def test_the_app_broadcasts_with_one_request(server, open_page, rails_page, path, body):
    page = open_page(rails_page())
    expect(page.locator("turbo-cable-stream-source[connected]")).to_have_count(1)
    server.request("POST", path, body)
    expect(page.locator("#notices li")).to_have_text(["Hello"])
