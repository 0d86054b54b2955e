"""The network between the app and the server, which notes what passes."""

import http.client
import json
import socket
import threading
import time
import urllib.error
import urllib.request
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from signing import payload


def error_code(body):
    try:
        return json.loads(body).get("error")
    except (ValueError, AttributeError):
        return None


class Network:
    """Passes requests on, or does not. `modes` are used up by posts of transactions, one each; then `mode` holds."""

    def __init__(self, server):
        self.server = server
        self.mode = "up"
        self.modes = []
        # In seconds, of a busy server.
        self.retry_after = 1
        self.posts, self.questions = [], []
        # Of apps that follow their user's stream.
        self.connections = []
        # Of each process of the app: how much faster its clock runs.
        self.paces = []
        self.lock = threading.Lock()
        network = self

        class Handler(BaseHTTPRequestHandler):
            # A connection for each request: on Linux, URLSession sends a POST whose kept connection was cut once more
            # without its body, and waits for an answer until its time is up.
            protocol_version = "HTTP/1.0"

            def do_GET(self):
                network.handle(self)

            do_POST = do_GET

            def log_message(self, *words):
                pass

        self.listener = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.listener.daemon_threads = True
        self.url = f"http://127.0.0.1:{self.listener.server_port}"
        threading.Thread(target=self.listener.serve_forever, daemon=True).start()

    def begin(self, pace):
        """The server's address for a new process: what one sends may be read when it is dead and another one lives."""
        self.paces.append(pace)
        return f"{self.url}/{len(self.paces) - 1}"

    def handle(self, request):
        length = int(request.headers.get("Content-Length") or 0)
        body = request.rfile.read(length)
        if len(body) < length:  # the app was killed while it sent
            return None
        _, process, path = request.path.split("/", 2)
        is_post = path == "transactions/apple"
        with self.lock:
            mode = self.modes.pop(0) if is_post and self.modes else self.mode
        post = {"at": time.monotonic(), "mode": mode, "status": None, "retry_after": None, "process": int(process)}
        post["pace"] = self.paces[post["process"]]
        if is_post:
            posted = json.loads(body)
            post["id"] = payload(posted["signedTransaction"])["transactionId"]
            post["renewal"] = posted.get("signedRenewalInfo")
            post["asked"] = posted.get("asked")
            self.posts.append(post)
        if mode == "down":
            return self.cut(request)
        # A slow server is what this mode is: the delay waits for nothing.
        if mode == "slow":
            time.sleep(0.7)
        if mode == "busy":
            return self.answer(request, post, 503, b'{"error":"busy","message":"."}', {"Retry-After": str(self.retry_after)})
        if mode == "refusing":
            return self.answer(request, post, 400, b'{"error":"untrusted_chain","message":"."}')
        if mode == "portal":
            return self.answer(request, post, 200, b"<html>Welcome to the hotel</html>")
        if path.startswith("streams"):
            return self.follow(request, path)
        status, answer, headers = self.forward(request, path, body)
        if not is_post:
            known = request.headers.get("If-None-Match")
            self.questions.append({"path": path, "status": status, "known": known, "error": error_code(answer), **headers})
        if mode == "lost":
            return self.cut(request)
        return self.answer(request, post, status, answer, headers)

    def follow(self, request, path):
        """A connection that stays open: line by line, until one side ends it."""
        try:
            with urllib.request.urlopen(f"{self.server.url}/{path}", timeout=60) as response:
                self.connections.append(response)
                request.send_response(response.status)
                request.send_header("Content-Type", response.headers["Content-Type"])
                request.end_headers()
                while line := response.readline():
                    request.wfile.write(line)
        except (OSError, ValueError, http.client.HTTPException):
            pass  # the app, the server, or the network of a test has ended it

    def forward(self, request, path, body):
        """What the server says, with the headers that clients and servers compare their versions by."""
        forwarded = urllib.request.Request(f"{self.server.url}/{path}", body or None, method=request.command)
        if "If-None-Match" in request.headers:
            forwarded.add_header("If-None-Match", request.headers["If-None-Match"])
        try:
            with urllib.request.urlopen(forwarded, timeout=20) as response:
                status, answer, headers = response.status, response.read(), response.headers
        except urllib.error.HTTPError as error:
            status, answer, headers = error.code, error.read(), error.headers
        except urllib.error.URLError:
            # The server is not there: a proxy before it says so.
            status, answer, headers = 502, b"", {}
        return status, answer, {name: headers[name] for name in ("ETag", "Retry-After") if name in headers}

    def close(self):
        self.listener.shutdown()
        self.listener.server_close()

    def cut(self, request):
        request.close_connection = True
        request.connection.shutdown(socket.SHUT_RDWR)

    def answer(self, request, post, status, body, headers=None):
        post["status"], post["error"] = status, error_code(body)
        post["retry_after"] = (headers or {}).get("Retry-After")
        try:
            request.send_response(status)
            length = {} if status == 304 else {"Content-Length": str(len(body))}
            for name, value in {**length, **(headers or {})}.items():
                request.send_header(name, value)
            request.end_headers()
            request.wfile.write(body)
        except OSError:
            # The app was killed meanwhile: nobody has heard it.
            post["status"] = None
