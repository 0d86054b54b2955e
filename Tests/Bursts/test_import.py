"""A list of subscribers is imported: others' pages are told at once, and neither program grows with the list.

IMPORTED: another number of rows than 5,000, such as 100000.
"""

import http.server
import json
import os
import re
import subprocess
import threading
import time

import pytest

from probe import Probe
from program import binary
from programs import Redis, Server
from test_bursts import LONGEST, MEGABYTE

ROWS = int(os.environ.get("IMPORTED", "5000"))


class Stripe(http.server.BaseHTTPRequestHandler):
    """Has every subscription, each of another customer."""

    protocol_version = "HTTP/1.1"
    wbufsize = -1  # one packet for an answer

    def do_GET(self):
        start = int(time.time()) - 86400
        period = {"current_period_start": start, "current_period_end": start + 30 * 86400}
        name = self.path.split("?")[0].rpartition("/")[2]
        item = {"id": "si_1", "object": "subscription_item", "quantity": 1, "price": {"id": "price_1"}}
        body = json.dumps(
            {"id": name, "object": "subscription", "livemode": True, "status": "active", "customer": f"cus_{name}"}
            | {"cancel_at_period_end": False, "metadata": {}, "items": {"data": [item], "has_more": False}}
            | period
        ).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


@pytest.fixture
def server(tmp_path_factory):
    stripe = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Stripe)
    threading.Thread(target=stripe.serve_forever, daemon=True).start()
    redis = Redis(tmp_path_factory.mktemp("redis"))
    settings = {
        "PAYCAST_STRIPE_SECRETS": "whsec_0123456789abcdef",
        "PAYCAST_STRIPE_API_KEY": "rk_live_0123456789abcdef",
        "PAYCAST_STRIPE_API_URL": f"http://127.0.0.1:{stripe.server_address[1]}",
    }
    server = Server(tmp_path_factory.mktemp("server"), redis, settings)
    server.open_pages("crowd", 500)
    yield server
    server.stop()
    redis.stop()
    stripe.shutdown()


def peak(process):
    """The most that it has taken, in bytes."""
    with open(f"/proc/{process.pid}/status") as status:
        found = re.search(r"^VmHWM:\s+(\d+) kB$", status.read(), re.MULTILINE)
        return int(found[1]) << 10 if found else 0


def test_others_notice_nothing(server, tmp_path, capsys):
    rows = "".join(f"u{number},stripe,sub_{number}\n" for number in range(ROWS))
    (tmp_path / "list.csv").write_text("user,store,id\n" + rows)
    command = [binary(), "import", "list.csv", "--rate", "1000", "--json", "--server", server.url, "--key", server.key]
    before, start, most = server.settled_memory(), time.monotonic(), 0
    with Probe(server) as probe:
        process = subprocess.Popen(command, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        while process.poll() is None:
            most = max(most, peak(process))
            time.sleep(0.2)
    output, errors = process.communicate()
    seconds, server_peak = time.monotonic() - start, server.memory("VmHWM")
    with capsys.disabled():
        print(
            f"\n{ROWS} rows in {seconds:.0f} s; the import {most // MEGABYTE} MB at the most, the server "
            f"{before // MEGABYTE} MB before and {server_peak // MEGABYTE} MB at the most; {probe}"
        )
    assert process.returncode == 0, errors
    assert json.loads(output)["applied"] == ROWS
    assert {kind: wait for kind, (wait, _) in probe.waits.items() if wait > LONGEST} == {}
    assert most < 64 * MEGABYTE
    # SQLite's cache, and what is kept for pages that come back.
    assert server_peak < before + 128 * MEGABYTE
