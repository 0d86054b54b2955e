import hashlib
import secrets
import time

import pytest

import certificates
from cost import ask, download
from passage import FILES, Passage
from proxies import PROXIES
from servers import Paycast
from wire import AT_ONCE, Wire, get, post

LARGE = {"2.bin": 2 << 20, "10.bin": 10 << 20, "15.bin": 15 << 20}


def pytest_addoption(parser):
    parser.addoption("--full", action="store_true", help="as large as the limit of open files allows")


@pytest.fixture(scope="session")
def files(tmp_path_factory):
    """A public folder: a file that only attackers ask for, and many that contain their own name."""
    folder = tmp_path_factory.mktemp("public")
    (folder / "attackers.txt").write_text("for the attacker only\n")
    for number in range(FILES):
        (folder / f"{number}.txt").write_text(f"bystander {number} {secrets.token_hex(8)}\n")
    return folder


@pytest.fixture(scope="session")
def paycast(tmp_path_factory, files):
    server = Paycast(tmp_path_factory.mktemp("paycast"), files)
    yield server
    assert server.stop(), server.log.read_text()


@pytest.fixture(scope="session")
def certificate(tmp_path_factory):
    return certificates.certificate(tmp_path_factory.mktemp("certificate"))


@pytest.fixture(scope="session")
def encrypted(tmp_path_factory, files, certificate):
    server = Paycast(tmp_path_factory.mktemp("encrypted"), files, tls=certificate)
    yield server
    assert server.stop(), server.log.read_text()


@pytest.fixture(params=["plain", "TLS"])
def connect(request, paycast):
    """A connection to a server: both have the same parser, behind different transports."""
    wires = []

    def connect():
        is_plain = request.param == "plain"
        server = paycast if is_plain else request.getfixturevalue("encrypted")
        wires.append(Wire(server.port, context=None if is_plain else certificates.UNVERIFIED))
        return wires[-1]

    yield connect
    for wire in wires:
        wire.close()


@pytest.fixture(scope="module")
def last_words():
    """What a connection says until the server ends it."""
    times = []

    def last_words(wire):
        start = time.monotonic()
        said = bytes(wire.all(AT_ONCE))
        assert wire.has_ended, f"it stands after {said[:200]!r}"
        times.append(time.monotonic() - start)
        return said

    yield last_words
    # At once, and not when the 2 or 5 s for a client's own farewell are over. Two may have met a stall.
    assert all(time < 1 for time in sorted(times)[:-2]), sorted(times)[-9:]


@pytest.fixture(scope="session")
def large(tmp_path_factory):
    folder = tmp_path_factory.mktemp("large")
    for name, size in LARGE.items():
        (folder / name).write_bytes(hashlib.shake_128(name.encode()).digest(size))
    return folder


@pytest.fixture
def start(tmp_path, large, certificate):
    """Starts a server and sends the first requests, whose costs are not measured."""
    servers = []

    def start(tls=False, **settings):
        server = Paycast(tmp_path, large, certificate if tls else None, **settings)
        servers.append(server)
        server.context = certificates.UNVERIFIED if tls else None
        for _ in range(20):
            assert ask(server, post("/webhooks/apple", b"junk")).status == 400
            assert ask(server, get("/up")).status == 200
        assert download(server, "10.bin") < 60
        return server

    yield start
    for server in servers:
        assert server.stop(), server.log.read_text()


@pytest.fixture(scope="session")
def passages(tmp_path_factory, files):
    """Keeps one passage until another is asked for or an attack has spoilt it."""
    held = {}

    def stop():
        while held:
            _, passage = held.popitem()
            assert passage.stop(), passage.paycast.log.read_text()

    def passages(which):
        if which not in held or held[which].is_spoilt:
            stop()
            name, trusts = which
            held[which] = Passage(PROXIES[name], tmp_path_factory.mktemp(name), files, trusts)
        return held[which]

    yield passages
    stop()


@pytest.fixture
def passage(request, passages):
    return passages(request.param)
