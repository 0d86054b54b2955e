"""The image, and its containers as Podman runs them."""

import http.client
import json
import os
import re
import subprocess
import time
from urllib.parse import urlsplit

from program import OUTSIDE, ROOT, Program, binary

IMAGE = "paycast:latest"
NOBODY = 65534
# As an operator who takes no risk runs it: nothing but the volume can be written.
STRICT = ["--read-only", "--read-only-tmpfs=false", "--cap-drop", "ALL", "--security-opt", "no-new-privileges"]


def podman(*words, status=0):
    done = subprocess.run(["podman", *words], capture_output=True, text=True, timeout=300)
    assert status is None or done.returncode == status, f"{words}: {done.stdout}{done.stderr}"
    return done.stdout


def build(*words, status=0, **variables):
    done = subprocess.run(
        [ROOT / ".ci/container/build", *words],
        env={**OUTSIDE, "PAYCAST_BINARY": str(binary()), **variables},
        capture_output=True,
        text=True,
        timeout=600,
    )
    assert done.returncode == status, done.stdout + done.stderr
    return done.stdout.strip() if status == 0 else done.stderr


class Container(Program):
    """`podman run` of the image, attached: it ends with the container's status."""

    count = 0

    def __init__(self, folder, *words, options=(), settings=None):
        Container.count += 1
        self.name = f"paycast-test-{os.getpid()}-{Container.count}"
        settings = [f"--env={name}={value}" for name, value in (settings or {}).items()]
        command = ["podman", "run", "--rm", "--name", self.name, *options, *settings, IMAGE, *words]
        super().__init__(folder, command, OUTSIDE)

    def started(self):
        self.wait_until_listening()
        return self

    def exec(self, *words, status=0):
        return podman("exec", self.name, *words, status=status)

    def is_healthy(self):
        return subprocess.run(["podman", "healthcheck", "run", self.name], capture_output=True).returncode == 0

    def wait_until_healthy(self, seconds=60):
        deadline = time.monotonic() + seconds
        while not self.is_healthy():
            assert time.monotonic() < deadline, self.log.read_text()

    def stop(self, seconds=60):
        """As an engine does: SIGTERM, and SIGKILL later. Returns the server's own status."""
        podman("stop", "--time", "30", self.name)
        status = self.process.wait(seconds)
        self.process.stdout.close()
        return status

    def ended(self, seconds=60):
        """The status of one that ends by itself, and what it said."""
        status = self.process.wait(seconds)
        self.process.stdout.close()
        return status, self.log.read_text()

    def kill(self):
        subprocess.run(["podman", "rm", "--force", "--time", "0", self.name], capture_output=True)
        super().kill()


def ask(url, key=None, body=None, headers=None):
    """The status and the text that the server answers to a GET, or to a POST if there is a body."""
    parts = urlsplit(url)
    connection = http.client.HTTPConnection(parts.hostname, parts.port, timeout=20)
    sent = {**(headers or {}), **({"Authorization": f"Bearer {key}"} if key else {})}
    target = parts.path + (f"?{parts.query}" if parts.query else "")
    connection.request("GET" if body is None else "POST", target, body, sent)
    answer = connection.getresponse()
    text = answer.read().decode()
    connection.close()
    return answer.status, text


class Page:
    """An open page: what comes by its event stream."""

    def __init__(self, server, user, key):
        status, text = ask(f"{server}/users/{user}/stream", key)
        assert status == 200, text
        parts = urlsplit(server)
        path = urlsplit(json.loads(text)["sse"])
        self.connection = http.client.HTTPConnection(parts.hostname, parts.port, timeout=30)
        self.connection.request("GET", f"{path.path}?{path.query}", headers={"Accept": "text/event-stream"})
        self.answer = self.connection.getresponse()
        assert self.answer.status == 200
        self.line(lambda line: line.startswith("id:"))

    def line(self, matches):
        """The next line that matches."""
        while line := self.answer.readline().decode():
            if matches(line):
                return line
        raise AssertionError("the stream has ended")

    def hears(self, text):
        return self.line(lambda line: line.startswith("data:") and text in line)

    def close(self):
        self.connection.close()


def spoken(text):
    """The lines of a log that are no lines of the engine."""
    return [line for line in text.splitlines() if not re.match(r"(time=|WARN\[)", line)]
