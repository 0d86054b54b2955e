"""A list of subscribers is imported: others' pages are told at once, and neither program grows with the list.

IMPORTED: another number of rows than 5,000, such as 100000.
"""

import json
import os
import re
import subprocess
import time

import pytest

from probe import Probe
from program import binary
from programs import Redis, Server
from stripe_stand_in import StripeStandIn
from test_bursts import LONGEST, MEGABYTE

ROWS = int(os.environ.get("IMPORTED", "5000"))


@pytest.fixture
def server(tmp_path_factory):
    stripe = StripeStandIn()
    redis = Redis(tmp_path_factory.mktemp("redis"))
    settings = {
        "PAYCAST_STRIPE_SECRETS": "whsec_0123456789abcdef",
        "PAYCAST_STRIPE_API_KEY": "rk_live_0123456789abcdef",
        "PAYCAST_STRIPE_API_URL": stripe.url,
    }
    server = Server(tmp_path_factory.mktemp("server"), redis, settings)
    server.open_pages("crowd", 500)
    yield server
    server.stop()
    redis.stop()
    stripe.stop()


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
