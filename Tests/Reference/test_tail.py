"""`paycast tail --stream` against servers that others wrote: Rails' Action Cable, and Python's WebSocket library."""

import base64
import hashlib
import json
import os
import socket
import ssl
import subprocess
import threading
import time
from contextlib import contextmanager, suppress
from queue import Queue

import pytest
from websockets.sync.server import serve

import certificates
from cable import signed
from program import OUTSIDE, binary
from servers import Rails

HTML = '<turbo-stream action="append" target="list"><template>é{}</template></turbo-stream>'


def tail(folder, *words):
    return subprocess.Popen(
        [binary(), "tail", "--timeout", "30", *words],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=folder,
        env=OUTSIDE,
    )


def test_it_hears_action_cable(server, tmp_path):
    url = f"ws://{server.address}"
    process = tail(tmp_path, "--name", signed("tail"), "--over", "cable", "--url", url, "--limit", "2")
    while process.poll() is None:
        server.broadcast("tail", HTML.format(1))
        time.sleep(0.1)
    output, errors = process.communicate()
    assert process.returncode == 0, errors
    assert [line.split()[3:] for line in output.splitlines()] == [["append", "#list", "83", "B", "é1"]] * 2


@pytest.fixture(scope="module")
def certificate(tmp_path_factory):
    return certificates.certificate(tmp_path_factory.mktemp("certificate"))


def test_it_hears_action_cable_behind_tls(certificate, tmp_path):
    rails = Rails(tmp_path / "rails", tls=certificate)
    url = f"wss://localhost:{rails.door.number}"
    words = ["--name", signed("tail"), "--over", "cable", "--url", url, "--limit", "1"]
    try:
        process = tail(tmp_path, *words, "--ca", certificate[0])
        while process.poll() is None:
            rails.broadcast("tail", HTML.format(1))
            time.sleep(0.1)
        output, errors = process.communicate()
        assert process.returncode == 0, errors
        assert "é1" in output
        _, errors = tail(tmp_path, *words).communicate()
        assert "is not trusted" in errors
    finally:
        rails.stop()


def test_action_cable_rejects_a_forged_name(server, tmp_path):
    process = tail(tmp_path, "--name", "forged", "--over", "cable", "--url", f"ws://{server.address}")
    _, errors = process.communicate()
    assert process.returncode == 1
    assert errors == "paycast: the server rejects the subscription\n"


@contextmanager
def library(handler, **settings):
    with serve(handler, "127.0.0.1", 0, **settings) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"ws{'s' if 'ssl' in settings else ''}://127.0.0.1:{server.socket.getsockname()[1]}"
        server.shutdown()


@pytest.mark.parametrize("size", [0, 100, 70_000, 1 << 20])
def test_it_hears_the_library(tmp_path, size):
    text = HTML.format("x" * size)

    def handler(connection):
        assert connection.request.headers["Origin"].startswith("http://127.0.0.1:")
        assert connection.ping(b"are you there?").wait(10)
        connection.send(text)
        # In parts, between which control frames may come.
        connection.send([text[:50], text[50:]])
        connection.recv()

    with library(handler) as url:
        process = tail(tmp_path, "--name", "x", "--url", url, "--limit", "2", "--html")
        output, errors = process.communicate()
    assert process.returncode == 0, errors
    assert output.splitlines()[1::2] == [text, text]


def test_it_hears_the_library_behind_tls(certificate, tmp_path):
    def handler(connection):
        connection.send(HTML)
        connection.recv()

    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(*certificate)
    with library(handler, ssl=context) as url:
        words = ["--name", "x", "--url", url, "--limit", "1", "--html"]
        output, errors = tail(tmp_path, *words, "--ca", certificate[0]).communicate()
        assert output.splitlines()[1:] == [HTML], errors
        _, errors = tail(tmp_path, *words).communicate()
        assert "is not trusted" in errors


