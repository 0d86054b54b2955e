"""What the program's own clients see through the proxies: as they are printed, and with a fault built into each."""

import socket
import subprocess
import threading
import time
from contextlib import suppress

import pytest

from examples import EXAMPLES
from program import OUTSIDE, binary
from servers import KEY, signed
from test_examples import Place

TRANSPORTS = ["websocket", "cable", "sse"]
EVENTS = "events, HTTP/1.1"


def started(folder, *words):
    outputs = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    return subprocess.Popen([binary(), *words], cwd=folder, env=OUTSIDE, **outputs)


def findings(doctor):
    """What was found, by its kind."""
    output, errors = doctor.communicate(timeout=120)
    assert not errors, errors
    return {line[6:28].strip(): line for line in output.splitlines()}


class Tool:
    """The command line, on a machine that knows the server and the authority of the proxy's certificate."""

    def __init__(self, place):
        self.place = place
        caddys = place.folder / "proxy" / ".local/share/caddy/pki/authorities/local/root.crt"
        self.authority = caddys if caddys.exists() else place.proxy.certificate
        self.public = f"https://localhost:{place.proxy.port}"

    def run(self, *words, trusting=True):
        return started(self.place.folder, *words, *(["--ca", self.authority] if trusting else []))

    def doctor(self, *words, trusting=True):
        """The exit code, and what was found of each kind."""
        server = f"http://127.0.0.1:{self.place.paycast.port}"
        words = ["doctor", "--public", self.public, "--server", server, "--key", KEY, *words]
        process = self.run(*words, trusting=trusting)
        found = findings(process)
        return process.returncode, found


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
    line = {"nginx": "ssl_certificate", "haproxy": "crt", "apache": "SSLCertificateFile", "caddy": "the name in front"}
    for words in ("the certificate", "--ca", line[tool.place.proxy.name]):
        assert words in found["address"], found


UPGRADE, CUT, WAIT = "the upgrade does not reach", "cut after", ("--patient", "15")
OURS = "the server takes its own pages for those of another site"
FOREIGN = {kind: "PAYCAST_ALLOWED_ORIGINS" for kind in (EVENTS, "WebSocket", "Action Cable")}


def inside(lines):
    """Into Caddy's way to the server."""
    return [("reverse_proxy 127.0.0.1:8080", f"reverse_proxy 127.0.0.1:8080 {{\n        {lines}\n    }}")]


