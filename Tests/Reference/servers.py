"""The two servers that speak Action Cable, with one interface."""

import http.client
import json
import signal
import urllib.request
from pathlib import Path

import program
from ports import ReservedPort
from program import OUTSIDE, Program

HERE = Path(__file__).resolve().parent
KEY = "s3Krit"


class Server:
    """The requests that tests send to both."""

    headers = {"Content-Type": "application/json"}

    def post(self, path, body):
        url = f"http://{self.address}{path}"
        request = urllib.request.Request(url, json.dumps(body).encode(), self.headers, method="POST")
        with urllib.request.urlopen(request, timeout=10) as response:
            response.read()

    def answer(self, path, body, headers=None):
        """The answer's status and its JSON. A body of bytes is sent as it is."""
        connection = http.client.HTTPConnection(self.address, timeout=20)
        data = body if isinstance(body, bytes) else json.dumps(body).encode()
        connection.request("POST", path, data, self.headers if headers is None else headers)
        response = connection.getresponse()
        text = response.read()
        connection.close()
        return response.status, json.loads(text) if text else {}

    def broadcast(self, stream, html):
        self.post("/broadcasts", {"stream": stream, "html": html, "transient": True})


class Rails(Server, Program):
    def __init__(self, folder, tls=None):
        """`tls`: paths of a certificate and its key, for a second door."""
        self.door = ReservedPort()
        doors = ["-b", f"ssl://127.0.0.1:{self.door.number}?cert={tls[0]}&key={tls[1]}"] if tls else []
        command = ["puma", *doors, "-b", "tcp://127.0.0.1:0", "-t", "5:5", HERE / "action_cable.ru"]
        super().__init__(folder, command, {**OUTSIDE, "PAYCAST_STREAM_KEYS": KEY})
        self.wait_until_listening()

    def restart(self):
        """Does to its clients what Rails does when it reloads its code; puma's end says nothing to them."""
        self.post("/restart", {})


class Paycast(Server, program.Paycast):
    def __init__(self, folder, settings=None):
        super().__init__(folder, "--dev", settings=settings or {"PAYCAST_STREAM_KEYS": KEY})
        self.headers = {**self.headers, "Authorization": f"Bearer {self.development_key}"}

    def restart(self):
        self.signal(signal.SIGTERM)
