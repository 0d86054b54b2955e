"""The program's rules, and Debian's promtool."""

import subprocess
from functools import cache

import yaml

from program import OUTSIDE, binary


@cache
def printed(*words):
    """What a command of the program prints."""
    command = [binary(), *words]
    return subprocess.run(command, check=True, capture_output=True, text=True, env=OUTSIDE, timeout=60).stdout


def rules():
    """Each alarm by its name."""
    (group,) = yaml.safe_load(printed("alerts"))["groups"]
    return {rule["alert"]: rule for rule in group["rules"]}


def promtool(*words):
    done = subprocess.run(["promtool", *words], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def write(path, document):
    path.write_text(yaml.safe_dump(document, sort_keys=False))
    return path
