"""The program prints what articles quote: each piece between placeholders is in the sources."""

import re

import pytest

import tables
from program import ROOT

# Placeholders: `…`, words in capitals such as NAME or ADDRESS:PORT, numbers; and where a sentence may be joined.
PLACEHOLDER = re.compile(r"…[^ ,:]*|\b[A-Z_]{4,}[:_]?[A-Z_]*\b|\b[A-Z]\b|[0-9]+|[“”]|[.,:] ")
# In the sources: an interpolation, and a text that goes on in the next line.
INTERPOLATION = re.compile(r"\\\((?:[^()]|\([^()]*\))*\)")
CONTINUATION = re.compile(r'"\s*\+\s*"')


def printed():
    texts = []
    for path in (ROOT / "Sources").rglob("*.swift"):
        texts.append(INTERPOLATION.sub("…", CONTINUATION.sub("", path.read_text())).replace('\\"', '"'))
    return "\n".join(texts)


def quotes():
    """Of tables whose first column is what the program says."""
    for article, heading in (
        ("Errors.md", "What is printed"),
        ("Runbook.md", "`/ready` says"),
        ("Runbook.md", "The last line"),
    ):
        found = tables.rows(tables.read(article), heading)
        assert found, heading
        for cells in found:
            for quote in tables.CODE.findall(cells[0]):
                yield quote
    # In prose: a sentence of the program that ends with a colon after it.
    yield from re.findall(r"^`([^`]+)`: ", tables.read("Runbook.md"), re.MULTILINE)


@pytest.mark.parametrize("quote", list(quotes()))
def test_a_quote_is_what_the_program_says(quote):
    if re.fullmatch(r"status=\S+|Watchdog timeout", quote):
        return  # systemd's own
    if re.fullmatch(r'canceling statement due to lock timeout|No space left on device|violates check constraint "\w+"', quote):
        return  # PostgreSQL's own
    pieces = [piece.strip(" :,.") for piece in PLACEHOLDER.split(quote)]
    pieces = [piece for piece in pieces if len(piece) > 3]
    known = printed()
    assert [piece for piece in pieces if piece not in known] == []
    assert pieces or PLACEHOLDER.search(quote)
