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


def run(stage, block):
    if SPEAKS.search(block.text):
        stage.serving()
    stage.statuses.write_text("")
    script = f"{stage.restored(stage.placed(block.text))}\nexport -p >{shlex.quote(str(stage.left))}\n"
    stage.output = execute(stage, block, script)
    stage.answers = [int(line) for line in stage.statuses.read_text().split()]
    expected = expected_status(stage, block)
    if expected:
        assert stage.answers[-1:] == [expected], f"answered {stage.answers}, printed is {expected}: {stage.output}"
    for status in stage.answers[:-1] if expected else stage.answers:
        assert status < 400, f"answered {status}: {stage.output}"


def expected_status(stage, block):
    """Its own mark, or that of the answer printed next."""
    after = stage.steps[stage.steps.index(block) + 1 :][:1]
    answer = after[0].mark("answer") if after and isinstance(after[0], Block) else None
    text = block.mark("status") or answer
    return int(text) if text else None


def execute(stage, block, script):
    process = subprocess.Popen(
        ["bash", "-euo", "pipefail", "-c", script],
        cwd=stage.folder,
        env=stage.surroundings(),
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
    """All that it says, and its status; one that goes on for ever is ended once it has said what is waited for."""
    said = ""
    with process.stdout:
        for line in process.stdout:
            said += line
            if until and until in line:
                os.killpg(process.pid, signal.SIGTERM)
                process.wait()
                return said, 0
    status = process.wait()
    assert not until, f"never said {until!r}:\n{said}"
    return said, status
