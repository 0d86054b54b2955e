"""A development server, a network between it and the app, a store that signs, and phones."""

import json
import os
import socket
import subprocess
import threading
import time
import urllib.error
import urllib.request
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import count
from pathlib import Path

from program import OUTSIDE, ROOT, Program, binary
from signing import Signer, payload

BUNDLE = "com.example.paycast"


def app_binary():
    """The newest build of the app, unless PAYCAST_KIT_APP names one."""
    if "PAYCAST_KIT_APP" in os.environ:
        return Path(os.environ["PAYCAST_KIT_APP"]).resolve()
    built = list(ROOT.glob(".build/*/PaycastKitApp"))
    assert built, "no build: run swift build --product PaycastKitApp first"
    return max(built, key=lambda path: path.stat().st_mtime)


class Server:
    def __init__(self, folder):
        # With the default, `transfer`, a purchase moves to whoever restores it, and 409 is never answered.
        environment = {**OUTSIDE, "PAYCAST_TRANSFERS": "keep"}
        self.program = Program(folder, [binary(), "serve", "--dev", "--port", "0"], environment)
        self.program.wait_until_listening()
        workspace = folder / ".paycast"
        self.key = (workspace / "api.key").read_text().strip()
        self.signer = Signer(workspace / "authority.pem", folder / "signer.pem")

    @property
    def url(self):
        return self.program.url

    def restart(self):
        """The server dies as in a crash, and comes back on another port."""
        self.program.kill()
        self.program.start()
        self.program.wait_until_listening()

    def trigger(self, kind, user, product="pro.annual"):
        """The simulated App Store sends a notification."""
        words = ["trigger", "apple", kind, "--user", user, "--product", product]
        subprocess.run([binary(), *words], cwd=self.program.folder, check=True, capture_output=True, timeout=30)

    def post(self, path, body):
        headers = {"Authorization": f"Bearer {self.key}"}
        request = urllib.request.Request(self.url + path, json.dumps(body).encode(), headers)
        with urllib.request.urlopen(request, timeout=20) as response:
            return json.load(response)

    def order(self, user, product="pro.annual"):
        return self.post("/orders", {"user": user, "product": product})

    def entitlements(self, user):
        headers = {"Authorization": f"Bearer {self.key}"}
        request = urllib.request.Request(f"{self.url}/users/{user}/entitlements", headers=headers)
        with urllib.request.urlopen(request, timeout=20) as response:
            return json.load(response)


class Network:
    """Passes requests on, or does not. `modes` are used up by posts of transactions, one each; then `mode` holds."""

    def __init__(self, server):
        self.server = server
        self.mode = "up"
        self.modes = []
        self.posts = []
        self.questions = []
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

    def handle(self, request):
        length = int(request.headers.get("Content-Length") or 0)
        body = request.rfile.read(length)
        if len(body) < length:  # the app was killed while it sent
            return None
        is_post = request.path == "/transactions/apple"
        with self.lock:
            mode = self.modes.pop(0) if is_post and self.modes else self.mode
        post = {"at": time.monotonic(), "mode": mode, "status": None}
        if is_post:
            post["id"] = payload(json.loads(body)["signedTransaction"])["transactionId"]
            self.posts.append(post)
        if mode == "down":
            return self.cut(request)
        # A slow server is what this mode is: the delay waits for nothing.
        if mode == "slow":
            time.sleep(0.7)
        if mode == "busy":
            return self.answer(request, post, 503, b'{"error":"busy","message":"."}', {"Retry-After": "1"})
        if mode == "refusing":
            return self.answer(request, post, 400, b'{"error":"untrusted_chain","message":"."}')
        if mode == "portal":
            return self.answer(request, post, 200, b"<html>Welcome to the hotel</html>")
        status, answer, headers = self.forward(request, body)
        if not is_post:
            self.questions.append({"status": status, "known": request.headers.get("If-None-Match"), **headers})
        if mode == "lost":
            return self.cut(request)
        return self.answer(request, post, status, answer, headers)

    def forward(self, request, body):
        """What the server says, with the headers that clients and servers compare their versions by."""
        forwarded = urllib.request.Request(self.server.url + request.path, body or None, method=request.command)
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
        post["status"] = status
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


