"""What a printed answer stands for, and what it does not."""

from dataclasses import dataclass
from typing import Any

import pytest

import shapes

DATE = "2026-11-22T18:21:51.365Z"


@dataclass(frozen=True)
class Pair:
    printed: Any
    real: Any


@pytest.mark.parametrize("pair", [
    Pair({"a": 1, "b": None}, {"b": None, "a": 2}),
    Pair("evt_03420d", "evt_ffe1"),
    Pair("http://host/…", "anything"),
    Pair("applied", "applied"),
    Pair(DATE, "2027-01-01T00:00:00Z"),
    Pair([True, {"a": []}], [True, {"a": []}]),
], ids=str)  # fmt: skip
def test_alike(pair):
    assert shapes.difference(pair.printed, pair.real) is None


@pytest.mark.parametrize("pair", [
    Pair({"a": 1}, {}),
    Pair({}, {"a": 1}),
    Pair({"a": 1}, {"a": None}),
    Pair({"a": None}, {"a": "x"}),
    Pair(1, True),
    Pair("1", 1),
    Pair(True, False),
    Pair("applied", "stale"),
    Pair("evt_1", ""),
    Pair(DATE, "yesterday 1"),
    Pair([], [1]),
    Pair([{"a": 1}], [{"b": 1}]),
], ids=str)  # fmt: skip
def test_different(pair):
    assert shapes.difference(pair.printed, pair.real)


@pytest.mark.parametrize("printed, real, missing", [
    ("outcome  applied\ncursor   q3y-1", "outcome applied\nevent 1\ncursor abc\n", None),
    ("a\n…\nd", "a\nb\nc\nd", None),
    ("outcome  applied", "outcome stale", "outcome  applied"),
    ("b\na", "a\nb", "a"),
    ("state 1", "state", "state 1"),
])  # fmt: skip
def test_output(printed, real, missing):
    assert shapes.missing_line(printed, real) == missing
