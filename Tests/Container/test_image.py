"""The image, as whoever has no Debian takes it: the demo, a server on a volume, and what it refuses."""

import json
import os
import re
import secrets
import socket
import subprocess
from dataclasses import dataclass, field

import pytest
from containers import IMAGE, NOBODY, STRICT, Page, ask, podman, spoken
from program import OUTSIDE, ROOT, Program, binary

KEY, STREAM_KEY = secrets.token_hex(32), secrets.token_hex(32)
SETTINGS = {"PAYCAST_API_KEY": KEY, "PAYCAST_STREAM_KEYS": STREAM_KEY, "PAYCAST_STRIPE_SECRETS": "whsec_0123456789abcdef"}
VOLUME = "/var/lib/paycast"
# As a template shows it.
DATE = re.compile(r">([^<>]*2026[^<>]*)</time>")


def test_it_is_small_and_says_how_to_run_it(image):
    [found] = json.loads(podman("image", "inspect", image))
    assert found["Size"] < 120_000_000, found["Size"]
    version = image.partition(":")[2]
    assert found["Labels"]["org.opencontainers.image.version"] == version
    assert {IMAGE, f"paycast:{version}"} <= {name.removeprefix("localhost/") for name in found["RepoTags"]}
    settings = found["Config"]
    assert settings["User"] == f"{NOBODY}:{NOBODY}"
    assert list(settings["Volumes"]) == [settings["WorkingDir"]] == [VOLUME]
    assert list(settings["ExposedPorts"]) == ["8080/tcp"]
    assert settings["StopSignal"] in ("SIGTERM", "15")
    assert settings["Entrypoint"] + settings["Cmd"] == ["/usr/bin/paycast", "serve"]
    assert found["Healthcheck"]["Test"] == ["CMD", "/usr/bin/paycast", "doctor", "--ready"]


def test_it_holds_the_program_and_what_it_links(image, tmp_path):
    podman("create", "--name", "paycast-test-files", image)
    try:
        podman("export", "--output", tmp_path / "files.tar", "paycast-test-files")
    finally:
        podman("rm", "paycast-test-files")
    names = subprocess.run(["tar", "-tf", tmp_path / "files.tar"], capture_output=True, text=True).stdout.splitlines()
    programs = {name for name in names if re.match(r"usr/s?bin/.", name)}
    assert programs == {"usr/bin/paycast"}
    assert not [name for name in names if "swift" in name.lower()]
    # As scanners and lawyers look for them.
    packages = {name.rpartition("/")[2] for name in names if re.match("var/lib/dpkg/status.d/.", name)}
    assert {"libc6", "libssl3", "libpq5", "libsqlite3-0", "ca-certificates"} <= packages
    assert {f"usr/share/doc/{name}/copyright" for name in packages} <= set(names)
    linked = subprocess.run(["ldd", binary()], capture_output=True, text=True).stdout
    libraries = set(re.findall(r"(\S+\.so[.\d]*) (?:=>|\()", linked)) - {"linux-vdso.so.1"}
    assert {name.rpartition("/")[2] for name in libraries} <= {name.rpartition("/")[2] for name in names}


def test_the_demo_swaps_a_page_outside(start, browser):
    """With nothing that can be written but its volume, and no right at all."""
    demo = start("demo", options=[*STRICT, "--volume", VOLUME]).started()
    assert demo.url == "http://localhost:8080"
    page = browser.new_page()
    errors = []
    page.on("pageerror", lambda error: errors.append(str(error)))
    assert page.goto(demo.url).status == 200
    page.locator("#paywall", has_text="Pro").first.wait_for()
    page.evaluate("window.hasNotReloaded = true")
    words = ["paycast", "trigger", "apple", "SUBSCRIBED/INITIAL_BUY", "--user", "demo", "--expect", "success"]
    assert "applied" in demo.exec(*words)
    page.locator("#paywall", has_text="Welcome to Pro").first.wait_for(timeout=20_000)
    assert page.evaluate("window.hasNotReloaded") and not errors, errors
    assert demo.is_healthy()
    said = demo.log.read_text()
    assert "-p 127.0.0.1:8080:8080" in said and "docker exec CONTAINER paycast trigger" in said
    assert "is lost with it" not in said, "that is what a demo is for"
    page.close()
    assert demo.stop() == 0, demo.log.read_text()
    assert " stopped" in demo.log.read_text()


