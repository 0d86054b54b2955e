"""The real server in a folder of its own, and the requests that an app and a store send to it."""

import json
import shutil
import subprocess
import urllib.request
from html import escape
from urllib.parse import urlsplit

from certificates import UNVERIFIED
from ports import ReservedPort
from program import ROOT, Paycast, binary

# The demo's plans, and nothing beside them.
PLANS = {
    "entitlements": {"pro": {"name": "Pro"}},
    "products": {f"paycast.pro.{period}": {"entitlements": ["pro"]} for period in ("monthly", "annual")},
}


class Server(Paycast):
    """A development server that comes back to its port and its ledger when it is started again."""

    def __init__(self, folder, environment=None, arguments=()):
        self.public = folder / "public"
        shutil.copytree(ROOT / "public", self.public)
        self.reserved = ReservedPort()
        super().__init__(
            folder, "--dev", "--public", self.public, *arguments, port=self.reserved.number, settings=environment
        )
        self.key = self.development_key

    def stop(self):
        assert super().stop(), self.log.read_text()

    def remove_template(self, name):
        """Returns once the server, which looks at the folder every second, no longer serves it."""
        (self.public / "fragments" / name).unlink()
        self.wait_for_log("template", name)

    def request(self, method, path, body=None, authorized=True):
        headers = {"Content-Type": "application/json"}
        if authorized:
            headers["Authorization"] = f"Bearer {self.key}"
        data = body if isinstance(body, (bytes, type(None))) else json.dumps(body).encode()
        request = urllib.request.Request(self.url + path, data, headers, method=method)
        with urllib.request.urlopen(request, timeout=60, context=UNVERIFIED) as response:
            answer = response.read()
            return json.loads(answer) if answer else None

    def stream(self, user, query=""):
        """The stream's addresses, which an app puts into its page."""
        return self.request("GET", f"/users/{user}/stream{query}")

    def source(self, user, transport, base=None, query=""):
        """The source element, opened over `base`: the server's own address unless another leads to it."""
        way = urlsplit(base or self.url)
        scheme = way.scheme.replace("http", "ws") if transport == "websocket" else way.scheme
        stream = self.stream(user, query)
        src = urlsplit(stream[transport])._replace(scheme=scheme, netloc=way.netloc).geturl()
        return stream["html"].replace(escape(stream["sse"]), escape(src))

    def cable_source(self, user):
        """What `turbo_stream_from` prints, with the cursor at which the page was rendered and the id that Rails.md gives."""
        stream = self.stream(user)
        return cable_source(stream["signed_stream"], id=f"payments_user_{user}", since=stream["since"])

    def broadcast(self, user, html):
        self.request("POST", "/broadcasts", {"user": user, "html": html, "transient": True})

    def notice(self, user, text):
        """Broadcasts a notice that is kept, and that a page shows twice if it receives it twice."""
        values = {"user": user, "action": "append", "target": "notices", "html": f"<li>{text}</li>"}
        self.request("POST", "/broadcasts", values)

    def trigger(self, event, user, option="--user"):
        """Sends a store's event with `paycast trigger`: of a user's order, or with `--order` of the one with this token."""
        command = [binary(), "trigger", "apple", event, option, user]
        subprocess.run(command, cwd=self.folder, check=True, timeout=60, capture_output=True)


def cable_source(signed_name, id=None, **data):
    """As turbo-rails prints it: what the caller added comes first."""
    attributes = {"id": id} if id else {}
    attributes |= {f"data-{key}": value for key, value in data.items()}
    attributes |= {"channel": "Turbo::StreamsChannel", "signed-stream-name": signed_name}
    markup = " ".join(f'{name}="{escape(value)}"' for name, value in attributes.items())
    return f"<turbo-cable-stream-source {markup}></turbo-cable-stream-source>"
