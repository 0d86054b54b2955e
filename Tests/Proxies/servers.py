"""Paycast as an operator runs it, without `--dev`, and what the kernel knows of its process."""

import base64
import hashlib
import hmac
import json
import os
import re
import secrets
import select
import signal
import ssl
import subprocess
import time
from pathlib import Path
from urllib.parse import quote

ROOT = Path(__file__).resolve().parents[2]
# Two publishers: each has a key of its own.
ATTACKERS_KEY, KEY, STREAM_KEY = (secrets.token_hex(32) for _ in range(3))
# Of /proc/net/tcp: there the queue is one of connections.
LISTENING = "0A"
TICKS = os.sysconf("SC_CLK_TCK")


def unverified(*protocols):
    """The certificate is the test's own."""
    context = ssl._create_unverified_context()
    if protocols:
        context.set_alpn_protocols(protocols)
    return context


UNVERIFIED = unverified()


def binary():
    """The newest build, unless PAYCAST_BINARY names one."""
    if "PAYCAST_BINARY" in os.environ:
        return Path(os.environ["PAYCAST_BINARY"]).resolve()
    built = [path for path in ROOT.glob(".build/*/paycast") if path.parent.name in ("release", "debug")]
    assert built, "no build: run swift build first"
    return max(built, key=lambda path: path.stat().st_mtime)


def signed(stream):
    text = base64.b64encode(json.dumps(stream).encode()).decode()
    return f"{text}--{hmac.new(STREAM_KEY.encode(), text.encode(), hashlib.sha256).hexdigest()}"


def page(stream):
    """The address of its events."""
    return f"/streams?name={quote(signed(stream))}"


def until(condition, seconds=10, pause=0.01):
    """Whether it holds within that time. For what nobody announces: another program's port, the kernel's numbers."""
    deadline = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > deadline:
            return False
        time.sleep(pause)
    return True


class Program:
    """A process of this test's own, with a log in its folder."""

    def __init__(self, folder, command, environment=None):
        folder.mkdir(parents=True, exist_ok=True)
        self.folder = folder
        self.log = folder / "errors.log"
        with self.log.open("wb") as log:
            self.process = subprocess.Popen(
                command,
                cwd=folder,
                env=environment,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=log,
                start_new_session=True,
            )

    def stop(self, seconds=20):
        """Whether it ended as it was asked to."""
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
        try:
            self.process.wait(timeout=seconds)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
            return False
        finally:
            self.process.stdout.close()
        return self.process.returncode == 0

    def kill(self):
        """With its children; for those that would wait for their clients for many seconds."""
        if self.process.poll() is None:
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()
        self.process.stdout.close()


class Paycast(Program):
    def __init__(self, folder, public=None, tls=None, port=0, **settings):
        self.public = public or folder / "public"
        self.public.mkdir(parents=True, exist_ok=True)
        command = [binary(), "serve", "--port", str(port), "--public", self.public]
        if tls:
            command += ["--tls-cert", tls / "cert.pem", "--tls-key", tls / "key.pem"]
        environment = {name: value for name, value in os.environ.items() if not name.startswith("PAYCAST_")}
        environment |= {
            "PAYCAST_API_KEY": f"{ATTACKERS_KEY},{KEY}",
            "PAYCAST_STREAM_KEYS": STREAM_KEY,
            "PAYCAST_APPLE_BUNDLE_ID": "com.example.app",
            "PAYCAST_APPLE_ENVIRONMENTS": "Sandbox",
            **{f"PAYCAST_{name.upper()}": str(value) for name, value in settings.items()},
        }
        super().__init__(folder, command, environment)
        self.port = self.listening()

    def listening(self):
        said = b""
        while select.select([self.process.stdout], [], [], 20)[0]:
            chunk = os.read(self.process.stdout.fileno(), 4096)
            said += chunk
            if found := re.search(rb"listening on https?://127\.0\.0\.1:(\d+)\s", said):
                return int(found[1])
            if not chunk:
                break
        raise AssertionError(f"does not listen: {said!r} {self.log.read_text()}")

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
        """Of one core, in a window of that length."""
        start, before = time.monotonic(), self.processor()
        time.sleep(seconds)
        return (self.processor() - before) / (time.monotonic() - start)

    def settled(self, seconds=10, window=0.3):
        """KB of memory, once it has stood still for a window."""
        deadline = time.monotonic() + seconds
        last = self.resident()
        while time.monotonic() < deadline:
            time.sleep(window)
            now = self.resident()
            if abs(now - last) < 64:
                break
            last = now
        return self.resident()
