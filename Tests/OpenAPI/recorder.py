"""Stands between `paycast trigger` and the server: keeps what a store delivers, and passes on everything else."""

import http.client
import http.server
import json
import threading


class Recorder:
    def __init__(self, port):
        self.deliveries = []
        self.over = threading.Event()
        deliveries, over = self.deliveries, self.over

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def pass_on(self):
                body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
                if self.path.startswith("/feed"):
                    return self.stay_open()
                if self.path.startswith("/webhooks/"):
                    deliveries.append((dict(self.headers), body))
                    return self.answer(503, "application/json", b'{"error":"held","message":"Kept by the test."}')
                connection = http.client.HTTPConnection("127.0.0.1", port, timeout=20)
                headers = {name: value for name, value in self.headers.items() if name.lower() != "host"}
                connection.request(self.command, self.path, body, headers)
                answer = connection.getresponse()
                self.answer(answer.status, answer.headers.get("Content-Type", "text/plain"), answer.read())
                connection.close()

            def stay_open(self):
                self.send_response(200)
                self.send_header("Content-Type", "text/event-stream")
                self.end_headers()
                self.wfile.write(b"retry: 2000\nid: held-1\n\n")
                over.wait()
                self.close_connection = True

            do_GET = do_POST = do_PUT = pass_on

            def answer(self, status, kind, body):
                self.send_response(status)
                self.send_header("Content-Type", kind)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_address[1]}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def close(self):
        self.over.set()
        self.server.shutdown()
        self.server.server_close()


def delivery(server, *words):
    """What the simulated store would post: headers and body."""
    recorder = Recorder(server.port)
    output = server.paycast("trigger", *words, "--server", recorder.url, status=1)
    recorder.close()
    assert recorder.deliveries, output
    headers, body = recorder.deliveries[-1]
    return headers, json.loads(body)
