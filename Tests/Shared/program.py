"""Starts a program in a folder of its own, waits until it listens, and ends it."""

import os
import re
import select
import signal
import subprocess
import threading
import time
from contextlib import suppress
from itertools import islice
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
# The server refuses variables that it does not know, and settings of whoever runs the tests must not reach it.
OUTSIDE = {name: value for name, value in os.environ.items() if not name.startswith("PAYCAST_")}
# Paycast prints this line, and so does puma.
LISTENING = re.compile(rb"[Ll]istening on (https?://(\S+:(\d+)))\s")


def binary():
    """The newest build, unless PAYCAST_BINARY names one."""
    if "PAYCAST_BINARY" in os.environ:
        return Path(os.environ["PAYCAST_BINARY"]).resolve()
    built = [path for path in ROOT.glob(".build/*/paycast") if path.parent.name in ("release", "debug")]
    assert built, "no build: run swift build first"
    return max(built, key=lambda path: path.stat().st_mtime)


class Program:
    """A process, the leader of its own group. Its standard error goes to `log`, which a second start continues.

    `prepare` runs in the new process before the command.
    """

    def __init__(self, folder, command, environment=OUTSIDE, prepare=None):
        folder.mkdir(parents=True, exist_ok=True)
        self.folder = folder
        self.log = folder / "errors.log"
        self.command = command
        self.environment = environment
        self.prepare = prepare
        self.start()

    def start(self):
        with self.log.open("ab") as log:
            self.process = subprocess.Popen(
                self.command,
                cwd=self.folder,
                env=self.environment,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=log,
                start_new_session=True,
                preexec_fn=self.prepare,
            )

    def wait_until_listening(self, seconds=60):
        """Sets `url`, `address` and `port`. Other lines may come before, such as those of a build."""
        output = b""
        deadline = time.monotonic() + seconds
        while select.select([self.process.stdout], [], [], max(0, deadline - time.monotonic()))[0]:
            chunk = os.read(self.process.stdout.fileno(), 4096)
            output += chunk
            if found := LISTENING.search(output):
                self.url = found[1].decode()
                self.address = found[2].decode()
                self.port = int(found[3])
                return
            if not chunk:
                break
        self.kill()
        raise AssertionError(f"does not listen: {output!r} {self.log.read_text()}")

    def wait_for_log(self, *words, times=1, seconds=60):
        """Waits until that many lines of the log have all these words."""
        command = ["tail", "--lines=+1", "--follow", self.log]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as tail:
            timer = threading.Timer(seconds, tail.kill)
            timer.start()
            found = (line for line in tail.stdout if all(word in line for word in words))
            count = sum(1 for _ in islice(found, times))
            timer.cancel()
            tail.kill()
        assert count == times, self.log.read_text()

    def stop(self, seconds=60):
        """Asks the process and its children to end. Returns whether it reported success."""
        self.signal(signal.SIGTERM)
        try:
            status = self.process.wait(seconds)
        except subprocess.TimeoutExpired:
            self.kill()
            raise AssertionError(f"did not end in {seconds} seconds: {self.log.read_text()}") from None
        self.process.stdout.close()
        return status == 0

    def kill(self):
        """Ends the process and its children as a crash or a power cut does."""
        self.signal(signal.SIGKILL)
        self.process.wait()
        self.process.stdout.close()

    def signal(self, number):
        # Once its end was seen, its number may be another process's.
        if self.process.returncode is None:
            with suppress(ProcessLookupError):
                os.killpg(self.process.pid, number)


class Paycast(Program):
    """`paycast serve`, on a free port unless `port` is given."""

    def __init__(self, folder, *arguments, port=0, settings=None):
        command = [binary(), "serve", "--port", str(port), *arguments]
        super().__init__(folder, command, {**OUTSIDE, **(settings or {})})

    def start(self):
        super().start()
        self.wait_until_listening()

    @property
    def development_key(self):
        """The API key that a development server makes for itself."""
        return (self.folder / ".paycast" / "api.key").read_text().strip()
