"""curl and `websockets` as clients of a server: in clear text, over TLS, and over HTTP/2."""

import ssl
import subprocess
from dataclasses import dataclass
from email import message_from_bytes
from email.message import Message

from websockets.asyncio.client import connect


@dataclass
class Answer:
    status: int
    headers: Message
    body: bytes
    # The statuses before it, such as 100.
    interim: list


class Client:
    def __init__(self, server, *options):
        self.server = server
        self.options, self.tls = [*options], None
        if server.url.startswith("https"):
            self.options += ["--cacert", server.certificate]
            self.tls = ssl.create_default_context(cafile=server.certificate)

    def command(self, path, *arguments):
        command = ["curl", "--silent", "--show-error", "--max-time", "60", *self.options, *arguments]
        return [*command, self.server.url + path]

    def curl(self, path, *arguments):
        return subprocess.run(self.command(path, *arguments), check=True, capture_output=True).stdout

    def ask(self, path, *arguments):
        return answer(self.curl(path, "--include", *arguments))

    def begin(self, path):
        """The head of an answer that has no end."""
        command = self.command(path, "--include", "--no-buffer")
        with subprocess.Popen(command, stdout=subprocess.PIPE) as curl:
            head = b"".join(iter(curl.stdout.readline, b"\r\n"))
            curl.terminate()
        return answer(head)

    @property
    def key(self):
        """The API key, as arguments of curl."""
        return ["--header", f"Authorization: Bearer {self.server.key}"]

    def connect(self, path):
        """A WebSocket; await it."""
        return connect(self.server.url.replace("http", "ws", 1) + path, ssl=self.tls)


def answer(text):
    interim = []
    while True:
        head, _, text = text.partition(b"\r\n\r\n")
        line, _, fields = head.partition(b"\r\n")
        status = int(line.split()[1])
        if status >= 200:
            return Answer(status, message_from_bytes(fields), text, interim)
        interim.append(status)
