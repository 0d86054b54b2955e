"""Whatever we accept, other people's parsers accept, with the same meaning."""

import shutil
import tempfile
from pathlib import Path

import pytest

import heads
from allowances import ALLOWANCES, explanation
from servers import HAProxy, Nginx, Node, ask_h11


@pytest.fixture(scope="session")
def run():
    return heads.Run()


@pytest.fixture
def folder():
    # Not pytest's: a socket's path has 108 bytes at the most.
    folder = Path(tempfile.mkdtemp(prefix="heads-"))
    yield folder
    shutil.rmtree(folder)


def compare(who, run, verdicts):
    differing, used = [], set()
    for head, verdict in zip(run.accepted, verdicts, strict=True):
        for what, theirs, ours in heads.differences(head, verdict, who):
            allowance = explanation(who, what, theirs, head)
            if allowance:
                used.add(allowance.why)
            else:
                differing.append(f"{what}: {theirs!r}, ours {ours!r}: {head.bytes[:2000]!r}")
    assert not differing, f"{len(differing)} of {len(run.accepted)}:\n" + "\n".join(differing[:10])
    # An allowance that explains nothing would hide the next fault.
    if (heads.SEED, heads.COUNT) == (heads.CI_SEED, heads.CI_COUNT):
        assert [one.why for one in ALLOWANCES if one.who == who and one.why not in used] == []


def test_there_is_something_to_compare(run):
    assert len(run.accepted) > run.count / 3
    assert len(run.flaws) == 11, run.flaws


def test_h11(run):
    compare("h11", run, [ask_h11(head.bytes, head.body) for head in run.accepted])


@pytest.mark.parametrize("program", [Node, Nginx, HAProxy], ids=lambda program: program.name)
def test_server(run, folder, program):
    server = program(folder)
    try:
        verdicts = server.ask_all([(head.bytes, head.body) for head in run.accepted])
    finally:
        server.stop()
    compare(program.name, run, verdicts)
