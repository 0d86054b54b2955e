"""What a platform has around an app: a runner of its Procfile, a router, and PostgreSQL and Redis that speak TLS."""

import os
import shutil
import socket
import subprocess
import sys
import time
from pathlib import Path

from ports import ReservedPort
from program import OUTSIDE, ROOT, Program, binary

HONCHO = Path(sys.executable).with_name("honcho")
HOST = "shop.example.com"
# Heroku's: https://devcenter.heroku.com/articles/http-routing. What it gives an answer to begin with is here also the longest
# pause of one: HAProxy 2.6 knows no difference. A refused connection is tried at another process, and nothing else is tried again.
ROUTER = """
defaults
    mode http
    timeout connect 5s
    timeout client 55s
    timeout server 30s
    timeout tunnel 55s
    retries 3
    option redispatch 1
    retry-on conn-failure
    option forwardfor
frontend router
    bind 127.0.0.1:{port}
    http-request set-header X-Forwarded-Proto https
    http-request set-header X-Forwarded-Port 443
    default_backend web
backend web
    balance roundrobin
{servers}
"""


class Redis(Program):
    """It takes TLS alone, and a password."""

    password = "p" * 20

    def __init__(self, folder, certificate, key):
        self.reserved = ReservedPort()
        self.url = f"rediss://:{self.password}@127.0.0.1:{self.reserved.number}"
        super().__init__(folder, [
            "redis-server", "--port", "0", "--tls-port", str(self.reserved.number), "--tls-cert-file", certificate,
            "--tls-key-file", key, "--tls-auth-clients", "no", "--requirepass", self.password, "--bind", "127.0.0.1",
            "--save", "", "--logfile", folder / "errors.log",
        ])
        self.wait_for_log("Ready to accept connections")

    def publish(self, channel, text):
        """Returns how many clients heard it."""
        words = ["--tls", "--insecure", "-p", str(self.reserved.number), "-x", "PUBLISH", channel]
        environment = {**OUTSIDE, "REDISCLI_AUTH": self.password}
        done = subprocess.run(["redis-cli", *words], env=environment, input=text, text=True, capture_output=True, check=True)
        return int(done.stdout)

    def stop(self, seconds=60):
        super().stop(seconds)
        self.reserved.close()


class Router(Program):
    def __init__(self, folder, ports):
        self.reserved = ReservedPort()
        self.port = self.reserved.number
        folder.mkdir()
        servers = "\n".join(f"    server web{port} 127.0.0.1:{port}" for port in ports)
        (folder / "router.cfg").write_text(ROUTER.format(port=self.port, servers=servers))
        super().__init__(folder, ["haproxy", "-db", "-f", "router.cfg"], {**OUTSIDE, "PATH": f"{os.environ['PATH']}:/usr/sbin"})
        deadline = time.monotonic() + 60
        while not self.accepts():
            assert time.monotonic() < deadline, self.log.read_text()
            time.sleep(0.05)

    def accepts(self):
        try:
            socket.create_connection(("127.0.0.1", self.port), 1).close()
            return True
        except OSError:
            return False

    def stop(self, seconds=60):
        super().kill()
        self.reserved.close()


class App:
    """What was pushed: a folder without a ledger, and the app's settings, which all of its processes get."""

    def __init__(self, folder, settings):
        self.folder = folder
        self.settings = settings
        (folder / ".build/release").mkdir(parents=True)
        (folder / ".build/release/paycast").symlink_to(binary())
        shutil.copy(ROOT / "Procfile", folder)

    def command(self, line, port=5000):
        # It writes all that its processes write to its own output.
        return ["sh", "-c", f"exec {HONCHO} start --port {port} {line} >&2"]

    def environment(self, **settings):
        return {**OUTSIDE, **self.settings, **settings}

    def release(self, line="release", **settings):
        """The status of a line that ends by itself, and what it said."""
        environment = {name: text for name, text in self.environment(**settings).items() if text}
        done = subprocess.run(self.command(line), cwd=self.folder, env=environment, capture_output=True, text=True)
        return done.returncode, done.stderr


class Web(Program):
    """One of the processes that the router knows, by its port. All have one disk here, but nothing is on it."""

    # Then a platform kills.
    seconds = 30

    def __init__(self, app, folder, port):
        self.port = port
        self.starts = 0
        super().__init__(folder, app.command("web", port), app.environment(), lambda: os.chdir(app.folder))

    def start(self):
        super().start()
        self.starts += 1
        self.wait_for_log("paycast listening on http://", times=self.starts)

    def stop(self, seconds=seconds):
        """Whether it drained by itself. The runner's own status says by which signal it ended."""
        super().stop(seconds)
        return self.log.read_text().count("web.1 stopped (rc=0)") == self.starts

    def replace(self):
        """As a deployment does."""
        assert self.stop(), self.log.read_text()
        self.start()
