"""A server with all ways in, its Redis and its app's table, and those who publish and read: each a program that others wrote."""

import json
import re
import sqlite3
import subprocess
import time
import urllib.parse
import urllib.request
from contextlib import closing

from ports import ReservedPort
from program import Paycast, Program

SECONDS = 60
# As Rails makes it of Solid Cable's db/cable_schema.rb.
TABLE = """
    CREATE TABLE "solid_cable_messages" ("id" integer PRIMARY KEY AUTOINCREMENT NOT NULL, "channel" blob(1024) NOT NULL,
    "payload" blob(536870912) NOT NULL, "created_at" datetime(6) NOT NULL, "channel_hash" integer(8) NOT NULL)
"""
ROW = "INSERT INTO solid_cable_messages (channel, payload, created_at, channel_hash) VALUES (?, ?, datetime('now'), 1)"


def wait_until(condition, seconds=SECONDS):
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, "it never came"
        time.sleep(0.05)


def stream(user):
    """Its name, which is Redis' and the table's channel, too."""
    return f"user:{user}:paywall"


def fragment(size):
    """An element of about so many bytes, as a Rails app sends it."""
    head, tail = '<turbo-stream action="append" target="log"><template>', "</template></turbo-stream>"
    return head + "x" * (size - len(head) - len(tail)) + tail


class Redis(Program):
    """Keeps what we have not taken, so that all of a burst arrives."""

    def __init__(self, folder):
        self.reserved = ReservedPort()
        self.port = self.reserved.number
        super().__init__(folder, [
            "redis-server", "--port", str(self.port), "--bind", "127.0.0.1", "--save", "", "--appendonly", "no",
            "--client-output-buffer-limit", "pubsub 0 0 0",
        ])

    def publish(self, user, size, count):
        """As fast as it is taken. By standard input: an argument has at most 128 KB."""
        subprocess.run(
            [
                "redis-benchmark", "-p", str(self.port), "-c", "1", "-P", "50", "-n", str(count), "-q", "-x",
                "PUBLISH", stream(user),
            ],
            input=json.dumps(fragment(size)),
            text=True,
            check=True,
            stdout=subprocess.DEVNULL,
            timeout=SECONDS,
        )

    def stop(self, seconds=SECONDS):
        super().stop(seconds)
        self.reserved.close()


class Server(Paycast):
    key = "k" * 40

    def __init__(self, folder, redis, more={}):
        self.table = folder / "cable.sqlite3"
        self.rows(0, "")
        self.curls = []
        super().__init__(folder, settings={
            "PAYCAST_API_KEY": self.key,
            "PAYCAST_STREAM_KEYS": "s" * 40,
            "REDIS_URL": f"redis://127.0.0.1:{redis.port}",
            "PAYCAST_RAILS_CABLE_URL": f"sqlite:{self.table}",
            **more,
        })
        wait_until(lambda: self.metric("paycast_redis_connected") == self.metric("paycast_rails_cable_connected") == 1)

    def ask(self, path):
        request = urllib.request.Request(self.url + path, headers={"Authorization": f"Bearer {self.key}"})
        with urllib.request.urlopen(request, timeout=SECONDS) as answer:
            return answer.read().decode()

    def metric(self, series):
        return int(re.search(f"^{re.escape(series)} (\\d+)$", self.ask("/metrics"), re.MULTILINE)[1])

    def signed(self, user):
        """The signed name of the user's stream, as the query of a page has it."""
        return urllib.parse.quote(json.loads(self.ask(f"/users/{user}/stream"))["signed_stream"], safe="")

    # MARK: Those who read

    def open_pages(self, user, count):
        """Each curl holds as many as it can."""
        before = self.metric('paycast_pages{transport="sse"}')
        for start in range(0, count, 250):
            pages = min(250, count - start)
            address = f"{self.url}/streams?name={self.signed(user)}&page=[1-{pages}]"
            command = ["curl", "--no-progress-meter", "--no-buffer", "--parallel", "--parallel-immediate", "--parallel-max"]
            self.curls.append(subprocess.Popen([*command, str(pages), "--output", "/dev/null", address]))
        wait_until(lambda: self.metric('paycast_pages{transport="sse"}') >= before + count)

    # MARK: Those who publish

    def post(self, user, requests, publishers=1, size=200, transient=False):
        """Each sends a hundred broadcasts with each request, and the next one when that is answered."""
        one = {"user": user, "html": fragment(size), "transient": transient}
        body = self.folder / "body.json"
        body.write_text(json.dumps([one] * 100))
        command = [
            "curl", "--silent", "--fail", "--header", f"Authorization: Bearer {self.key}", "--data-binary", f"@{body}",
            "--output", "/dev/null", f"{self.url}/broadcasts?request=[1-{requests}]",
        ]
        running = [subprocess.Popen(command) for _ in range(publishers)]
        assert [each.wait(SECONDS) for each in running] == [0] * publishers

    def rows(self, count, user, size=200):
        """Written by the app in one transaction."""
        with closing(sqlite3.connect(self.table)) as database, database:
            if not database.execute("SELECT 1 FROM sqlite_master WHERE name = 'solid_cable_messages'").fetchone():
                database.execute("PRAGMA journal_mode = WAL")
                database.execute(TABLE)
            payload = json.dumps(fragment(size)).encode()
            database.executemany(ROW, ((stream(user).encode(), payload) for _ in range(count)))

    # MARK: What it does with that

    @property
    def published(self):
        return self.metric("paycast_published_total")

    def wait_for(self, count):
        """Until it has published so many messages, and has written them."""
        wait_until(lambda: self.published >= count)
        wait_until(lambda: self.metric("paycast_queued_bytes") == 0)

    def memory(self, line="VmRSS"):
        """In bytes. VmHWM is the most that it ever took."""
        with open(f"/proc/{self.process.pid}/status") as status:
            return int(re.search(f"^{line}:\\s+(\\d+) kB$", status.read(), re.MULTILINE)[1]) << 10

    def settled_memory(self):
        """In bytes, once it has given nothing more back for three looks of what trims it each second (`MemoryTrimSchedule`)."""
        readings = [self.memory()]

        def is_settled():
            readings.append(self.memory())
            return len(readings) > 60 and readings[-60] - readings[-1] < 1 << 20

        wait_until(is_settled)
        return readings[-1]

    def stop(self, seconds=SECONDS):
        super().stop(seconds)
        for curl in self.curls:
            curl.kill()
            curl.wait()
