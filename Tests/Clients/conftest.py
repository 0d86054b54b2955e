import sys
from contextlib import ExitStack
from pathlib import Path

import pytest

# The server and an app's requests come from Tests/Browser, the example of a proxy from Tests/Proxies.
for suite in ("Browser", "Proxies"):
    sys.path.append(str(Path(__file__).resolve().parents[1] / suite))

from browsers import Chromium, Firefox, WebKit
from clients import Client
from hold import Hold
from places import App, Nginx, Route
from secure import secure_server
from server import Server
from webview import SCRIPTS, Pages, Webview

PROGRAMS = {"chromium": Chromium, "firefox": Firefox, "webkit": WebKit}


# It ends with its module: Playwright runs an event loop on this thread, which other tests need.
@pytest.fixture(scope="module")
def held(tmp_path_factory):
    """Every page of every client after the window, still open."""
    with ExitStack() as stack:

        def start(start, name, *arguments):
            place = start(tmp_path_factory.mktemp(name), *arguments)
            stack.callback(place.stop)
            return place

        app = start(App, "app")
        environment = {"PAYCAST_ALLOWED_ORIGINS": app.origin}
        plain = start(Server, "plain", environment)
        secure = start(secure_server, "secure", environment)
        proxy = start(Nginx, "nginx", plain.port)
        routes = {"direct": Route(plain), "nginx": Route(plain, proxy.url), "tls": Route(secure)}
        held = start(Hold, "hold", app, routes, proxy)
        held.run()
        yield held


@pytest.fixture(scope="session")
def server(tmp_path_factory):
    server = Server(tmp_path_factory.mktemp("server"))
    yield server
    server.stop()


@pytest.fixture(scope="session")
def secure(tmp_path_factory):
    server = secure_server(tmp_path_factory.mktemp("secure"))
    yield server
    server.stop()


@pytest.fixture(params=["clear", "tls"])
def http1(request):
    """HTTP/1.1, which has connections to count, and WebSockets."""
    return client(request)


@pytest.fixture(params=["clear", "tls", "http2"])
def http(request):
    return client(request)


def client(request):
    server = request.getfixturevalue("server" if request.param == "clear" else "secure")
    return Client(server, "--http2" if request.param == "http2" else "--http1.1")


# Of public/paycast-native.js: the pages of an app, which is one for iOS unless a module says otherwise.


@pytest.fixture(scope="module")
def pages(server):
    return Pages(server)


@pytest.fixture(scope="module", params=PROGRAMS)
def browser(request, tmp_path_factory):
    with ExitStack() as stack:
        browser = PROGRAMS[request.param](tmp_path_factory.mktemp(request.param))
        stack.callback(browser.stop)
        yield browser


@pytest.fixture(params=SCRIPTS)
def kind(request):
    return request.param


@pytest.fixture
def platform():
    return "ios"


@pytest.fixture
def user(request):
    """Each test has its own, because the server and the app remember what was bought."""
    return "".join(letter if letter.isalnum() else "-" for letter in request.node.name)


@pytest.fixture
def order(pages, user):
    return pages.order(user)


@pytest.fixture
def open_webview(pages, browser, kind, platform, user, order):
    opened = []

    def open_webview(**options):
        opened.append(Webview(browser, pages.write(user, order, kind, platform, **options), platform))
        return opened[-1]

    yield open_webview
    # Over HTTP/1.1 an engine opens six connections to a server, and each page's stream is one of them.
    for webview in opened:
        webview.close()


@pytest.fixture
def webview(open_webview):
    webview = open_webview()
    webview.until_prices()
    # What a test broadcasts is not kept for whoever opens later.
    webview.until("document.querySelector('turbo-stream-source').streamSource?.readyState === 1")
    webview.run("window.hasNotReloaded = true")
    return webview
