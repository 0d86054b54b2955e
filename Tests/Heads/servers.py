"""Programs that parse heads, each behind a socket in a folder; they report what they forwarded or read."""

import asyncio
import base64
import contextlib
import getpass
import itertools
import json
import os
import socket
import subprocess
from pathlib import Path

import h11

HERE = Path(__file__).resolve().parent
NEXT = b"GET /next HTTP/1.1\r\nHost: next\r\nConnection: close\r\n\r\n"
PATIENCE = 10


class Read:
    """A program's reading of a request."""

    def __init__(self, method, target, fields, body=b""):
        self.method, self.target, self.fields, self.body = method, target, fields, body

    def values(self, name):
        return [value for field, value in self.fields if field.lower() == name]


class Verdict:
    """Refused (`request` is None) or read; and whether another request could follow on the connection."""

    def __init__(self, request, stays=False, reason=""):
        self.request, self.stays, self.reason = request, stays, reason


def ask_h11(head, body):
    connection = h11.Connection(h11.SERVER, max_incomplete_event_size=32768)
    connection.receive_data(head + body + NEXT)
    try:
        request = connection.next_event()
        if not isinstance(request, h11.Request):
            return Verdict(None, reason=f"waits: {request}")
        received = b""
        while isinstance(event := connection.next_event(), h11.Data):
            received += event.data
        if not isinstance(event, h11.EndOfMessage):
            return Verdict(None, reason=f"waits for a body: {event}")
        fields = [(name.decode("latin-1"), value) for name, value in request.headers]
        read = Read(request.method.decode(), request.target, fields, received)
        connection.send(h11.Response(status_code=405, headers=[("Content-Length", "0")]))
        connection.send(h11.EndOfMessage())
        stays = connection.their_state is h11.DONE
        if stays:
            connection.start_next_cycle()
            assert connection.next_event().target == b"/next"
        return Verdict(read, stays)
    except h11.RemoteProtocolError as error:
        return Verdict(None, reason=str(error))


class Backend:
    """Takes what a proxy sends, and answers each request with the number under which it can be looked up."""

    def __init__(self):
        self.records = {}
        self.numbers = itertools.count(1)
        # Its proxies keep their connections, and would keep it waiting.
        self.connections = set()

    async def serve(self, reader, writer):
        self.connections.add(writer)
        with contextlib.suppress(asyncio.IncompleteReadError, ConnectionError, asyncio.CancelledError):
            while True:
                head = await reader.readuntil(b"\r\n\r\n")
                lines = head[:-4].split(b"\r\n")
                method, target, _ = lines[0].split(b" ")
                fields = [
                    (name.decode("latin-1"), value.strip(b" \t"))
                    for name, _, value in (line.partition(b":") for line in lines[1:])
                ]
                request = Read(method.decode(), target, fields)
                for length in request.values("content-length"):
                    request.body = await reader.readexactly(int(length))
                number = next(self.numbers)
                self.records[number] = request
                # A tunnel to nowhere.
                status = 405 if request.method == "CONNECT" else 200
                writer.write(b"HTTP/1.1 %d -\r\nX-Record: %d\r\nContent-Length: 0\r\n\r\n" % (status, number))
        self.connections.discard(writer)
        writer.close()

    def look_up(self, fields):
        number = fields.get("x-record")
        return self.records.pop(int(number)) if number else None


class Server:
    """A program that others wrote, started in a folder of its own.

    It is given a socket that listens already: who comes before it is ready waits in the queue.
    """

    def __init__(self, folder):
        self.folder = folder
        self.socket = folder / f"{self.name}.sock"
        self.log = (folder / f"{self.name}.log").open("w")
        with socket.socket(socket.AF_UNIX) as listener:
            listener.bind(str(self.socket))
            listener.listen(128)
            self.descriptor = listener.fileno()
            self.process = subprocess.Popen(
                self.command(),
                cwd=folder,
                env=os.environ | self.environment(),
                pass_fds=[self.descriptor],
                stdout=self.log,
                stderr=self.log,
            )

    def environment(self):
        return {}

    def stop(self):
        self.process.terminate()
        self.process.wait(PATIENCE)
        self.log.close()

    async def ask(self, head, body, look_up):
        """Sends the request and another one behind it."""
        reader, writer = await asyncio.open_unix_connection(self.socket, limit=1 << 20)
        try:
            writer.write(head + body + NEXT)
            answer = await response(reader)
            read = answer and look_up(answer[1])
            if not read:
                return Verdict(None, reason=f"{answer[0] if answer else 'no answer'}")
            following = await response(reader)
            if not following:
                return Verdict(read, False)
            second = look_up(following[1])
            if not second or second.target != b"/next":
                return Verdict(None, reason=f"the next request became {second and second.target} {following[0]}")
            return Verdict(read, True)
        except TimeoutError:
            return Verdict(None, reason="no answer in time")
        finally:
            writer.close()

    def ask_all(self, requests):
        """Verdicts in the order of `requests`; each is a head and a body."""
        return asyncio.run(self.ask_concurrently(requests))

    async def ask_concurrently(self, requests):
        backend = Backend()
        path = self.folder / "backend.sock"
        path.unlink(missing_ok=True)
        server = await asyncio.start_unix_server(backend.serve, path, limit=1 << 20)
        turns = asyncio.Semaphore(32)

        async def one(request):
            async with turns:
                return await self.ask(*request, self.reader(backend))

        verdicts = await asyncio.gather(*(one(request) for request in requests))
        server.close()
        for writer in list(backend.connections):
            writer.close()
        return verdicts

    def reader(self, backend):
        return backend.look_up


