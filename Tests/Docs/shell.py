"""Blocks for a reader's terminal: bash, with the variables that earlier blocks have left."""

import os
import re
import shlex
import signal
import subprocess
import threading

from blocks import Block

# Whatever curl is told, it writes its answer's status down as well.
CURL = """#!/bin/sh
heads=$(mktemp)
/usr/bin/curl --no-progress-meter --dump-header "$heads" "$@"
result=$?
grep '^HTTP/' "$heads" | tail -n 1 | cut -d ' ' -f 2 >>"$DOCS_STATUSES"
rm -f "$heads"
exit $result
"""
# Of a block that needs a server.
SPEAKS = re.compile(r"paycast |PAYCAST_API_KEY|127\.0\.0\.1:8080|pay\.example\.com")
SECONDS = 60


def run(walkthrough, block):
    if SPEAKS.search(block.text):
        walkthrough.serving()
    walkthrough.statuses.write_text("")
    text = walkthrough.restored(walkthrough.placed(block.text))
    script = f"{text}\nexport -p >{shlex.quote(str(walkthrough.left))}\n"
    walkthrough.output = execute(walkthrough, block, script)
    walkthrough.answers = [int(line) for line in walkthrough.statuses.read_text().split()]
    expected = expected_status(walkthrough, block)
    if expected:
        answers = walkthrough.answers
        assert answers[-1:] == [expected], f"answered {answers}, printed is {expected}: {walkthrough.output}"
    for status in walkthrough.answers[:-1] if expected else walkthrough.answers:
        assert status < 400, f"answered {status}: {walkthrough.output}"


def expected_status(walkthrough, block):
    """Its own mark, or that of the answer printed next."""
    after = walkthrough.steps[walkthrough.steps.index(block) + 1 :][:1]
    answer = after[0].mark("answer") if after and isinstance(after[0], Block) else None
    text = block.mark("status") or answer
    return int(text) if text else None


def execute(walkthrough, block, script):
    process = subprocess.Popen(
        ["bash", "-euo", "pipefail", "-c", script],
        cwd=walkthrough.folder,
        env=walkthrough.surroundings(),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
    )
    timer = threading.Timer(SECONDS, os.killpg, (process.pid, signal.SIGKILL))
    timer.start()
    try:
        output, status = read(process, block.mark("until"))
    finally:
        timer.cancel()
    assert status == 0, f"{block} exits {status}:\n{output}"
    return output


def read(process, until):
    """The command's output and status. A command without end is stopped once it has printed what is waited for."""
    printed = ""
    with process.stdout:
        for line in process.stdout:
            printed += line
            if until and until in line:
                os.killpg(process.pid, signal.SIGTERM)
                process.wait()
                return printed, 0
    status = process.wait()
    assert not until, f"never said {until!r}:\n{printed}"
    return printed, status
