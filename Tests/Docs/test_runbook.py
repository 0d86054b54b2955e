"""Runbook.md explains what the doctor finds, and quotes what the program says."""

import re

import tables
from program import ROOT

SOURCES = ROOT / "Sources"
WORDS = r'"([A-Za-z][A-Za-z, ]*)'
FINDING = re.compile(rf'\.(?:warn|fail)\(\s*{WORDS}"|(?<!static )let (?:what|name) = {WORDS}')
# Said of `"server, stores"` and `server` where nothing could be looked at: the finding before it says why.
ASIDE = {"server", "server, stores"}
LINE = re.compile(r'log\.\w+\(\s*"([^"]+)"')


def test_every_finding_of_the_doctor_is_explained():
    texts = [path.read_text() for path in (SOURCES / "Commands" / "Doctor").glob("*.swift")]
    stores = [path.read_text() for path in (SOURCES / "Stores").rglob("*.swift")]
    texts += [text for text in stores if "func examine(" in text]
    found = {name.strip() for text in texts for names in FINDING.findall(text) for name in names if name}
    assert len(found) > 15
    explained = " ".join(cells[0] for cells in tables.rows(tables.read("Runbook.md"), "Finding"))
    assert [name for name in sorted(found - ASIDE) if f"`{name}" not in explained] == []


def test_log_lines_that_articles_quote_are_the_programs():
    """Those that stand behind “The log says”."""
    known = set()
    for path in SOURCES.rglob("*.swift"):
        known |= set(LINE.findall(path.read_text()))
    quoted = []
    for article in ("Runbook.md", "Operations.md"):
        quoted += re.findall(r"log(?:'s)?[^.|]*? says:? `([^`]+)`", re.sub(r"\s+", " ", tables.read(article)))
    assert len(quoted) > 3
    assert [line for line in quoted if not any(line.startswith(each) for each in known)] == []
