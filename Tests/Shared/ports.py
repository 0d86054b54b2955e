"""Ports that servers can come back to."""

import socket


class ReservedPort:
    """A loopback port that stays reserved until `close`. The kernel never picks it as a free port, but a server with
    SO_REUSEADDR, as all have it, can listen on it at any time. Until then nothing listens there."""

    def __init__(self):
        self.socket = socket.socket()
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        self.socket.bind(("127.0.0.1", 0))
        self.number = self.socket.getsockname()[1]

    def close(self):
        self.socket.close()
