"""Every block of every article does what the text around it says."""

import pytest

from blocks import articles, parsed

STEPS = [step for name, path in articles().items() for step in parsed(name, path.read_text())]


@pytest.mark.parametrize("step", STEPS, ids=str)
def test_a_reader_who_follows_the_text_gets_there(walkthroughs, step):
    walkthroughs(step.file).reach(step)