def test_texts_are_those_of_a_debian(start, tmp_path):
    """Dates, languages and time zones: the image has neither locales nor zones."""
    order = {"user": "7", "product": "pro.monthly", "locale": "fr", "time_zone": "Asia/Tokyo"}

    def shown(url, trigger):
        assert ask(f"{url}/orders", KEY, json.dumps(order))[0] == 201
        page = Page(url, "7", KEY)
        trigger("trigger", "apple", "SUBSCRIBED/INITIAL_BUY", "--user", "7", "--product", "pro.monthly")
        return DATE.search(page.line(DATE.search))[1]

    now = {"PAYCAST_DEV_NOW": "2026-01-31T12:00:00Z", "PAYCAST_API_KEY": KEY}
    inside = start("demo", settings=now).started()
    found = shown(inside.url, lambda *words: inside.exec("paycast", *words))
    assert inside.stop() == 0
    outside = Program(tmp_path / "outside", [binary(), "demo", "--port", "8080"], {**OUTSIDE, **now})
    outside.wait_until_listening()
    expected = shown(
        outside.url,
        lambda *words: subprocess.run([binary(), *words], cwd=outside.folder, env={**OUTSIDE, **now}, check=True),
    )
    assert outside.stop()
    assert found == expected == "2 mars 2026"


def test_a_volume_outlives_its_container(start, volume):
    mount = ["--volume", f"{volume}:{VOLUME}"]
    first = start(options=[*STRICT, *mount], settings=SETTINGS).started()
    assert first.url == "http://localhost:8080"
    first.wait_until_healthy()
    body = json.dumps({"product": "pro", "forever": True, "reason": "a test"})
    assert ask(f"{first.url}/users/42/grants", KEY, body)[0] == 201
    page = Page(first.url, "42", KEY)
    assert first.stop() == 0, first.log.read_text()
    # It was told to come back, and its connection has ended by itself.
    assert page.answer.read() is not None
    second = start(options=[*STRICT, *mount], settings=SETTINGS).started()
    status, text = ask(f"{second.url}/users/42/entitlements", KEY)
    assert status == 200 and json.loads(text)["active"], text
    said = second.log.read_text()
    assert "is lost with it" not in said and "outgoing held" not in said, said
    assert second.stop() == 0


def test_what_is_not_ready_is_not_healthy(start, volume):
    server = start(options=["--volume", f"{volume}:{VOLUME}"], settings=SETTINGS).started()
    server.wait_until_healthy()
    place = podman("volume", "inspect", "--format", "{{.Mountpoint}}", volume).strip()
    os.rename(f"{place}/paycast.db", f"{place}/elsewhere.db")
    assert "FAIL" in server.exec("paycast", "doctor", "--ready", status=1)
    assert not server.is_healthy()


@dataclass(frozen=True)
class Start:
    name: str
    says: str
    words: tuple = ()
    options: tuple = ()
    settings: dict = field(default_factory=dict)
    # What makes it wrong, done to the folder that is mounted as the volume.
    owner: int = NOBODY
    files: tuple = ()
    is_port_taken: bool = False

    def __str__(self):
        return self.name


