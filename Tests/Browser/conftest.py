import importlib.util
import json
import os
import shutil
from pathlib import Path

import pytest
from playwright.sync_api import expect, sync_playwright

from network import Wire
from phone import Phone
from program import ROOT
from server import Server

# A condition is waited for, not timed: five seconds, the default, are too few beside other suites.
expect.set_options(timeout=20_000)

ARTIFACTS = ROOT / "artifacts"
OUTAGE = ("Failed to load resource", "WebSocket connection to")


def pytest_addoption(parser):
    parser.addoption("--picture", type=Path, help="save the moving picture of the swap here: .github/swap.webp is README's")
    parser.addoption("--console-pictures", action="store_true", help="save the documentation's pictures of the console")


@pytest.fixture(scope="session")
def playwright():
    with sync_playwright() as playwright:
        yield playwright


@pytest.fixture(scope="session")
def browser(playwright):
    with launch(playwright) as browser:
        yield browser


def launch(playwright, **options):
    # Chromium refuses its sandbox to root, which is who a container runs as.
    arguments = ["--no-sandbox"] if os.geteuid() == 0 else []
    return playwright.chromium.launch(executable_path="/usr/bin/chromium", args=arguments, **options)


@pytest.fixture
def server(request, tmp_path):
    """With the module's CATALOG, if it has one."""
    settings = {}
    if hasattr(request.module, "CATALOG"):
        settings["PAYCAST_CATALOG"] = str(tmp_path / "catalog.json")
        (tmp_path / "catalog.json").write_text(json.dumps(request.module.CATALOG))
    server = Server(tmp_path, settings)
    yield server
    server.stop()


@pytest.fixture
def open_page(browser):
    """Opens a page as a new visitor. A page that logs an error fails its test; `outages` allows failed connections."""
    contexts, errors = [], []

    def open_page(url, outages=False, browser=browser, **options):
        context = browser.new_context(**{"reduced_motion": "reduce"} | options)
        context.set_default_timeout(40_000)
        contexts.append(context)
        page = context.new_page()
        page.on("console", lambda entry: is_error(entry.text, entry.type, outages) and errors.append(entry.text))
        page.on("pageerror", lambda error: errors.append(str(error)))
        page.goto(url)
        page.evaluate("window.hasNotReloaded = true")
        return page

    yield open_page
    for context in contexts:
        context.close()
    assert errors == []


@pytest.fixture
def open_phone(server, open_page):
    def open_phone(query="", **options):
        return Phone(open_page(server.url + query, **{"viewport": {"width": 1280, "height": 800}} | options))

    return open_phone


@pytest.fixture
def phone(open_phone):
    return open_phone()


def is_error(text, kind, outages):
    return kind == "error" and not (outages and text.startswith(OUTAGE))


def visit(page, url):
    """Follows a link as Turbo does, and waits until the page is there."""
    page.evaluate(
        "url => new Promise(done => {"
        " addEventListener('turbo:load', () => done(), {once: true}); window.Turbo.visit(url) })",
        url,
    )
    assert page.url == url


@pytest.fixture
def screenshot():
    """Saves screenshots for whoever reads the run's output."""

    def screenshot(page, name):
        ARTIFACTS.mkdir(exist_ok=True)
        page.screenshot(path=ARTIFACTS / f"{name}.png", full_page=True)

    return screenshot


@pytest.fixture
def app_page(server):
    """Writes the page of an app that uses stock Turbo, and returns its address."""
    shutil.copy(turbo(), server.public / "turbo.js")
    here = Path(__file__).parent
    shutil.copy(here / "turbo_elements.js", server.public)
    shutil.copy(ROOT / ".venv-browser" / "action_cable.js", server.public)

    def app_page(user, transport="sse", head="", source=None, base=None, name=None):
        """`head`: more of the page's head. `source`: other markup of the source. `base`: another way to the server."""
        base = base or server.url
        source = source or server.source(user, transport, base)
        page = server.public / f"{name or user}-{transport}.html"
        template = (here / "app.html").read_text()
        page.write_text(template.replace("<!-- head -->", head).replace("<!-- source -->", source))
        return f"{base}/{page.name}"

    return app_page


@pytest.fixture
def wire(server):
    """A way to the server that can fail; call it for one more."""
    wires = []

    def wire(port=None):
        wires.append(Wire(port or server.port))
        return wires[-1]

    yield wire
    for each in wires:
        each.cut()


@pytest.fixture
def turbo_8():
    """`refresh` and morphing came with Turbo 8, which TURBO_JS has to name."""
    if "refresh-method" not in turbo().read_text():
        pytest.skip("needs Turbo 8: set TURBO_JS")


def turbo():
    """A newer Turbo when there is one, best that of turbo-rails; else the one that requirements.txt brings."""
    beside = ROOT.parent / "shared" / "data" / "turbo" / "turbo.min.js"
    if "TURBO_JS" in os.environ or beside.exists():
        return Path(os.environ.get("TURBO_JS", beside))
    package = importlib.util.find_spec("turbo").submodule_search_locations[0]
    return next(Path(package).rglob("turbo.min.js"))
