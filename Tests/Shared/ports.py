"""Ports that servers can come back to."""

import socket


class ReservedPort:
    """A port of loopback that is kept free until `close`: the kernel gives it to nobody who asks for any port, and a server
    that sets SO_REUSEADDR, as all do, listens on it whenever it likes. Until then nothing listens there."""

    def __init__(self):
        self.socket = socket.socket()
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        self.socket.bind(("127.0.0.1", 0))
        self.number = self.socket.getsockname()[1]

    def close(self):
        self.socket.close()