@pytest.mark.parametrize("verdict", ["confirm_history", "reject_history"])
def test_it_comes_back_to_its_place_in_the_history_of_anycable(tmp_path, verdict):
    """A server of AnyCable's extended protocol, whose epochs and offsets are its own."""
    heard = Queue()

    def handler(cable):
        def say(**message):
            cable.send(json.dumps(message))

        assert cable.subprotocol == "actioncable-v1-ext-json"
        say(type="welcome", sid="1")
        command = json.loads(cable.recv())
        heard.put(command.get("history"))
        mine = {"identifier": command["identifier"]}
        say(**mine, type="confirm_subscription")
        if "history" in command:
            say(**mine, type=verdict)
        say(type="ping", message=1)
        assert json.loads(cable.recv()) == {"command": "pong"}
        say(**mine, message=HTML, stream_id="room", epoch="Ab_1", offset=7)
        cable.socket.shutdown(socket.SHUT_RDWR) if heard.qsize() == 1 else cable.recv()

    with library(handler, subprotocols=["actioncable-v1-ext-json"]) as url:
        process = tail(tmp_path, "--name", "x", "--over", "cable", "--url", url, "--limit", "2")
        _, errors = process.communicate()
    assert process.returncode == 0, errors
    assert heard.get() is None
    assert heard.get() == {"streams": {"room": {"offset": 7, "epoch": "Ab_1"}}}
    assert ("something may be missing" in errors) == (verdict == "reject_history"), errors


def test_it_takes_no_compression_and_says_goodbye(tmp_path):
    codes = Queue()

    def handler(connection):
        assert "Sec-WebSocket-Extensions" not in connection.request.headers
        connection.send(HTML)
        with pytest.raises(Exception):
            connection.recv(10)
        codes.put(connection.protocol.close_rcvd.code)

    with library(handler) as url:
        process = tail(tmp_path, "--name", "x", "--url", url, "--limit", "1")
        process.communicate()
    assert process.returncode == 0
    assert codes.get(timeout=10) == 1000


def test_a_closing_server_is_quoted_and_asked_again(tmp_path):
    reasons = iter([(1001, "going away"), (4000, "later")])

    def handler(connection):
        code, reason = next(reasons, (None, None))
        if code:
            connection.close(code, reason)
        else:
            connection.send(HTML)
            connection.recv()

    with library(handler) as url:
        process = tail(tmp_path, "--name", "x", "--url", url, "--limit", "1")
        _, errors = process.communicate()
    assert process.returncode == 0, errors
    for words in ("(1001): going away", "(4000): later", "connected again"):
        assert words in errors


def upgraded(head):
    key = head.lower().split(b"sec-websocket-key:")[1].split(b"\r\n")[0].strip()
    key = head[head.lower().index(key) :][: len(key)]
    accept = base64.b64encode(hashlib.sha1(key + b"258EAFA5-E914-47DA-95CA-C5AB0DC85B11").digest())
    head = b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
    return head + b"Sec-WebSocket-Accept: " + accept + b"\r\n"


# What a server says after the head of its answer, again and again, and what is said of it.
FLOODS = {
    "a frame of 1 GB": (b"\r\n\x81\x7f" + (1 << 30).to_bytes(8, "big"), b"x" * 65536, "more than 4 MiB"),
    "a message of endless parts": (b"\r\n\x01\x01x", b"\x00\x7d" + b"x" * 125, "more than 4 MiB"),
    "a head that never ends": (b"", b"X-Filler: " + b"x" * 1000 + b"\r\n", "larger than 16 KiB"),
    "pings": (b"\r\n", (b"\x89\x05hello") * 1000, "--timeout has passed"),
    "empty messages": (b"\r\n", b"\x82\x00" * 1000, "--timeout has passed"),
}


@pytest.mark.parametrize("flood", FLOODS)
def test_a_flood_ends_in_time_and_costs_no_memory(tmp_path, flood):
    first, again, words = FLOODS[flood]

    def drain(wire):
        with suppress(OSError):
            while wire.recv(65536):
                pass

    def serve(listener):
        with suppress(OSError):
            wire, _ = listener.accept()
            wire.sendall(upgraded(wire.recv(65536)) + first)
            threading.Thread(target=drain, args=[wire], daemon=True).start()
            while True:
                wire.sendall(again)

    with socket.create_server(("127.0.0.1", 0)) as listener:
        threading.Thread(target=serve, args=[listener], daemon=True).start()
        start = time.monotonic()
        url = f"ws://127.0.0.1:{listener.getsockname()[1]}"
        command = [binary(), "tail", "--name", "x", "--url", url, "--timeout", "4", "--limit", "1"]
        errors = (tmp_path / "errors").open("wb")
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=errors, cwd=tmp_path, env=OUTSIDE)
        _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    assert process.returncode == 1
    lines = (tmp_path / "errors").read_text().splitlines()
    assert len(lines) == 1 and words in lines[0], lines
    assert time.monotonic() - start < 30
    assert usage.ru_maxrss < 100_000, "KB"
