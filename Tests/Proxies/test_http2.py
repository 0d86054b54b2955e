"""What stands behind HTTP/2 is read as strictly as HTTP/1.1."""

import pytest

from servers import KEY, page
from streams import Streams
from streams import request as http2

HIDDEN = "HTTP/1.1\r\nhost: localhost\r\n\r\nGET /attackers.txt"
HEADS = {
    "a line in the path": http2(f"/up {HIDDEN}"),
    "a space in the path": http2("/up /attackers.txt"),
    "no slash": http2("up"),
    "no path": http2(""),
    "an absolute target": http2("http://localhost/attackers.txt"),
    "a line in the method": http2("/up", method=f"GET /up {HIDDEN}"),
    "a space in the method": http2("/up", method="GET /attackers.txt"),
    "a tunnel": http2("/up", method="CONNECT"),
    "a line in the host": http2("/up", authority=f"localhost\r\n\r\nGET /attackers.txt {HIDDEN}"),
    "a space in the host": http2("/up", authority="local host"),
    "another host": http2("/up", ("host", "other.example")),
    "a CR in a value": http2("/up", ("x-value", "a\rb")),
    "a line in a value": http2("/up", ("x-value", f"a\r\n\r\nGET /attackers.txt {HIDDEN}")),
    "a NUL in a value": http2("/up", ("x-value", "a\0b")),
    "a capital in a name": http2("/up", ("X-Name", "b")),
    "a colon in a name": http2("/up", ("x-name: b\r\ny", "b")),
    "a space in a name": http2("/up", ("content-length ", "5")),
    "no name": http2("/up", ("", "b")),
    "pieces": http2("/up", ("transfer-encoding", "chunked")),
    "a connection of its own": http2("/up", ("connection", "close")),
    "an upgrade": http2(page("a"), ("upgrade", "websocket"), ("connection", "upgrade")),
    "a length of what is not sent": http2("/up", ("content-length", "5")),
    "two lengths": http2("/up", ("content-length", "0"), ("content-length", "5")),
    "two keys": http2("/up", ("authorization", f"Bearer {KEY}"), ("authorization", "Bearer x")),
    "a path twice": [*http2("/up"), (":path", "/attackers.txt")],
    "a pseudo-header at the end": [*http2("/up")[:-1], ("x-name", "b"), (":path", "/up")],
}


@pytest.mark.parametrize("name", HEADS)
def test_http2_is_as_strict(encrypted, name):
    """A stream is reset, or its request refused; the others know nothing of it."""
    with Streams(encrypted.port) as streams:
        status, body = streams.answer(HEADS[name])
        assert status in (None, "400") and b"attacker" not in body
        assert streams.is_over or streams.answer(http2("/up")) == ("200", b"up\n")
