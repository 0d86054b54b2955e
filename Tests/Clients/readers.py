"""Two programs that read the bare stream and are not browsers. Neither reconnects by itself."""

import asyncio
import json
import re
import ssl
import subprocess
import threading
import time
from urllib.parse import urlsplit

from websockets.asyncio.client import connect

from cases import Report


def address(case, route):
    """What the source element opens."""
    source = route.server.stream(str(case))[case.kind]
    return urlsplit(source)._replace(netloc=urlsplit(route.base).netloc).geturl()


class Reader:
    """Its kinds `describe` a page: its markup so far, whether it is open, and what it lost."""

    def __init__(self):
        # Held while what a page has read changes, and notified of it.
        self.news = threading.Condition()

    def report(self, case):
        with self.news:
            markup, ready, lost = self.describe(case)
            return Report(ready, 1, lost, re.findall("<li>(.*?)</li>", markup), 'data-state="active"' in markup)

    def wait(self, case, condition, deadline):
        """The page's report once it meets the condition, or when the time is up."""
        with self.news:
            self.news.wait_for(lambda: condition(self.report(case)), max(0, deadline - time.monotonic()))
            return self.report(case)


class Websockets(Reader):
    """Python's `websockets`. It answers our pings and, every 20 s, sends its own, with a deadline for our answer.

    All on one loop in a thread: its other form reads and writes a TLS socket from two threads, and one handshake in a
    few hundred hangs, whatever the server is.
    """

    def __init__(self, folder):
        super().__init__()
        self.followers = {}
        self.loop = asyncio.new_event_loop()
        threading.Thread(target=self.loop.run_forever, daemon=True).start()

    def open(self, case, route, app):
        options = {"origin": app.origin}
        if route.base.startswith("https"):
            options["ssl"] = ssl.create_default_context(cafile=route.server.certificate)
        if case.kind == "cable":
            follower = CableFollower(self.news, route.cable, route.server.stream(str(case))["signed_stream"])
        else:
            follower = Follower(self.news, address(case, route))
        self.followers[case] = follower
        asyncio.run_coroutine_threadsafe(follower.follow(**options), self.loop)

    def describe(self, case):
        follower = self.followers[case]
        return "".join(follower.markup), follower.ready, list(follower.lost)

    def stop(self):
        asyncio.run_coroutine_threadsafe(self.close(), self.loop).result(timeout=20)
        self.loop.call_soon_threadsafe(self.loop.stop)

    async def close(self):
        await asyncio.gather(*(follower.socket.close() for follower in self.followers.values() if follower.socket))


class Follower:
    def __init__(self, news, address):
        self.news, self.address = news, address
        self.socket, self.ready = None, False
        self.markup, self.lost = [], []

    async def follow(self, **options):
        try:
            self.socket = await connect(self.address, **options)
            await self.begin()
            while True:
                frame = await self.socket.recv()
                with self.news:
                    self.take(frame)
                    self.news.notify_all()
        except Exception as end:
            with self.news:
                self.lost.append(repr(end))
                self.news.notify_all()

    async def begin(self):
        with self.news:
            self.ready = True
            self.news.notify_all()

    def take(self, frame):
        self.markup.append(frame)


class CableFollower(Follower):
    def __init__(self, news, address, signed_name):
        super().__init__(news, address)
        self.identifier = json.dumps({"channel": "Turbo::StreamsChannel", "signed_stream_name": signed_name})

    async def follow(self, **options):
        await super().follow(subprotocols=["actioncable-v1-json"], **options)

    async def begin(self):
        await self.socket.send(json.dumps({"command": "subscribe", "identifier": self.identifier}))

    def take(self, frame):
        message = json.loads(frame)
        if "type" not in message:
            self.markup.append(message["message"])
        elif message["type"] == "confirm_subscription":
            self.ready = True


class Curl(Reader):
    option = "--http1.1"
    protocol = "HTTP/1.1"

    def __init__(self, folder):
        super().__init__()
        self.processes, self.bodies = {}, {}

    def open(self, case, route, app):
        command = ["curl", "--silent", "--no-buffer", "--include", self.option]
        if route.base.startswith("https"):
            command += ["--cacert", route.server.certificate]
        self.bodies[case] = ""
        self.processes[case] = subprocess.Popen([*command, address(case, route)], stdout=subprocess.PIPE, text=True)
        threading.Thread(target=self.read, args=[case], daemon=True).start()

    def read(self, case):
        for line in self.processes[case].stdout:
            with self.news:
                self.bodies[case] += line
                self.news.notify_all()
        self.processes[case].wait()
        with self.news:
            self.news.notify_all()

    def describe(self, case):
        body, status = self.bodies[case], self.processes[case].poll()
        # The first block of a stream is its cursor.
        ready = body.startswith(f"{self.protocol} 200") and "\nid:" in body
        return body, ready, [] if status is None else [f"curl exited with {status}"]

    def stop(self):
        for process in self.processes.values():
            process.terminate()
            process.wait(timeout=20)


class CurlHTTP2(Curl):
    option = "--http2"
    protocol = "HTTP/2"
