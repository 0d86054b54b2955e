"""What the Swift sources say of routes and errors, read as text."""

import re

from program import ROOT

SOURCES = ROOT / "Sources"
# No part of the document: only a development server has the demo, and the console is for browsers.
DEVELOPMENT = ("/demo/", "Demo")
CONSOLE = "/console"


def text(name):
    found = list(SOURCES.rglob(name))
    assert len(found) == 1, f"{name}: {found}"
    return found[0].read_text()


def routes():
    """The literals of the route table that begin with a slash: whole paths, and the beginnings of those of the stores."""
    table = text("Route.swift")
    literals = set(re.findall(r'"(/[^"\\]*)"', table))
    assert len(literals) > 20, "the route table is written in another way now"
    return {literal for literal in literals if not literal.startswith(DEVELOPMENT)} - {CONSOLE}


def providers():
    """The stores; `paycast` is none: it has grants, and no webhook."""
    stores = "".join(path.read_text() for path in sorted((SOURCES / "Stores").rglob("*.swift")))
    found = re.findall(r'static let provider = Provider(?:\.|\(rawValue: ")([a-z]+)', stores)
    assert len(found) >= 6, "a store is written in another way now"
    return [provider for provider in found if provider != "paycast"]


def errors():
    """Every (code, status) that an answer is made with; the status is 0 where another line gives it."""
    found = set()
    for path in SOURCES.rglob("*.swift"):
        if any(word in str(path) for word in (*DEVELOPMENT, "Simulator", "StandIns", "StoreDriver", "Benchmarks")):
            continue
        source = path.read_text()
        for status, code in re.findall(r'error\(\s*(\d{3}),\s*(?:code: )?"([a-z_0-9]+)"', source):
            found.add((code, int(status)))
        for code in re.findall(r'unavailable\(\s*"([a-z_0-9]+)"', source):
            found.add((code, 503))
        for code in re.findall(r'unusable\(\s*code: "([a-z_0-9]+)"', source):
            found.add((code, 422))
        for code, status in re.findall(
            r'RefusedBody\(\s*"([a-z_0-9]+)",(?:(?!RefusedBody|\n\s*\)).)*?(?:status: (\d{3}))?\s*\)', source, re.DOTALL
        ):
            found.add((code, int(status or 400)))
    return found | enumerated()


def enumerated():
    """Codes that are cases of a type."""
    found = set()
    files = "VerificationError", "HeadFlaw", "BroadcastRequest+Fragment", "AppReceipt+VerifyReceipt"
    for name in (f"{file}.swift" for file in files):
        source = text(name)
        words = re.findall(r'case \w+ = "([a-z_0-9]+)"', source)  # raw values
        words += re.findall(r': "([a-z]+_[a-z_0-9]+)"$', source, re.MULTILINE)  # code: String { switch … }
        words += re.findall(r'\(\s*"([a-z]+_[a-z_]+)",\s', source)  # rows of (code, message)
        assert len(words) >= 3, name
        found |= {(word, 0) for word in words}
    return found