# By the fault and the proxy: what is changed in its example, and what is said of each kind.
FAULTS = {
    "no upgrade": {
        "nginx": (
            [("proxy_set_header Upgrade $http_upgrade;", "")],
            {"WebSocket": "nginx: “proxy_http_version 1.1;”, “proxy_set_header Upgrade", "Action Cable": UPGRADE},
        ),
        "apache": ([(" upgrade=websocket", "")], {"WebSocket": "Apache: “upgrade=websocket”", "Action Cable": UPGRADE}),
        "haproxy": (
            [("    use_backend streams", "    http-request del-header Upgrade\n    use_backend streams")],
            {"WebSocket": "HAProxy: no “http-request del-header Upgrade”", "Action Cable": UPGRADE},
        ),
        "caddy": (inside("header_up -Upgrade"), {"WebSocket": "without “header_up -Upgrade”", "Action Cable": UPGRADE}),
    },
    # Apache sends what it has whenever the server is silent, through mod_buffer and mod_deflate, too. None of them
    # compresses events (Cache-Control: no-transform), or keeps what is compressed.
    "buffered events": {
        "nginx": (
            [("location = /streams {", "location = /streams { proxy_ignore_headers X-Accel-Buffering;")],
            {EVENTS: "nginx: “proxy_buffering off;”, or no “proxy_ignore_headers X-Accel-Buffering;”"},
        ),
        "haproxy": (
            [("backend streams", "backend streams\n    http-response wait-for-body time 30s at-least 4096")],
            {EVENTS: "HAProxy: no “http-response wait-for-body”"},
        ),
        "caddy": (
            inside("buffer_responses"),
            {kind: "Caddy: no “buffer_responses”" for kind in (EVENTS, "WebSocket", "Action Cable")},
        ),
    },
    "an idle cut": {
        "nginx": (
            [("proxy_http_version 1.1;", "proxy_http_version 1.1; proxy_read_timeout 2s;")],
            {EVENTS: "“proxy_read_timeout 60s;”", "WebSocket": CUT},
        ),
        "haproxy": (
            [("timeout tunnel 1h", "timeout tunnel 2s"), ("timeout server 60s", "timeout server 2s")],
            {EVENTS: "HAProxy: “timeout client 60s”", "WebSocket": "“timeout tunnel 1h”"},
        ),
        # It never cuts what was upgraded.
        "apache": (
            [("ProxyPreserveHost On", "ProxyPreserveHost On\n    ProxyTimeout 2")],
            {EVENTS: "Apache: “ProxyTimeout 60”"},
        ),
        "caddy": (
            inside("transport http {\n read_timeout 2s\n }"),
            {EVENTS: "Caddy: no “read_timeout”", "WebSocket": CUT},
        ),
    },
    "another host": {
        "nginx": (
            [("proxy_set_header Host $http_host;", ""), ("proxy_set_header X-Forwarded-Host $http_host;", "")],
            {"WebSocket": "“proxy_set_header Host $http_host;”", "Action Cable": OURS},
        ),
        "haproxy": (
            [("set-header X-Forwarded-Host %[req.hdr(host)]", "set-header Host internal.test")],
            {"WebSocket": "“http-request set-header X-Forwarded-Host %[req.hdr(host)]”", "Action Cable": OURS},
        ),
        # It says X-Forwarded-Host by itself.
        "apache": (
            [("ProxyPreserveHost On", "ProxyAddHeaders Off")],
            {"WebSocket": "Apache: “ProxyPreserveHost On”", "Action Cable": OURS},
        ),
        # So does Caddy.
        "caddy": (
            inside("header_up X-Forwarded-Host internal.test"),
            {"WebSocket": "Caddy: no “header_up” for Host or X-Forwarded-Host", "Action Cable": OURS},
        ),
    },
    "pages of a foreign origin": {name: ([], FOREIGN) for name in EXAMPLES},
    "no HTTP/2": {
        "nginx": ([(" http2;", ";")], {"HTTP/2": "nginx: “listen 443 ssl http2;”"}),
        "haproxy": ([(" alpn h2,http/1.1", "")], {"HTTP/2": "“alpn h2,http/1.1”"}),
        # As its example has it: each open page keeps a thread in any case.
        "apache": ([], {"HTTP/2": "Apache: “Protocols h2 http/1.1”"}),
        "caddy": (
            [("skip_install_trust", "skip_install_trust\n    servers {{\n        protocols h1\n    }}")],
            {"HTTP/2": "Caddy: no “protocols h1”"},
        ),
    },
}
WORDS = {"an idle cut": WAIT, "pages of a foreign origin": ("--origin", "https://other.test")}
CASES = [(fault, proxy) for fault, proxies in FAULTS.items() for proxy in proxies]


@pytest.mark.parametrize("fault, proxy", CASES, ids=lambda word: word)
def test_the_doctor_names_the_missing_line(tmp_path, certificate, fault, proxy):
    changes, says = FAULTS[fault][proxy]
    place = Place(type("Faulty", (EXAMPLES[proxy],), {"changes": changes}), tmp_path, *certificate)
    try:
        code, found = Tool(place).doctor(*WORDS.get(fault, ()))
        for kind, words in says.items():
            assert not found[kind].startswith("ok ") and words in found[kind], found
        assert code == (0 if fault == "no HTTP/2" else 1), found
    finally:
        place.stop()


def test_a_page_that_hangs_does_not_make_another_one_be_blamed(paycast, tmp_path):
    """Two handshakes of libwebsockets never run at the same time."""

    def carry(source, sink):
        with suppress(OSError):
            while data := source.recv(65536):
                sink.sendall(data)
            sink.shutdown(socket.SHUT_WR)

    def answer(near):
        with suppress(OSError):
            head = near.recv(65536)
            if b"GET /streams" in head and b"pgrade" in head:
                return
            far = socket.create_connection(("127.0.0.1", paycast.port))
            far.sendall(head)
            threading.Thread(target=carry, args=[far, near], daemon=True).start()
            carry(near, far)

    held = []

    def serve(listener):
        with suppress(OSError):
            while True:
                held.append(listener.accept()[0])
                threading.Thread(target=answer, args=held[-1:], daemon=True).start()

    with socket.create_server(("127.0.0.1", 0)) as listener:
        threading.Thread(target=serve, args=[listener], daemon=True).start()
        words = ["--public", f"http://127.0.0.1:{listener.getsockname()[1]}"]
        process = started(tmp_path, "doctor", *words, "--server", paycast.url, "--key", KEY)
        found = findings(process)
    assert process.returncode == 1
    assert "not open in 5 s" in found["WebSocket"], found
    for kind in (EVENTS, "Action Cable"):
        assert found[kind].startswith("ok "), found
