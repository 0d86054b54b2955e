"""Paycast as an operator runs it, without `--dev`, and what the kernel knows of its process."""

import base64
import hashlib
import hmac
import json
import os
import re
import secrets
import subprocess
import time
from pathlib import Path
from urllib.parse import quote

import program

# Two publishers: each has a key of its own.
ATTACKERS_KEY, KEY, STREAM_KEY = (secrets.token_hex(32) for _ in range(3))
# A state in /proc/net/tcp, whose queue counts connections.
LISTENING = "0A"
TICKS = os.sysconf("SC_CLK_TCK")
SETTINGS = {
    "PAYCAST_API_KEY": f"{ATTACKERS_KEY},{KEY}",
    "PAYCAST_STREAM_KEYS": STREAM_KEY,
    "PAYCAST_APPLE_BUNDLE_ID": "com.example.app",
    "PAYCAST_APPLE_ENVIRONMENTS": "Sandbox",
}


def signed(stream):
    text = base64.b64encode(json.dumps(stream).encode()).decode()
    return f"{text}--{hmac.new(STREAM_KEY.encode(), text.encode(), hashlib.sha256).hexdigest()}"


def page(stream):
    """The address of its events."""
    return f"/streams?name={quote(signed(stream))}"


def until(condition, seconds=10, pause=0.01):
    """Whether the condition becomes true in time. Only for events that nothing announces, such as a port."""
    deadline = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > deadline:
            return False
        time.sleep(pause)
    return True


class Paycast(program.Paycast):
    def __init__(self, folder, public=None, tls=None, port=0, **settings):
        self.public = public or folder / "public"
        self.public.mkdir(parents=True, exist_ok=True)
        arguments = ["--public", self.public]
        if tls:
            certificate, key = tls
            arguments += ["--tls-cert", certificate, "--tls-key", key]
        settings = {f"PAYCAST_{name.upper()}": str(value) for name, value in settings.items()}
        super().__init__(folder, *arguments, port=port, settings={**SETTINGS, **settings})

    # What it costs

    def resident(self):
        """KB of memory."""
        status = Path(f"/proc/{self.process.pid}/status").read_text()
        return int(re.search(r"VmRSS:\s+(\d+)", status)[1])

    def descriptors(self):
        return len(os.listdir(f"/proc/{self.process.pid}/fd"))

    def descriptor_limit(self):
        limits = Path(f"/proc/{self.process.pid}/limits").read_text()
        return int(re.search(r"Max open files\s+(\d+)", limits)[1])

    def queued(self):
        """KB that the kernel holds for its clients, until they take them."""
        rows = [line.split() for line in Path("/proc/net/tcp").read_text().splitlines()[1:]]
        own = [row[4] for row in rows if row[1].endswith(f":{self.port:04X}") and row[3] != LISTENING]
        return sum(int(queues.split(":")[0], 16) for queues in own) // 1024

    def processor(self):
        """Seconds of all its threads."""
        fields = Path(f"/proc/{self.process.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / TICKS

    def share(self, seconds=1.0):
        """The share of one core in that time, which the program must survive."""
        start, before = time.monotonic(), self.processor()
        self.outlive(seconds)
        return (self.processor() - before) / (time.monotonic() - start)

    def settled(self, seconds=10, window=0.3):
        """KB of memory, once it has not changed for `window` seconds."""

        def stands_still():
            before = self.resident()
            self.outlive(window)
            return abs(self.resident() - before) < 64

        until(stands_still, seconds)
        return self.resident()

    def outlive(self, seconds):
        """Waits, and fails if the program ends meanwhile: a measurement of a dead program means nothing."""
        try:
            status = self.process.wait(seconds)
        except subprocess.TimeoutExpired:
            return
        raise AssertionError(f"it ended with {status}: {self.log.read_text()}")
