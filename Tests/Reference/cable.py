"""One socket to an Action Cable server, and the names that it subscribes to."""

import base64
import hashlib
import hmac
import itertools
import json

from websockets.sync.client import connect

from servers import KEY

JSON = "actioncable-v1-json"
NUMBERS = itertools.count()
FENCE = '<turbo-stream action="remove" target="fence"></turbo-stream>'


def signed(name, key=KEY):
    text = base64.b64encode(json.dumps(name, ensure_ascii=False).encode()).decode()
    return f"{text}--{hmac.new(key.encode(), text.encode(), hashlib.sha256).hexdigest()}"


def identifier(name, **parameters):
    return json.dumps({"channel": "Turbo::StreamsChannel", "signed_stream_name": signed(name), **parameters})


def command(name, identifier, **members):
    return json.dumps({"command": name, "identifier": identifier, **members})


def confirmed(identifier):
    return {"identifier": identifier, "type": "confirm_subscription"}


def rejected(identifier):
    return {"identifier": identifier, "type": "reject_subscription"}


def message(identifier, html):
    return {"identifier": identifier, "message": html}


class Cable:
    """After the welcome. Subscribed to a stream of its own, whose messages show that all before them have arrived."""

    def __init__(self, server, path="/cable", protocols=(JSON,)):
        self.server = server
        self.socket = connect(
            f"ws://{server.address}{path}", subprotocols=protocols, origin=f"http://{server.address}", compression=None
        )
        self.welcome = self.receive()

    def receive(self, pings=False):
        while True:
            heard = json.loads(self.socket.recv(timeout=10))
            if pings or heard.get("type") != "ping":
                return heard

    def send(self, frame):
        self.socket.send(frame)

    def until(self, last):
        heard = []
        while not last(received := self.receive()):
            heard.append(received)
        return heard

    def settled(self):
        """Everything that the server has sent: a fence goes through the commands, then one through the broadcasts."""
        stream = f"fence:{next(NUMBERS)}"
        fence = identifier(stream)
        self.send(command("subscribe", fence))
        heard = self.until(lambda received: received == confirmed(fence))
        self.server.broadcast(stream, FENCE)
        heard += self.until(lambda received: received.get("identifier") == fence)
        self.send(command("unsubscribe", fence))
        return heard

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.socket.close()
