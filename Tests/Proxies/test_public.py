"""What the program's own clients see through the proxies: as they are printed, and with a fault built into each."""

import subprocess
import time
from dataclasses import dataclass

import pytest

from examples import EXAMPLES
from program import OUTSIDE, binary
from servers import KEY, signed
from test_examples import Place

TRANSPORTS = ["websocket", "cable", "sse"]
EVENTS = "events, HTTP/1.1"


def faulty(kind, changes):
    """The example, changed in what it prints."""

    class Faulty(kind):
        def configured(self, folder, target, announced):
            text = super().configured(folder, target, announced)
            for old, new in changes:
                assert old in text, f"the example of {self.name} has no {old}"
                text = text.replace(old, new)
            return text

    Faulty.__name__ = kind.__name__
    return Faulty


class Tool:
    """The command line, on a machine that knows the server and the authority of the proxy's certificate."""

    def __init__(self, place):
        self.place = place
        caddys = place.folder / "proxy" / ".local/share/caddy/pki/authorities/local/root.crt"
        self.authority = caddys if caddys.exists() else place.proxy.certificate
        self.public = f"https://localhost:{place.proxy.port}"

    def run(self, *words, trusting=True):
        words = [*words, "--ca", self.authority] if trusting else words
        return subprocess.Popen(
            [binary(), *words],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            cwd=self.place.folder,
            env=OUTSIDE,
        )

    def doctor(self, *words, trusting=True):
        """The exit code, and what was found of each kind."""
        server = f"http://127.0.0.1:{self.place.paycast.port}"
        words = ["doctor", "--public", self.public, "--server", server, "--key", KEY, *words]
        process = self.run(*words, trusting=trusting)
        output, errors = process.communicate(timeout=120)
        assert not errors, errors
        return process.returncode, {line[6:28].strip(): line for line in output.splitlines()}


@pytest.fixture(scope="module", params=EXAMPLES)
def tool(request, tmp_path_factory, certificate):
    place = Place(EXAMPLES[request.param], tmp_path_factory.mktemp(request.param), *certificate)
    yield Tool(place)
    assert place.stop(), place.paycast.log.read_text()


def test_the_examples_are_healthy(tool):
    code, found = tool.doctor()
    assert code == 0, found
    for kind in (EVENTS, "WebSocket", "Action Cable"):
        assert found[kind].startswith("ok ") and " ms, fragment after " in found[kind], found


@pytest.mark.parametrize("transport", TRANSPORTS)
def test_tail_follows_a_stream(tool, transport):
    words = ["--name", signed("a"), "--over", transport, "--url", tool.public.replace("https", "wss")]
    process = tool.run("tail", *words, "--until", "target=seen", "--timeout", "60")
    while process.poll() is None:
        tool.place.broadcast("seen")
        time.sleep(0.2)
    assert process.returncode == 0, process.stderr.read()
    assert "#seen" in process.stdout.read()


def test_a_certificate_of_nobody_is_named(tool):
    code, found = tool.doctor(trusting=False)
    assert code == 1
    assert "the certificate" in found["address"] and "--ca" in found["address"], found


@dataclass
class Fault:
    name: str
    proxy: str
    changes: list
    # By kind: what its line says.
    says: dict
    words: tuple = ()
    code: int = 1


FAULTS = [
    Fault(
        "no upgrade",
        "nginx",
        [("proxy_set_header Upgrade $http_upgrade;", "")],
        {"WebSocket": "“proxy_set_header Upgrade $http_upgrade;”", "Action Cable": "the upgrade does not reach"},
    ),
    Fault("no upgrade", "apache", [(" upgrade=websocket", "")], {"WebSocket": "Apache: “upgrade=websocket”"}),
    Fault(
        "buffered events",
        "nginx",
        [("location = /streams {", "location = /streams { proxy_ignore_headers X-Accel-Buffering;")],
        {EVENTS: "no “proxy_ignore_headers X-Accel-Buffering;”"},
    ),
    Fault(
        "an idle cut",
        "nginx",
        [("proxy_http_version 1.1;", "proxy_http_version 1.1; proxy_read_timeout 2s;")],
        {EVENTS: "“proxy_read_timeout 60s;”", "WebSocket": "cut after"},
        ("--patient", "15"),
    ),
    Fault(
        "an idle cut",
        "haproxy",
        [("timeout tunnel 1h", "timeout tunnel 2s"), ("timeout server 60s", "timeout server 2s")],
        {EVENTS: "HAProxy: “timeout client 60s”", "WebSocket": "“timeout tunnel 1h”"},
        ("--patient", "15"),
    ),
    Fault(
        "another host",
        "nginx",
        [("proxy_set_header Host $http_host;", ""), ("proxy_set_header X-Forwarded-Host $http_host;", "")],
        {"WebSocket": "“proxy_set_header Host $http_host;”", "Action Cable": "PAYCAST_TRUSTED_PROXIES"},
    ),
    Fault(
        "pages of a foreign origin",
        "caddy",
        [],
        {EVENTS: "PAYCAST_ALLOWED_ORIGINS", "WebSocket": "PAYCAST_ALLOWED_ORIGINS"},
        ("--origin", "https://other.test"),
    ),
    Fault("no HTTP/2", "nginx", [(" http2;", ";")], {"HTTP/2": "“listen 443 ssl http2;”"}, code=0),
    Fault("no HTTP/2", "haproxy", [(" alpn h2,http/1.1", "")], {"HTTP/2": "“alpn h2,http/1.1”"}, code=0),
]


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: f"{fault.proxy}: {fault.name}")
def test_the_doctor_names_the_missing_line(tmp_path, certificate, fault):
    place = Place(faulty(EXAMPLES[fault.proxy], fault.changes), tmp_path, *certificate)
    try:
        code, found = Tool(place).doctor(*fault.words)
        assert code == fault.code, found
        for kind, words in fault.says.items():
            assert not found[kind].startswith("ok ") and words in found[kind], found
    finally:
        place.stop()
