"""The connection between a page and the server: it can be cut, or go dead silently as it does during sleep."""

import socket
import threading

from ports import ReservedPort


class Wire:
    """Listens on a port of its own and passes bytes on to a server's."""

    def __init__(self, port):
        self.target = port
        self.reserved = ReservedPort()
        self.port = self.reserved.number
        self.ends = []
        self.accepted = 0
        self.is_dead = False
        self.answer = None
        self.connect()
        self.url = f"http://127.0.0.1:{self.port}"

    def connect(self):
        """Accepts pages from now on, on the same port as before."""
        self.is_dead = False
        self.listener = socket.create_server(("127.0.0.1", self.port), backlog=64)
        threading.Thread(target=self.accept, args=[self.listener], daemon=True).start()

    def cut(self):
        """Ends every connection and refuses new ones."""
        close(self.listener)
        self.drop()

    def drop(self):
        """Ends every connection."""
        ends, self.ends = self.ends, []
        for end in ends:
            close(end)

    def die(self):
        """Existing connections pass nothing any more, and neither end is told."""
        self.is_dead = True

    def revive(self):
        """New connections work again; the dead ones stay dead."""
        self.ends = []
        self.is_dead = False

    def refuse(self, answer):
        """Ends every connection, and answers the first bytes of new ones with `answer`; None ends that."""
        self.answer = answer
        if answer:
            self.drop()

    def accept(self, listener):
        while True:
            try:
                page, _ = listener.accept()
            except OSError:
                return
            self.accepted += 1
            if self.answer:
                page.recv(65536)
                page.sendall(self.answer.encode())
                close(page)
                continue
            try:
                server = socket.create_connection(("127.0.0.1", self.target), timeout=5)
            except OSError:
                close(page)
                continue
            server.settimeout(None)
            self.ends += [page, server]
            for source, sink in [(page, server), (server, page)]:
                threading.Thread(target=self.copy, args=[source, sink], daemon=True).start()

    def copy(self, source, sink):
        stuck = False
        try:
            while data := source.recv(65536):
                stuck = stuck or self.is_dead
                if not stuck:
                    sink.sendall(data)
        except OSError:
            pass
        if not stuck:
            close(sink)


def close(end):
    try:
        end.shutdown(socket.SHUT_RDWR)
    except OSError:
        pass
    end.close()
