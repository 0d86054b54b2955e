"""The program as the articles start it."""

import os
import re
import select
import signal
import subprocess
import time
from pathlib import Path

from blocks import ROOT

LISTENING = re.compile(r"paycast listening on (https?://(\S+))")
# What Debian's own programs need; a setting of whoever runs the tests is none of the article's.
OUTSIDE = {name: value for name, value in os.environ.items() if not name.startswith("PAYCAST_")}


def binary():
    """The newest build, unless PAYCAST_BINARY names one."""
    if "PAYCAST_BINARY" in os.environ:
        return Path(os.environ["PAYCAST_BINARY"]).resolve()
    built = [path for path in ROOT.glob(".build/*/paycast") if path.parent.name in ("release", "debug")]
    assert built, "no build: run swift build first"
    return max(built, key=lambda path: path.stat().st_mtime)


class Server:
    """Started by a command of a shell, on any free port unless the environment names one."""

    def __init__(self, command, folder, environment):
        self.folder = folder
        self.log = folder / "server.log"
        with self.log.open("w") as errors:
            self.process = subprocess.Popen(
                ["bash", "-euo", "pipefail", "-c", command],
                cwd=folder,
                env={"PORT": "0", **environment},
                stdout=subprocess.PIPE,
                stderr=errors,
                text=True,
                start_new_session=True,
            )
        self.url, self.address = self.listening()

    def listening(self):
        """What comes before it may be another command's, such as a build's."""
        deadline = time.monotonic() + 30
        while select.select([self.process.stdout], [], [], max(0, deadline - time.monotonic()))[0]:
            line = self.process.stdout.readline()
            if found := LISTENING.match(line):
                return found[1], found[2]
            if not line:
                break
        self.stop()
        raise AssertionError(f"the server does not start:\n{self.log.read_text()}")

    def stop(self):
        """With the shell that has started it."""
        try:
            os.killpg(self.process.pid, signal.SIGTERM)
        except ProcessLookupError:
            pass
        self.process.wait(timeout=20)
        self.process.stdout.close()
