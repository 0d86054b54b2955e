"""The pictures of the console in the documentation, which `Tests/Browser/run -k console_picture --console-pictures` takes anew."""

import io

import pytest
from PIL import Image, ImageChops, ImageStat

from console import ask, console_server, deliver, log_in, user_address
from program import ROOT

STORED = ROOT / "Sources" / "paycast" / "Documentation.docc"
WIDTH = 1280
# Down to the end of a part of the page.
HEIGHTS = {"user": 690, "overview": 400, "attention": 765, "event": 720}
LIMIT = 150_000
USER = "mara.lind"
# How a subscription went, until the day of the pictures.
MONTHS = """initial product paycast.pro.monthly
+30d DID_FAIL_TO_RENEW/GRACE_PERIOD
+3d recover
+29d renew
"""


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    folder = tmp_path_factory.mktemp("pictures")
    server = console_server(folder, {"PAYCAST_DEV_NOW": "2025-10-11T10:02:00Z"})
    (folder / "months").write_text(MONTHS)
    deliver(server, "apple", "--scenario", "months", "--user", USER, "--environment", "Production")
    deliver(server, "apple", "initial", "--order", "8f14e45f-ceea-467f-a0e6-2f2b5d1c0a11", "--environment", "Production")
    deliver(server, "google", "initial", "--user", "ben", "--environment", "Production")
    deliver(server, "stripe", "initial", "--user", "cem", "--environment", "Production")
    ask(server, "/webhooks/apple", b"{}")
    ask(server, "/webhooks/stripe", b"{}", Stripe_Signature="t=1,v1=0")
    yield server
    server.stop()


def pictures(server):
    event = server.request("GET", f"/users/{USER}/events")["events"][1]["cursor"]
    return {
        "user": user_address(USER),
        "overview": "/console",
        "attention": "/console/attention",
        "event": f"/console/events/{event}",
    }


def small(shot):
    """With as many colours as the page has, which takes a third of the room."""
    file = io.BytesIO()
    Image.open(io.BytesIO(shot)).convert("RGB").quantize(128, dither=Image.Dither.NONE).save(file, "PNG", optimize=True)
    return file.getvalue()


def difference(one, other):
    """0 to 255, the mean of all pixels."""
    one, other = [Image.open(io.BytesIO(each)).convert("RGB") for each in (one, other)]
    assert one.size == other.size
    return sum(ImageStat.Stat(ImageChops.difference(one, other)).mean) / 3


@pytest.mark.parametrize("name", HEIGHTS)
def test_the_picture_is_that_of_the_page(server, open_page, request, name):
    page = open_page(server.url + "/console", outages=True, viewport={"width": WIDTH, "height": HEIGHTS[name]}, color_scheme="light")
    log_in(page, server, "ana")
    page.goto(server.url + pictures(server)[name])
    picture = small(page.screenshot())
    path = STORED / f"console-{name}.png"
    if request.config.getoption("--console-pictures"):
        path.write_bytes(picture)
    stored = path.read_bytes()
    assert len(stored) < LIMIT
    # Words, ids and fonts change; another page differs by more.
    assert difference(stored, picture) < 15
