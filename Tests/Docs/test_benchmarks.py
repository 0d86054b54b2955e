"""Benchmarks.md names every measurement that the program has, and no other one."""

import re

import tables
from program import ROOT

NAME = re.compile(r'static let name = "(\w+)"')


def test_names_are_those_of_the_program():
    texts = [path.read_text() for path in (ROOT / "Sources" / "Benchmarks").rglob("*.swift")]
    known = {name for text in texts for name in NAME.findall(text)}
    assert len(known) > 10
    assert tables.named(tables.read("Benchmarks.md"), "Name").keys() == known | {"holes", "nodes"}