class Phone:
    """One device: a folder for the store and the outbox, and as many processes of the app as it takes."""

    numbers = count(2_000_000_000_000_001)
    environment = "Sandbox"

    def __init__(self, folder, server, signer=None):
        self.folder = folder
        self.server = server
        self.signer = signer or server.signer
        self.network = Network(server)
        for part in ("open", "sheet", "updates", "owned"):
            (folder / part).mkdir(parents=True)

    def __enter__(self):
        return self

    def __exit__(self, *error):
        self.network.close()

    def sign(self, token=None, product="pro.annual", kind="Auto-Renewable Subscription", again=None, **members):
        """What StoreKit hands to the app. `again` signs an earlier one anew."""
        now = int(time.time() * 1000)
        number = again["id"] if again else self.next_number()
        document = {
            "transactionId": str(number),
            "originalTransactionId": str(number),
            "bundleId": BUNDLE,
            "productId": product,
            "subscriptionGroupIdentifier": "21580001",
            "purchaseDate": now,
            "originalPurchaseDate": now,
            "expiresDate": now + 31_536_000_000,
            "quantity": 1,
            "type": kind,
            "inAppOwnershipType": "PURCHASED",
            "signedDate": now,
            "environment": self.environment,
            "transactionReason": "PURCHASE",
            "storefront": "USA",
            "storefrontId": "143441",
            "price": 79_990,
            "currency": "USD",
            **members,
        }
        if kind != "Auto-Renewable Subscription":
            del document["subscriptionGroupIdentifier"], document["expiresDate"]
        if token:
            document["appAccountToken"] = token
        transaction = {
            "id": number,
            "originalID": number,
            "product": product,
            "jws": self.signer.sign(document),
            # Swift's dates begin with the year 2001.
            "signedDate": now / 1000 - 978_307_200,
            "isRevoked": "revocationDate" in document,
            "isUpgraded": document.get("isUpgraded", False),
            "isFamilyShared": document["inAppOwnershipType"] == "FAMILY_SHARED",
        }
        return {**transaction, "token": token} if token else transaction

    def next_number(self):
        return next(Phone.numbers)

    def put(self, part, transaction, name=None):
        (self.folder / part / f"{name or transaction['id']}.json").write_text(json.dumps(transaction))

    def pays(self, transaction):
        """The next payment sheet of the product ends with this transaction."""
        self.put("sheet", transaction, transaction["product"])

    def names(self, part):
        return [path.stem for path in (self.folder / part).glob("*.json")]

    def asks(self, is_asking=True):
        """Payment sheets end with the wait for somebody's approval, or do so no longer."""
        sheet = self.folder / "sheet" / "pro.annual.json"
        sheet.touch() if is_asking else sheet.unlink()

    def run(self, *steps, kill_before=None, patience=30, version="1", clock_error=0, pace=1, state=None):
        """Runs the app, until its entitlements are in `state` if given. Returns its report, or None if it was killed."""
        plan = {
            "server": self.network.url,
            "folder": str(self.folder),
            "appVersion": version,
            "steps": steps,
            "patience": patience,
            "clockError": clock_error,
            "pace": pace,
            "state": state,
        }
        if kill_before is not None:
            plan["killBefore"] = kill_before
        file = self.folder / "plan.json"
        file.write_text(json.dumps(plan))
        ended = subprocess.run([app_binary(), file], capture_output=True, text=True, timeout=60)
        if ended.returncode == -9:
            return None
        assert ended.returncode == 0, ended.stderr
        return json.loads(ended.stdout)

    def lines(self, log):
        file = self.folder / log
        return file.read_text().split() if file.exists() else []

    @property
    def finished(self):
        return [int(line) for line in self.lines("finished.log")]

    @property
    def outbox(self):
        return [path for path in (self.folder / "outbox").glob("*.transaction")]

    def check_rules(self):
        """No transaction is finished that the server has not answered 200 or 409 to."""
        # A portal's 200 is nobody's answer.
        answers = [post for post in self.network.posts if post["mode"] != "portal" and post["status"] in (200, 409)]
        answered = {int(post["id"]) for post in answers}
        assert set(self.finished) <= answered, (self.finished, self.network.posts)


class Simulator(Phone):
    """A device that Xcode sells to: its purchases are numbered from 0."""

    environment = "Xcode"

    def __init__(self, folder, server, xcode):
        super().__init__(folder, server, xcode)
        self.own_numbers = count()

    def next_number(self):
        return next(self.own_numbers)
