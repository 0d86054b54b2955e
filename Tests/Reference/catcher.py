"""A server that records its requests and answers as a test wants."""

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


class Catcher(ThreadingHTTPServer):
    """`answer(method, path, headers, body)` gives the status and what the body says."""

    daemon_threads = True

    def __init__(self, answer):
        super().__init__(("127.0.0.1", 0), Handler)
        self.answer, self.caught = answer, []
        self.address = f"http://127.0.0.1:{self.server_port}"
        threading.Thread(target=self.serve_forever, daemon=True).start()


class Handler(BaseHTTPRequestHandler):
    def respond(self):
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        asked = (self.command, self.path, dict(self.headers), body)
        self.server.caught.append(asked)
        status, reply = self.server.answer(*asked)
        data = json.dumps(reply).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    do_GET = do_POST = do_PUT = respond

    def log_message(self, *_):
        pass
