"""Open pages behind the router, which come back when they are ended, as browsers do: by Server-Sent Events and by WebSocket."""

import http.client
import re
import socket
import threading
import time
import urllib.parse

from websockets.exceptions import ConnectionClosed, InvalidStatus
from websockets.sync.client import connect

from parts import HOST

SECONDS = 60


class Page(threading.Thread):
    """What it heard, in order, how often its connection was opened, and what it was answered in place of one."""

    # Seconds.
    retry = 0.1

    def __init__(self, port, source):
        super().__init__(daemon=True)
        self.port, self.source = port, source
        self.heard, self.openings, self.refusals = [], 0, []
        self.changed = threading.Condition()
        self.is_over = False
        self.start()
        self.wait_for(lambda: self.openings)

    def run(self):
        while not self.is_over:
            try:
                self.read()
            except InvalidStatus as error:
                self.note(self.refusals, str(error))
            except (OSError, http.client.HTTPException, ConnectionClosed):
                pass
            time.sleep(self.retry)  # as the server asks for

    def note(self, list, text):
        with self.changed:
            list.append(text)
            self.changed.notify_all()

    def opened(self):
        with self.changed:
            self.openings += 1
            self.changed.notify_all()

    def wait_for(self, condition, seconds=SECONDS):
        with self.changed:
            assert self.changed.wait_for(condition, seconds), f"{type(self).__name__}: {self.heard} {self.refusals}"

    def stays_open(self, seconds):
        """Whether nobody ends its connection for so long, while nothing is told."""
        with self.changed:
            before = self.openings
            return not self.changed.wait_for(lambda: self.openings > before or self.refusals, seconds)

    def shows(self, text):
        self.wait_for(lambda: any(text in each for each in self.heard))

    def numbers(self):
        return [int(number) for each in self.heard for number in re.findall(r"<i>(\d+)</i>", each)]

    def path(self, since):
        query = urllib.parse.urlencode({"name": self.source["signed_stream"], "since": since})
        return f"/streams?{query}"


class EventSource(Page):
    last = None

    def read(self):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=SECONDS)
        try:
            headers = {"Host": HOST, "Accept": "text/event-stream"} | ({"Last-Event-ID": self.last} if self.last else {})
            connection.request("GET", self.path(self.source["since"]), headers=headers)
            answer = connection.getresponse()
            if answer.status != 200:
                # Here a browser gives up.
                return self.note(self.refusals, f"{answer.status}")
            self.opened()
            data = []
            for line in answer:
                name, _, value = line.decode().rstrip("\n").partition(": ")
                if name == "data":
                    data.append(value)
                elif name == "id":
                    self.last = value
                elif name == "retry":
                    self.retry = int(value) / 1000
                elif not name and data:
                    self.note(self.heard, "\n".join(data))
                    data = []
        finally:
            connection.close()


class WebSocket(Page):
    """It tells no cursor, so it comes back with that of its beginning."""

    def read(self):
        address = f"ws://{HOST}{self.path(self.source['since'])}"
        router = socket.create_connection(("127.0.0.1", self.port), SECONDS)
        with connect(address, sock=router, origin=f"https://{HOST}", ping_interval=None) as page:
            self.opened()
            for text in page:
                self.note(self.heard, text)
