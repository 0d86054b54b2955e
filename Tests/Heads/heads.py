"""The heads of a run, our reading of them, and how it compares with the readings of others."""

import json
import os
import re
import subprocess
from pathlib import Path
from urllib.parse import unquote_to_bytes

from generator import KNOWN, Generator

ROOT = Path(__file__).resolve().parents[2]
CI_SEED, CI_COUNT = 9112, 20_000
SEED = int(os.environ.get("HEADS_SEED", CI_SEED))
COUNT = int(os.environ.get("HEADS_COUNT", CI_COUNT))
# These tests need no longer bodies.
BODY_LIMIT = 100
# Compared as they are. The others are about a connection, and each proxy has one of its own.
COMPARED = [name.lower() for name in KNOWN if name not in ("Connection", "Upgrade", "Expect")]
COMPARED += ["sec-websocket-key", "sec-websocket-version"]


class Head:
    """One that we accept: its bytes, its body, and our reading of it."""

    def __init__(self, text, ours):
        self.bytes, self.ours = text, ours
        smuggled = b"GET /evil HTTP/1.1\r\nHost: evil.example\r\n\r\n" + b"x" * BODY_LIMIT
        self.body = smuggled[: ours["length"] or 0]

    def values(self, name):
        """As they were sent."""
        lines = re.findall(rb"(?im)^" + re.escape(name) + rb":[ \t]*([^\r]*?)[ \t]*\r$", self.bytes)
        return [line.decode("latin-1").lower() for line in lines]

    @property
    def target(self):
        return self.bytes.lstrip(b"\r\n").split(b" ")[1]


def ask(heads):
    """What our parser says of each."""
    asked = b"".join(len(head).to_bytes(4, "big") + head for head in heads)
    output = subprocess.run([ROOT / ".build/heads/ask"], input=asked, stdout=subprocess.PIPE, check=True).stdout
    answers = [json.loads(line) for line in output.splitlines()]
    assert len(answers) == len(heads)
    return answers


def swallowing():
    """The lines that a header with a name like a known one's beginning has hidden from others."""
    names = KNOWN + ["Host", "Content-Length", "Transfer-Encoding", "Accept", "Set-Cookie", "Allow", "X-Auth-Token"]
    hidden = ["Authorization: Bearer a", "Origin: https://a", "X-Forwarded-For: 203.0.113.7", "Content-Length: 40"]
    for name in names:
        for end in range(1, len(name)):
            line = hidden[end % len(hidden)]
            yield f"GET / HTTP/1.1\r\nHost: a\r\n{name[:end]}: b\r\n{line}\r\n\r\n".encode()


# What chance brings too seldom: each of ALLOWANCES has to be needed.
RARE = [
    b'GET / HTTP/1.1\r\nHost: a\r\nConnection: ", close\r\n\r\n',
    b'GET / HTTP/1.0\r\nConnection: keep-alive"\r\n\r\n',
    b"GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\nConnection: keep-alive\r\n\r\n",
    b"GET / HTTP/1.1\r\nHost: a\r\nConnection: close\t\r\n\r\n",
    b"GET / HTTP/1.0\r\nConnection: close, keep-alive\r\n\r\n",
    b"PRI / HTTP/1.1\r\nHost: a\r\n\r\n",
    b"GET / HTTP/1.1\r\nHost: a\r\nIf-Modified-Since: a\r\nIf-Modified-Since: a\r\n\r\n",
]


def written():
    generator = Generator(SEED)
    # What the fuzzer has found worth keeping, generated for coverage of our own code.
    corpus = sorted((ROOT / "Tests/Fuzz/corpus/heads").iterdir())
    return [generator.head() for _ in range(COUNT)] + [*swallowing(), *RARE] + [path.read_bytes() for path in corpus]


class Run:
    def __init__(self):
        heads = written()
        self.count = len(heads)
        self.flaws = {}
        self.accepted = []
        for text, ours in zip(heads, ask(heads)):
            if "consumed" not in ours:
                flaw = ours.get("flaw", "waits")
                self.flaws[flaw] = self.flaws.get(flaw, 0) + 1
            # Refused by the gate, whatever it says.
            elif "transfer-encoding" not in ours["fields"] and (ours["length"] or 0) <= BODY_LIMIT:
                self.accepted.append(Head(text[: ours["consumed"]], ours))


def authority_and_path(method, target):
    if method == "CONNECT":
        return target, b"*"
    if match := re.fullmatch(rb"(?i)https?://([^/?]*)(.*)", target, re.DOTALL):
        return match[1], match[2]
    return None, target


def decoded(escaped):
    return unquote_to_bytes(escaped).decode("utf-8", "replace")


def arguments(query):
    found = {}
    for pair in query.split(b"&"):
        if pair:
            name, _, value = pair.replace(b"+", b" ").partition(b"=")
            found.setdefault(decoded(name), decoded(value))
    return found


def spoken(host, who, target):
    """What a host is compared by: some say less of it than was sent, and mean the same."""
    host = host or ""
    if who == "nginx":
        # $host: without the port and the root's dot, in small letters.
        return re.sub(r":\d*$", "", host.lower()).rstrip(".")
    if who == "haproxy" and not target.startswith(b"/"):
        # Of an address, without the port that goes without saying.
        return re.sub(r":(80|443)?$", "", host)
    return host


def differences(head, verdict, who):
    """In what a verdict is another than ours: (what, theirs, ours)."""
    ours = head.ours
    if verdict.request is None:
        return [("refused", verdict.reason, "")]
    read = verdict.request
    authority, target = authority_and_path(read.method, read.target)
    path, _, query = target.partition(b"?")
    host = (authority or next(iter(read.values("host")), b"")).decode("utf-8", "replace")
    fields = {
        name: ", ".join(value.decode("utf-8", "replace") for value in read.values(name))
        for name in COMPARED
        if read.values(name)
    }
    compared = [
        ("method", read.method, ours["method"]),
        ("path", decoded(path or b"/"), ours["path"]),
        ("host", spoken(host, who, head.target), spoken(ours["host"], who, head.target)),
        ("fields", fields, {name: value for name, value in ours["fields"].items() if name in COMPARED}),
        ("stays", verdict.stays, not ours["last"]),
        ("websocket", is_websocket(read) and not ours["http10"] and not head.body, ours["websocket"]),
    ]
    theirs = arguments(query)
    names = ["name", "a", "é", ""]
    compared += [("query", theirs.get(name), ours["query"].get(name)) for name in names]
    if who != "node":
        compared.append(("body", read.body, head.body))
    return [difference for difference in compared if difference[1] != difference[2]]


def is_websocket(read):
    def lists(name, item):
        return any(item in (part.strip(b" \t").lower() for part in value.split(b",")) for value in read.values(name))

    return read.method == "GET" and lists("upgrade", b"websocket") and lists("connection", b"upgrade")
