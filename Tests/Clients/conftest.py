import sys
from contextlib import ExitStack
from pathlib import Path

import pytest

# The server and what an app says to it are those of Tests/Browser, the example of a proxy is that of Tests/Proxies.
for suite in ("Browser", "Proxies"):
    sys.path.append(str(Path(__file__).resolve().parents[1] / suite))

from doors import Door
from hold import Hold
from places import App, Nginx, Route
from secure import secure_server
from server import Server


# Not longer than its module: what drives Chromium keeps a loop running on this thread, which other tests need.
@pytest.fixture(scope="module")
def held(tmp_path_factory):
    """Every page of every client, after the window; they are still open."""
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
    """Where there are connections to speak of, and WebSockets."""
    return door(request)


@pytest.fixture(params=["clear", "tls", "http2"])
def http(request):
    return door(request)


def door(request):
    server = request.getfixturevalue("server" if request.param == "clear" else "secure")
    return Door(server, "--http2" if request.param == "http2" else "--http1.1")
