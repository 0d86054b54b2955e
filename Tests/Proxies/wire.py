"""HTTP/1.1 byte by byte: sends exactly the test's bytes, and reads answers by their own framing alone."""

import asyncio
import select
import socket
import ssl
import time
from dataclasses import dataclass, field

HOST = "Host: localhost"
WEBSOCKET = ("Connection: Upgrade", "Upgrade: websocket", "Sec-WebSocket-Version: 13")
WEBSOCKET_KEY = "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ=="
# Seconds: far more than an answer takes, on a machine that stalls. The server's shortest deadline for requests is the 20 s for
# a head, so what comes in time was not brought by one.
AT_ONCE = 10.0


class Silence(AssertionError):
    """No whole answer in time."""


class Ended(AssertionError):
    """The connection ended before a whole answer."""


@dataclass(repr=False)
class Answer:
    status: int
    # Lower-case names; each with all its values.
    headers: dict
    body: bytes = b""
    # Answers 1xx that came before it.
    interim: list = field(default_factory=list)
    seconds: float = 0.0

    def header(self, name):
        values = self.headers.get(name.lower(), [])
        return values[0] if values else None

    def __repr__(self):
        return f"<{self.status} {self.body[:60]!r}>"


def request(line, *fields, body=b"", host=HOST):
    """Fields are given as they go on the wire."""
    head = "\r\n".join([line, *([host] if host else []), *fields, "", ""])
    return head.encode("latin-1") + body


def get(path, *fields, **rest):
    return request(f"GET {path} HTTP/1.1", *fields, **rest)


def post(path, body, *fields, **rest):
    return request(f"POST {path} HTTP/1.1", *fields, f"Content-Length: {len(body)}", body=body, **rest)


def bearer(key):
    return f"Authorization: Bearer {key}"


def parse(data, method="GET", ended=False):
    """The first whole answer and how many bytes it has; None while there is none."""
    end = data.find(b"\r\n\r\n")
    if end < 0:
        return None
    lines = data[:end].decode("latin-1").split("\r\n")
    version, status, *_ = lines[0].split(" ", 2)
    assert version in ("HTTP/1.1", "HTTP/1.0") and len(status) == 3, f"no answer: {bytes(data[:200])!r}"
    headers = {}
    for line in lines[1:]:
        name, colon, value = line.partition(":")
        assert colon and name and name == name.strip(), f"no header: {line!r}"
        headers.setdefault(name.lower(), []).append(value.strip())
    answer = Answer(int(status), headers)
    start = end + 4
    if method == "HEAD" or answer.status < 200 or answer.status in (204, 304):
        return answer, start
    if "transfer-encoding" in headers:
        found = chunked(data, start)
        if found is None:
            return None
        answer.body, end = found
        return answer, end
    if "content-length" in headers:
        (length,) = set(headers["content-length"])
        if len(data) < start + int(length):
            return None
        answer.body = bytes(data[start : start + int(length)])
        return answer, start + int(length)
    if not ended:
        return None
    answer.body = bytes(data[start:])
    return answer, len(data)


def chunked(data, start):
    body = b""
    while (end := data.find(b"\r\n", start)) >= 0:
        size = int(data[start:end].split(b";")[0], 16)
        start = end + 2
        if len(data) < start + size + 2:
            return None
        body += data[start : start + size]
        start += size + 2
        if size == 0:
            return bytes(body), start
    return None


class Wire:
    """One connection."""

    def __init__(self, port, timeout=30.0, context=None):
        self.socket = socket.create_connection(("127.0.0.1", port), timeout)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        if context:
            self.socket = context.wrap_socket(self.socket, server_hostname="localhost")
        self.timeout = timeout
        self.buffer = bytearray()
        self.has_ended = False

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        self.socket.close()

    def send(self, data):
        self.socket.sendall(data)
        return self

    def receive(self, deadline):
        """False at the end of the connection, or when the time is up."""
        left = deadline - time.monotonic()
        if self.has_ended or left <= 0:
            return False
        self.socket.settimeout(left)
        try:
            chunk = self.socket.recv(65536)
        except TimeoutError:
            return False
        except (ConnectionError, ssl.SSLError):
            chunk = b""
        finally:
            self.socket.settimeout(self.timeout)
        self.has_ended = not chunk
        self.buffer += chunk
        return bool(chunk)

    def answer(self, method="GET", seconds=None, interim=()):
        """The next answer. Its time counts from this call."""
        start = time.monotonic()
        deadline = start + (seconds or self.timeout)
        while (found := parse(self.buffer, method, self.has_ended)) is None:
            if not self.receive(deadline) and not self.has_ended:
                raise Silence(f"no answer in {seconds or self.timeout} s, only {self.heard()}")
            if self.has_ended and parse(self.buffer, method, True) is None:
                raise Ended(f"ended after {self.heard()}")
        answer, size = found
        del self.buffer[:size]
        if 100 <= answer.status < 200 and answer.status != 101:
            return self.answer(method, seconds, (*interim, answer.status))
        answer.interim = list(interim)
        answer.seconds = time.monotonic() - start
        return answer

    def read(self, mark, seconds=None):
        """Up to and including the mark."""
        deadline = time.monotonic() + (seconds or self.timeout)
        while mark not in self.buffer:
            if not self.receive(deadline):
                raise Silence(f"only {self.heard()}")
        end = self.buffer.index(mark) + len(mark)
        read = bytes(self.buffer[:end])
        del self.buffer[:end]
        return read

    def heard(self):
        return f"{len(self.buffer)} bytes, {bytes(self.buffer[:200])!r}"

    def all(self, seconds):
        """Whatever comes in that time, or until the end."""
        deadline = time.monotonic() + seconds
        while self.receive(deadline):
            pass
        return self.buffer

    def hear(self, first=0.1, more=0.02):
        """What comes until it pauses; some attacks are never answered, so nothing is waited for long."""
        if self.receive(time.monotonic() + first):
            while self.receive(time.monotonic() + more):
                pass
        return self.buffer

    def is_quiet(self):
        """Nothing was said that nobody asked for, and it still stands."""
        return not self.buffer and not select.select([self.socket], [], [], 0)[0]


def ask(port, data, method="GET", seconds=5.0):
    """The one answer to what is sent on a connection of its own."""
    with Wire(port, timeout=seconds) as wire:
        return wire.send(data).answer(method)


def ask_all(port, requests, seconds=AT_ONCE, parallel=32, whole=False):
    """For each its answer, or the failure as a text; each on a connection of its own, many at a time.

    `whole`: all answers up to the end of the connection, as a list.
    """

    async def one(data, gate):
        async with gate:
            try:
                return await asyncio.wait_for(exchange(data), seconds)
            except TimeoutError:
                return "no answer"
            except (OSError, AssertionError) as error:
                return repr(error)

    async def exchange(data):
        start = time.monotonic()
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        try:
            writer.write(data)
            received, answers, ended = b"", [], False
            while not ended:
                chunk = await reader.read(65536)
                received, ended = received + chunk, not chunk
                while found := parse(received, ended=ended):
                    answer, size = found
                    answer.seconds = time.monotonic() - start
                    if not whole:
                        return answer
                    answers.append(answer)
                    received = received[size:]
            return answers if whole and not received else f"ended after {received[:80]!r}"
        finally:
            writer.transport.abort()

    async def everything():
        gate = asyncio.Semaphore(parallel)
        return await asyncio.gather(*(one(data, gate) for data in requests))

    return asyncio.run(everything())
