"""`paycast tail --stream` against servers that others wrote: Rails' Action Cable, and Python's WebSocket library."""

import subprocess
import threading
import time
from contextlib import contextmanager

import pytest
from websockets.sync.server import serve

from cable import signed
from program import OUTSIDE, binary

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


def test_action_cable_rejects_a_forged_name(server, tmp_path):
    process = tail(tmp_path, "--name", "forged", "--over", "cable", "--url", f"ws://{server.address}")
    _, errors = process.communicate()
    assert process.returncode == 1
    assert errors == "paycast: the server rejects the subscription\n"


@contextmanager
def library(handler, **settings):
    with serve(handler, "127.0.0.1", 0, **settings) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"ws://127.0.0.1:{server.socket.getsockname()[1]}"
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


def test_it_takes_no_compression_and_says_goodbye(tmp_path):
    codes = []

    def handler(connection):
        assert "Sec-WebSocket-Extensions" not in connection.request.headers
        connection.send(HTML)
        with pytest.raises(Exception):
            connection.recv(10)
        codes.append(connection.protocol.close_rcvd.code)

    with library(handler) as url:
        process = tail(tmp_path, "--name", "x", "--url", url, "--limit", "1")
        process.communicate()
    assert process.returncode == 0
    assert codes == [1000]


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
