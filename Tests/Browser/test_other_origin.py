"""The page comes from an app's own origin; Paycast is another, and its public folder holds no scripts."""

import shutil
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import pytest
from playwright.sync_api import expect

from conftest import turbo
from program import ROOT
from server import Server


class App(SimpleHTTPRequestHandler):
    def end_headers(self):
        """Serves isolated pages, which load from other origins only what those allow."""
        self.send_header("Cross-Origin-Embedder-Policy", "require-corp")
        super().end_headers()

    def log_message(self, *_):
        """Keeps requests out of the tests' output."""


@pytest.fixture
def app(tmp_path):
    folder = tmp_path / "app"
    folder.mkdir()
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(App, directory=folder)) as server:
        Thread(target=server.serve_forever).start()
        yield folder, f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


@pytest.fixture
def server(tmp_path, app):
    folder = tmp_path / "paycast"
    folder.mkdir()
    server = Server(folder, {"PAYCAST_ALLOWED_ORIGINS": app[1]})
    (server.public / "paycast.js").unlink()
    yield server
    server.stop()


@pytest.mark.parametrize("transport", ["sse", "websocket"])
def test_the_script_runs_and_a_payment_swaps_the_page(server, app, open_page, transport):
    folder, origin = app
    here = Path(__file__).parent
    for file in (turbo(), ROOT / ".venv-browser" / "action_cable.js", here / "turbo_elements.js"):
        shutil.copy(file, folder)
    (folder / turbo().name).rename(folder / "turbo.js")
    script = f'<script type="module" src="{server.url}/paycast.js"></script>'
    page = (here / "app.html").read_text().replace("<!-- head -->", script)
    (folder / "page.html").write_text(page.replace("<!-- source -->", server.source("ana", transport)))
    page = open_page(f"{origin}/page.html")
    # Only the script says so.
    expect(page.locator("turbo-stream-source[connected]")).to_be_attached()
    server.trigger("SUBSCRIBED/INITIAL_BUY", "ana")
    expect(page.locator("#paywall[data-state=active]")).to_be_visible()
    assert page.evaluate("window.hasNotReloaded")
