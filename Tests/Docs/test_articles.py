"""Every block of every article does what the text around it says."""

import pytest

from blocks import articles, parsed
from program import ROOT

STEPS = [step for name, path in articles().items() for step in parsed(name, path.read_text())]


@pytest.mark.parametrize("step", STEPS, ids=str)
def test_a_reader_who_follows_the_text_gets_there(walkthroughs, step):
    walkthroughs(step.file).reach(step)


def test_the_component_that_is_printed_is_the_one_to_copy():
    name = "PaywallComponent.swift"
    [printed] = [step.text for step in STEPS if getattr(step, "marks", ()) == (("file", name),)]
    file = (ROOT / "Sources" / "PaycastKit" / "HotwireNative" / name).read_text()
    assert printed == "".join(line for line in file.splitlines(True) if not line.startswith("///"))