async def response(reader):
    """Status and fields of the next answer that is final; None at the end."""
    async with asyncio.timeout(PATIENCE):
        while True:
            try:
                head = await reader.readuntil(b"\r\n\r\n")
            except (asyncio.IncompleteReadError, ConnectionError):
                return None
            lines = head.decode("latin-1").split("\r\n")
            status = int(lines[0].split(" ")[1])
            fields = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines[1:])}
            if status >= 200:
                return status, fields


class Node(Server):
    name = "node"

    def command(self):
        return ["node", HERE / "node_server.js", str(self.descriptor)]

    def reader(self, _):
        def look_up(fields):
            if "x-read" not in fields:
                return None
            method, target, raw = json.loads(base64.b64decode(fields["x-read"]))
            values = [value.encode("latin-1") for value in raw[1::2]]
            return Read(method, target.encode("latin-1"), list(zip(raw[::2], values)))

        return look_up


class Nginx(Server):
    name = "nginx"
    configuration = """
        daemon off; worker_processes 1; user USER; pid nginx.pid; error_log stderr crit;
        events { worker_connections 512; }
        http {
            access_log off; lingering_close off; client_max_body_size 0; large_client_header_buffers 4 32k;
            client_body_temp_path body; proxy_temp_path proxy; fastcgi_temp_path fastcgi; uwsgi_temp_path uwsgi;
            scgi_temp_path scgi; keepalive_requests 100000;
            upstream backend { server unix:backend.sock; keepalive 32; }
            server {
                listen unix:SOCKET;
                location / {
                    proxy_pass http://backend;
                    proxy_http_version 1.1;
                    proxy_set_header Connection "";
                    proxy_set_header Host $host;
                    proxy_set_header Oracle-Connection $http_connection;
                    proxy_set_header Oracle-Upgrade $http_upgrade;
                    proxy_set_header Expect $http_expect;
                }
            }
        }
    """

    def command(self):
        # The name by which it knows its socket again, and who may use ours.
        configuration = self.configuration.replace("SOCKET", str(self.socket)).replace("USER", getpass.getuser())
        (self.folder / "nginx.conf").write_text(configuration)
        return ["nginx", "-p", self.folder, "-c", "nginx.conf", "-e", "stderr"]

    def environment(self):
        # How nginx hands its sockets on to its successor (https://nginx.org/en/docs/control.html#upgrade).
        return {"NGINX": f"{self.descriptor};"}

    def reader(self, backend):
        def look_up(fields):
            read = backend.look_up(fields)
            if read:
                kept = [field for field in read.fields if field[0].lower() not in ("connection", "upgrade")]
                read.fields = [(name.removeprefix("Oracle-"), value) for name, value in kept]
            return read

        return look_up


class HAProxy(Server):
    name = "haproxy"
    configuration = """
        global
            nbthread 1
            maxconn 200
            tune.bufsize 40000
        defaults
            mode http
            timeout connect 5s
            timeout client 10s
            timeout server 10s
        frontend front
            bind fd@${DESCRIPTOR}
            default_backend back
        backend back
            http-reuse always
            server one unix@backend.sock
    """.replace("\n        ", "\n")

    def command(self):
        (self.folder / "haproxy.cfg").write_text(self.configuration.rstrip(" "))
        return ["haproxy", "-db", "-f", "haproxy.cfg"]

    def environment(self):
        return {"DESCRIPTOR": str(self.descriptor)}
