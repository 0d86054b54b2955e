"""Heads that no well-behaved client sends, and those that many send and servers forget, each with its answer."""

from dataclasses import dataclass

from servers import KEY, page
from wire import HOST, WEBSOCKET, WEBSOCKET_KEY, bearer, get, post, request

ORDER = b'{"user":"u","product":"p"}'


@dataclass
class Case:
    name: str
    sent: bytes
    status: int
    # What its body has.
    says: bytes = b""
    # The connection ends with it.
    ends: bool = False
    # Headers that it has, with their values.
    headers: tuple = ()


def refused(name, sent, status=400, says=b"malformed_request"):
    return Case(name, sent, status, says, ends=True)


def up(*fields, **rest):
    return get("/up", *fields, **rest)


def line(text):
    return request(text)


def order(*fields, body=b"hello"):
    return request("POST /orders HTTP/1.1", *fields, body=body)


def follow(*fields):
    """A page's own request."""
    return get(page("a"), *fields)


LENGTH = b"invalid_content_length"
LONG = b"length_required"
LARGE = b"body_too_large"
LAST_CHUNK = b"0\r\n\r\n"

LINES = [
    refused("no HTTP", b"hello\r\n\r\n"),
    refused("a hello of TLS", b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + bytes(32)),
    refused("a preface of HTTP/2", b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"),
    refused("HTTP/0.9", line("GET /up")),
    *[refused(f"version {version}", line(f"GET /up HTTP/{version}"))
      for version in ("0.9", "1.2", "1.9", "2.0", "9.9", "1.10", "1.1.1", "1,1", "1", "01.1", "")],
    refused("a version in lower case", line("GET /up http/1.1")),
    refused("another protocol", line("GET /up ICY/1.1")),
    refused("a space at the end", line("GET /up HTTP/1.1 ")),
    refused("a space before the method", line(" GET /up HTTP/1.1")),
    refused("two spaces", line("GET  /up HTTP/1.1")),
    refused("two spaces before the version", line("GET /up  HTTP/1.1")),
    refused("tabs for spaces", line("GET\t/up\tHTTP/1.1")),
    refused("no method", line("/up HTTP/1.1")),
    refused("a method that is no token", line("G@T /up HTTP/1.1")),
    refused("a method without end", line("G" * 100 + " /up HTTP/1.1")),
    Case("a method in lower case", line("get /up HTTP/1.1"), 405, b"method_not_allowed", ends=True,
         headers=(("Allow", "GET, HEAD"),)),
    Case("an unknown method", line("BREW /up HTTP/1.1"), 405, b"method_not_allowed", ends=True,
         headers=(("Allow", "GET, HEAD"),)),
    Case("a known method in the wrong place", line("DELETE /orders HTTP/1.1"), 405, ends=True,
         headers=(("Allow", "POST"),)),
    Case("a question about the whole server", line("OPTIONS * HTTP/1.1"), 204, ends=True,
         headers=(("Content-Length", None),)),
    Case("a tunnel", line("CONNECT localhost:443 HTTP/1.1"), 405, b"method_not_allowed", ends=True),
    refused("%00 in the path", line("GET /up%00 HTTP/1.1")),
    refused("%00 in the query", line("GET /up?a=%00 HTTP/1.1")),
    refused("an escape without digits", line("GET /% HTTP/1.1")),
    refused("an escape with one digit", line("GET /%4 HTTP/1.1")),
    refused("an escape of no digits", line("GET /%zz HTTP/1.1")),
    refused("a path that is no UTF-8", line("GET /%ff HTTP/1.1")),
    refused("a raw byte beyond ASCII", line("GET /\xfc HTTP/1.1")),
    refused("a control byte in the path", line("GET /u\x01p HTTP/1.1")),
    refused("a NUL in the path", line("GET /u\0p HTTP/1.1")),
    refused("a fragment", line("GET /up#x HTTP/1.1")),
    refused("no slash", line("GET up HTTP/1.1")),
    refused("a star for a GET", line("GET * HTTP/1.1")),
    refused("the folder above", line("GET /../up HTTP/1.1")),
    refused("the folder above, escaped", line("GET /%2e%2e/up HTTP/1.1")),
    refused("another scheme", line("GET ftp://localhost/up HTTP/1.1")),
    refused("a scheme without a host", line("GET http:///up HTTP/1.1")),
    refused("a user in the target", line("GET http://a@localhost/up HTTP/1.1")),
    Case("an absolute target", line("GET http://localhost/up HTTP/1.1"), 200, b"up\n"),
    Case("an absolute target of another host", line("GET HTTP://other.example:81/up HTTP/1.1"), 200, b"up\n"),
    Case("an absolute target without a path", line("GET http://localhost HTTP/1.1"), 404, b"not_found"),
    Case("a query", line("GET /up?a=%20+&&=b&c HTTP/1.1"), 200, b"up\n"),
    Case("one empty line before it", b"\r\n" + up(), 200, b"up\n"),
    refused("a line too long", line(f"GET /{'a' * (9 << 10)} HTTP/1.1"), 414, b"target_too_long"),
]

FIELDS = [
    *[refused(f"{what} before the colon", up(f"Content-Length{byte}: 40"))
      for what, byte in (("a space", " "), ("a tab", "\t"), ("a NUL", "\0"), ("a byte beyond ASCII", "\xa0"))],
    refused("a space in a name", up("X A: b")),
    refused("a bracket in a name", up("X(A): b")),
    refused("no colon", up("X-None")),
    refused("no name", up(": b")),
    refused("a line folded by a space", up("X-Fold: a\r\n b")),
    refused("a line folded by a tab", up("X-Fold: a\r\n\tb")),
    refused("a line folded to nothing", up("X-Fold: a\r\n ")),
    refused("a folded line before all", request("GET /up HTTP/1.1", " X: b", HOST, host=None)),
    refused("a bare LF", up("X-Bare: a\nX-B: c")),
    refused("bare LFs alone", up().replace(b"\r\n", b"\n")),
    refused("a bare CR", up("X-Bare: a\rX-B: c")),
    refused("two CRs", up("X-Bare: a\r")),
    *[refused(f"{what} in a value", up(f"X-Value: a{byte}b"))
      for what, byte in (("a NUL", "\0"), ("a bell", "\x07"), ("an escape", "\x1b"), ("a delete", "\x7f"))],
    Case("bytes beyond ASCII in a value", up("X-Value: \xfc\xff"), 200, b"up\n"),
    Case("nothing in a value", up("X-Value:", "X-Other:b", "X-Third: \t "), 200, b"up\n"),
    refused("no host", request("GET /up HTTP/1.1", host=None)),
    refused("two hosts", up("Host: other.example")),
    refused("the same host twice", up(HOST)),
    *[refused(f"a host like {text!r}", request("GET /up HTTP/1.1", f"Host: {text}", host=None))
      for text in ("", "a b", "a/b", "a@b", "a:b", "a,b", "[::1", "[x]", "a:123456")],
    *[Case(f"a host like {text!r}", request("GET /up HTTP/1.1", f"Host: {text}", host=None), 200, b"up\n")
      for text in ("a", "A.example:81", "[::1]:80", "127.0.0.1")],
    refused("two keys", up(bearer(KEY), bearer("x"))),
    refused("two origins", up("Origin: http://localhost", "Origin: https://evil.example")),
    *[refused(f"the length {text!r}", order(f"Content-Length: {text}"), says=LENGTH)
      for text in ("+5", "-5", "0x5", "5 5", "5, 5", "5;", "", "5.0", "\u00b2", "9" * 23)],
    refused("two lengths", order("Content-Length: 5", "Content-Length: 6"), says=LENGTH),
    refused("the same length twice", order(*["Content-Length: 5"] * 2), says=LENGTH),
    refused("two lengths of a GET", up("Content-Length: 0", "Content-Length: 5", body=b"hello"), says=LENGTH),
    Case("a length with zeros before it", up("Content-Length: 0003", body=b"abc"), 200, b"up\n", ends=True),
    *[refused(f"the coding {text!r}", order(f"Transfer-Encoding: {text}", body=LAST_CHUNK), 411, LONG)
      for text in ("chunked", "Chunked", "xchunked", "identity", "gzip, chunked", "chunked, chunked")],
    refused("a length and a coding", order("Content-Length: 5", "Transfer-Encoding: chunked", body=LAST_CHUNK), 411, LONG),
    refused("a coding of a GET", up("Transfer-Encoding: chunked", body=LAST_CHUNK), 411, LONG),
    refused("no length", order(body=b""), 411, LONG),
    refused("a body too large", order("Content-Length: 262145", body=b""), 413, LARGE),
    refused("a body far too large", order("Content-Length: 999999999999", body=b""), 413, LARGE),
    refused("a body too large that was sent", post("/orders", bytes(262_145)), 413, LARGE),
    refused("a header too large", up(f"X: {'a' * (17 << 10)}"), 431, b"head_too_large"),
    refused("a header without an end", up()[:-2] + b"X: " + b"a" * (20 << 10), 431, b"head_too_large"),
    refused("many headers", up(*["X: b"] * 100), 431, b"head_too_large"),
    refused("thousands of headers", up(*["X: b"] * 3000), 431, b"head_too_large"),
    Case("99 headers and a host", up(*["X: b"] * 99), 200, b"up\n"),
    refused("a body too large, not sent yet", order("Expect: 100-continue", "Content-Length: 262145", body=b""), 413, LARGE),
    Case("another expectation", order("Expect: tea", "Content-Length: 5", body=b""), 417, ends=True),
    Case("an upgrade to TLS", up("Connection: Upgrade", "Upgrade: TLS/1.0"), 200, b"up\n"),
    Case("an upgrade to HTTP/2", up("Connection: Upgrade, HTTP2-Settings", "Upgrade: h2c", "HTTP2-Settings: AAMAAABk"),
         200, b"up\n"),
    Case("a key in lower case", get("/users/u/entitlements", f"Authorization: bearer {KEY}"), 200),
    Case("a key in capitals", get("/users/u/entitlements", f"AUTHORIZATION: BEARER {KEY}"), 200),
    Case("a wrong key", get("/users/u/entitlements", bearer(KEY[:-1] + "x")), 401, b"unauthorized"),
    Case("close in a list", up("Connection: x, Close ,y"), 200, b"up\n", ends=True, headers=(("Connection", "close"),)),
    Case("close in a second line", up("Connection: x", "Connection: close"), 200, b"up\n", ends=True),
    Case("a close that is another's name", up("Connection: closed"), 200, b"up\n"),
    Case("HTTP/1.0", request("GET /up HTTP/1.0", host=None), 200, b"up\n", ends=True),
    Case("HTTP/1.0, kept", request("GET /up HTTP/1.0", "Connection: Keep-Alive"), 200, b"up\n",
         headers=(("Connection", "keep-alive"),)),
    Case("a preflight", request("OPTIONS /transactions/apple HTTP/1.1", "Origin: http://localhost"), 204,
         headers=(("Content-Length", None),)),
]

UPGRADES = [
    Case("a WebSocket", follow(*WEBSOCKET, WEBSOCKET_KEY), 101,
         headers=(("Sec-WebSocket-Accept", "s3pPLMBiTxaQ9kYGzzhZRbK+xOo="), ("Content-Length", None))),
    Case("a WebSocket of version 8", follow(*WEBSOCKET[:2], WEBSOCKET_KEY, "Sec-WebSocket-Version: 8"), 426,
         ends=True, headers=(("Sec-WebSocket-Version", "13"),)),
    Case("a WebSocket without a version", follow(*WEBSOCKET[:2], WEBSOCKET_KEY), 426, ends=True),
    Case("a WebSocket without a key", follow(*WEBSOCKET), 400, ends=True),
    Case("a WebSocket with a short key", follow(*WEBSOCKET, "Sec-WebSocket-Key: dGhl"), 400, ends=True),
    Case("a WebSocket with two keys", follow(*WEBSOCKET, WEBSOCKET_KEY, WEBSOCKET_KEY), 400, ends=True),
    Case("a WebSocket of another site", follow(*WEBSOCKET, WEBSOCKET_KEY, "Origin: https://evil.example"), 403, ends=True),
    Case("a WebSocket with a forged name", get("/streams?name=x", *WEBSOCKET, WEBSOCKET_KEY), 403, ends=True),
    Case("a WebSocket where none is", up(*WEBSOCKET, WEBSOCKET_KEY), 404, b"no_websocket", ends=True),
]
