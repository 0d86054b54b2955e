import importlib.util
import os
import shutil
from pathlib import Path

import pytest
from playwright.sync_api import sync_playwright

from server import ROOT, Server

ARTIFACTS = ROOT / "artifacts"


@pytest.fixture(scope="session")
def browser():
    # Chromium refuses its sandbox to root, which is who a container runs as.
    arguments = ["--no-sandbox"] if os.geteuid() == 0 else []
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path="/usr/bin/chromium", args=arguments)
        yield browser
        browser.close()


@pytest.fixture
def server(tmp_path):
    server = Server(tmp_path)
    yield server
    server.stop()


@pytest.fixture
def open_page(browser):
    """Opens a page as a new visitor. A page that logs an error fails its test."""
    contexts, errors = [], []

    def open_page(url, **options):
        context = browser.new_context(reduced_motion="reduce", **options)
        context.set_default_timeout(15_000)
        contexts.append(context)
        page = context.new_page()
        page.on("console", lambda message: message.type == "error" and errors.append(message.text))
        page.on("pageerror", lambda error: errors.append(str(error)))
        page.goto(url)
        page.evaluate("window.hasNotReloaded = true")
        return page

    yield open_page
    for context in contexts:
        context.close()
    assert errors == []


@pytest.fixture
def screenshot():
    """Keeps what a page looked like, for whoever reads the run's output."""

    def screenshot(page, name):
        ARTIFACTS.mkdir(exist_ok=True)
        page.screenshot(path=ARTIFACTS / f"{name}.png", full_page=True)

    return screenshot


@pytest.fixture
def app_page(server):
    """Writes the page of an app that uses stock Turbo, and returns its address."""
    script = os.environ.get("TURBO_JS") or installed_turbo()
    shutil.copy(script, server.public / "turbo.js")
    shutil.copy(Path(__file__).with_name("stream_source.js"), server.public)

    def app_page(user, transport="sse"):
        stream = server.stream(user)
        page = server.public / f"{user}-{transport}.html"
        template = Path(__file__).with_name("app.html").read_text()
        page.write_text(template.replace("SOURCE", stream[transport].replace("&", "&amp;")))
        return f"{server.url}/{page.name}"

    return app_page


def installed_turbo():
    package = importlib.util.find_spec("turbo").submodule_search_locations[0]
    return next(Path(package).rglob("turbo.min.js"))