FOREIGN = f"{VOLUME} belongs to user 0, and user {NOBODY} runs this"
REFUSED = [
    Start("the volume's owner is root", f"cannot open the ledger paycast.db: {FOREIGN}", owner=0),
    Start("the ledger's owner is root", f"{VOLUME}/paycast.db belongs to user 0", files=("paycast.db",)),
    Start("the lock's owner is root", f"{VOLUME}/paycast.db-lock belongs to user 0", files=("paycast.db-lock",)),
    Start("a demo on a folder of root's", f"let user {NOBODY} write there", words=("demo",), owner=0),
    Start(
        "a key's file is missing",
        "PAYCAST_API_KEY_FILE: must name a file",
        settings={"PAYCAST_API_KEY": "", "PAYCAST_API_KEY_FILE": "/run/secrets/api"},
    ),
    Start(
        "a key's file is root's alone",
        "PAYCAST_API_KEY_FILE: must name a file",
        settings={"PAYCAST_API_KEY": "", "PAYCAST_API_KEY_FILE": f"{VOLUME}/api"},
        files=("api",),
    ),
    Start("a key is too short", "PAYCAST_API_KEY: has fewer than 16", settings={"PAYCAST_API_KEY": "short"}),
    Start("a setting is misspelled", "Did you mean PAYCAST_API_KEY?", settings={"PAYCAST_APIKEY": KEY}),
    Start("the port is taken", "cannot listen on 0.0.0.0:8080: Address already in use", is_port_taken=True),
]


@pytest.mark.parametrize("wrong", REFUSED, ids=str)
def test_a_start_that_cannot_succeed_says_one_sentence(start, tmp_path, wrong):
    folder = tmp_path / "volume"
    folder.mkdir(mode=0o755)
    os.chown(folder, wrong.owner, wrong.owner)
    for name in wrong.files:
        (folder / name).write_text("0123456789abcdef0123456789abcdef" if name == "api" else "")
        (folder / name).chmod(0o600)
    with socket.socket() as taken:
        taken.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        if wrong.is_port_taken:
            taken.bind(("0.0.0.0", 8080))
            taken.listen()
        options = [*STRICT, "--volume", f"{folder}:{VOLUME}", *wrong.options]
        status, said = start(*wrong.words, options=options, settings={**SETTINGS, **wrong.settings}).ended()
    assert status == 78, said
    lines = [line for line in spoken(said) if " WARN" not in line and " warning " not in line]
    lines = [line for line in lines if not line.startswith(("Open the address", "  docker exec"))]
    assert len(lines) == 1 and wrong.says in lines[0], said


@dataclass(frozen=True)
class Loss:
    name: str
    options: tuple
    says: str

    def __str__(self):
        return self.name


LOSSES = [
    Loss("no volume is named", (), "on a volume of this container alone and is lost with it"),
    Loss("no volume at all", ("--image-volume=ignore",), "lies in the container and is lost with it"),
    Loss("memory", ("--image-volume=tmpfs",), "in the container's memory and is lost with it"),
]


@pytest.mark.parametrize("loss", LOSSES, ids=str)
def test_a_ledger_without_a_volume_is_told(start, loss):
    server = start(options=loss.options, settings=SETTINGS).started()
    server.wait_for_log(loss.says)
    assert "mount a volume with a name, such as -v paycast:/var/lib/paycast" in server.log.read_text()
    assert server.stop() == 0


def test_without_a_key_it_serves_and_says_so(start, volume):
    settings = {**SETTINGS, "PAYCAST_API_KEY": ""}
    server = start(options=["--volume", f"{volume}:{VOLUME}"], settings=settings).started()
    server.wait_for_log("PAYCAST_API_KEY is not set: the API routes answer 401")
    assert ask(f"{server.url}/users/42/entitlements", KEY)[0] == 401
    assert server.stop() == 0


def files(tmp_path, **variables):
    done = subprocess.run(
        [ROOT / ".ci/container/files", tmp_path / "files"],
        env={**OUTSIDE, "PAYCAST_BINARY": str(binary()), **variables},
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.returncode == 1
    return done.stderr


def test_an_image_has_the_version_of_its_sources(tmp_path):
    assert "not 9.9.9: give the version of the sources" in files(tmp_path, VERSION="9.9.9")
