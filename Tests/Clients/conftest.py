import sys
from contextlib import ExitStack
from pathlib import Path

import pytest

# The server and an app's requests come from Tests/Browser, the example of a proxy from Tests/Proxies.
for suite in ("Browser", "Proxies"):
    sys.path.append(str(Path(__file__).resolve().parents[1] / suite))

from clients import Client
from hold import Hold
from places import App, Nginx, Route
from secure import secure_server
from server import Server


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
