"""README's moving picture: the demo's page and the phone beside it before, during and after a purchase.

`Tests/Browser/run -k picture --picture .github/swap.webp` takes it anew.
"""

import io

import pytest
from PIL import Image, ImageChops, ImageSequence, ImageStat
from playwright.sync_api import expect

from program import ROOT
from server import PLANS

CATALOG = PLANS
STORED = ROOT / ".github" / "swap.webp"
WIDTH = 800
# Around the two devices, where their shadows are.
MARGIN = 20
LIMIT = 400_000

# The page's own transition stands still where we look at it, in each of the two devices.
HOLD_TRANSITIONS = """() => {
    const start = document.startViewTransition.bind(document)
    document.startViewTransition = change => {
        const transition = start(change)
        transition.ready.then(() => {
            document.getAnimations().forEach(animation => animation.pause())
            window.isHeld = true
        })
        return transition
    }
}"""
SHOW_AT = """share => document.getAnimations().forEach(animation => {
    animation.currentTime = share * animation.effect.getComputedTiming().endTime
})"""
FINISH = "document.getAnimations().forEach(animation => animation.finish())"


class Film:
    """What the page's stage looks like, frame by frame."""

    def __init__(self, page):
        self.page = page
        app, phone = [page.locator(device).bounding_box() for device in (".app", ".handset")]
        self.area = {
            "x": app["x"] - MARGIN,
            "y": app["y"] - MARGIN,
            "width": phone["x"] + phone["width"] - app["x"] + 2 * MARGIN,
            "height": max(app["height"], phone["height"]) + 2 * MARGIN,
        }
        self.frames, self.times = [], []

    def take(self, milliseconds):
        shot = self.page.screenshot(clip=self.area, animations="allow")
        frame = Image.open(io.BytesIO(shot)).convert("RGB")
        height = round(frame.height * WIDTH / frame.width)
        self.frames.append(frame.resize((WIDTH, height), Image.Resampling.LANCZOS))
        self.times.append(milliseconds)

    def write(self, path):
        first, *others = self.frames
        first.save(path, save_all=True, append_images=others, duration=self.times, loop=0, quality=80, method=6)


@pytest.fixture
def film(server, open_page):
    """A purchase, from the offers to the success."""
    page = open_page(
        f"{server.url}/?user=ana",
        viewport={"width": 1300, "height": 1000},
        device_scale_factor=2,
        reduced_motion="no-preference",
    )
    phone = page.frame_locator("#phone iframe")
    expect(phone.locator("#paywall")).to_contain_text("Subscribe")
    film = Film(page)
    film.take(1800)
    held = []
    page.route("**/demo/store", lambda route: held.append(route))
    button = page.get_by_role("button", name="Subscribe", exact=True)
    button.click()
    expect(button).to_have_attribute("aria-busy", "true")
    film.take(700)
    # Inside the phone's page there is a phone that is not shown, and empty.
    frames = [frame for frame in page.frames if frame.url != "about:blank"]
    for frame in frames:
        frame.evaluate(HOLD_TRANSITIONS)
    held[0].continue_()
    for frame in frames:
        frame.wait_for_function("window.isHeld")
    for share in (0.25, 0.5, 0.75):
        for frame in frames:
            frame.evaluate(SHOW_AT, share)
        film.take(90)
    for frame in frames:
        frame.evaluate(FINISH)
    expect(page.locator("#paywall")).to_contain_text("Welcome to Pro")
    expect(phone.locator("#paywall")).to_contain_text("Welcome to Pro")
    expect(page.locator("[aria-busy]")).to_have_count(0)
    film.take(3000)
    return film


def difference(one, other):
    """0 to 255, the mean of all pixels."""
    return sum(ImageStat.Stat(ImageChops.difference(one, other)).mean) / 3


def frames(path):
    with Image.open(path) as picture:
        assert picture.format == "WEBP" and picture.is_animated and picture.info["loop"] == 0
        return [frame.convert("RGB") for frame in ImageSequence.Iterator(picture)]


def check_form(path):
    """Checks that the picture is small and moves, with no two frames alike, and returns the frames."""
    assert path.stat().st_size < LIMIT
    shown = frames(path)
    assert len(shown) >= 5 and all(frame.width == WIDTH for frame in shown)
    assert all(difference(one, other) > 0.05 for one, other in zip(shown, shown[1:]))
    return shown


def test_the_picture_shows_the_swap(film, tmp_path, request):
    path = request.config.getoption("--picture") or tmp_path / "swap.webp"
    film.write(path)
    shown = check_form(path)
    before, after = film.frames[0], film.frames[-1]
    assert difference(before, after) > 5
    # Compression changes a little; the success card, and nothing of the offers, is on the last one.
    assert difference(shown[-1], after) < 2 < difference(shown[-1], before)
    assert difference(shown[0], before) < 2


def test_the_picture_of_readme_moves_from_the_offers_to_the_success(film):
    shown = check_form(STORED)
    first, last = (film.frames[index].resize(shown[0].size) for index in (0, -1))
    # Dates change, and fonts a little.
    assert difference(shown[0], first) < 4 and difference(shown[-1], last) < 4
    assert difference(shown[-1], first) > difference(shown[-1], last)
