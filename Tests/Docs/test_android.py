"""The Kotlin of Android.md, run against a Google Play and a server that do what AndroidScenarios.kt says."""

import json
import subprocess
from pathlib import Path

import pytest

from blocks import Block, articles, parsed
from compiled import ANDROID, JSON
from program import OUTSIDE, Program, binary

STANDARD_LIBRARY = "/usr/share/java/kotlin-stdlib.jar"


def status(*names):
    return " ".join(f'{{"status":"{name}"}}' for name in names)


def purchases(*entries):
    return '{"purchases":[' + ",".join(f'{{"status":"{status}","productId":"{id}"}}' for id, status in entries) + "]}"


def failure(code):
    return f'{{"status":"error","error":"{code}"}}'


def listed(*parts):
    return "[" + ", ".join(parts) + "]"


EXPECTED = {
    "prices": "[80 €, 80 €, 10 €, 1 €, ]",
    "bought": listed(status("granted"), "[t1 stream-1]", "year/trial", purchases()),
    "coins are delivered": listed(status("delivered"), status("restored")),
    "another plan, another product, no subscription": listed("pro is owned 1", "max is owned 1", "null", "null"),
    "tapped again before the server knows": listed(status("granted"), "[t19 stream-19]"),
    "a declined payment is mended": "[t18 stream-18]",
    "cancelled": listed(status("cancelled"), purchases()),
    "two taps": listed(purchases(("coins", "buying")), status("cancelled"), status("cancelled")),
    "busy server and hotel": listed(
        status("kept", "granted"), "[t4 stream-4, t4 stream-4, t4 stream-4]", "true", "true"
    ),
    "asked to wait": listed(
        status("kept"), purchases(("coins", "kept")), purchases(("coins", "kept")), "[t12 stream-12]", "0"
    ),
    "webhook first": status("granted"),
    "killed before the post": "[t5 stream-5]",
    "bought elsewhere": listed(purchases(), status("restored"), "[t6 stream-6]"),
    "another user restores": listed(status("owned_by_other"), "[t14 theirs]"),
    "killed while it restores": listed(status("offline"), "[t15 stream-15]", status("restored"), "null"),
    "nothing to restore": status("nothing"),
    "paid later": listed(status("pending"), "[t7 stream-7]", purchases(("coins", "pending")), "[t7 stream-7]"),
    "expired stream": listed(status("kept"), status("granted"), "[t8 stream-8, t8 anew]"),
    "another user's": status("owned_by_other"),
    "owned already": listed(status("granted"), "[t10 stream-10]"),
    "no Google Play": listed(status("offline"), failure("offline")),
    "nonsense": listed(
        *[failure("invalid_message")] * 3, failure("unknown_event"), failure("invalid_message"), *[status("shown")] * 2
    ),
}


@pytest.fixture(scope="module")
def play(tmp_path_factory):
    """Runs the scenarios, or with a server and a stream what AndroidScenarios.kt says of these."""
    folder = tmp_path_factory.mktemp("android")
    steps = parsed("Android.md", articles()["Android.md"].read_text())
    files = [step for step in steps if isinstance(step, Block) and step.mark("file")]
    for file in files:
        (folder / file.mark("file")).write_text(file.text)
    stubs, classes = folder / "stubs", folder / "classes"
    run("javac", "-encoding", "UTF-8", "-cp", JSON, "-d", stubs, *ANDROID.rglob("*.java"))
    kotlin = [*ANDROID.glob("*.kt"), Path(__file__).parent / "AndroidScenarios.kt", *folder.glob("*.kt")]
    run("kotlinc", "-nowarn", "-cp", f"{stubs}:{JSON}", *kotlin, "-d", classes)
    path = f"{classes}:{stubs}:{JSON}:{STANDARD_LIBRARY}"
    java = ["java", "-Dfile.encoding=UTF-8", "-Dstdout.encoding=UTF-8", "-cp", path, "com.example.shop.AndroidScenariosKt"]
    return lambda *arguments: run(*java, *arguments)


@pytest.fixture(scope="module")
def lines(play):
    return dict(line.split(": ", 1) for line in play().splitlines())


def run(*command):
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, encoding="utf-8", timeout=1200).stdout


def test_every_scenario_has_run(lines):
    assert lines.keys() == EXPECTED.keys()


@pytest.mark.parametrize("name", EXPECTED)
def test_a_scenario(lines, name):
    assert lines[name] == EXPECTED[name]


def test_a_real_server_tells_what_was_handed_over(play, tmp_path):
    # Google does not say what is a consumable.
    (tmp_path / "catalog.json").write_text('{"products":{"coins":{"kind":"consumable"}}}')
    environment = {**OUTSIDE, "PAYCAST_CATALOG": "catalog.json"}
    server = Program(tmp_path, [binary(), "serve", "--dev", "--port", "0"], environment)
    server.wait_until_listening()

    def paycast(*words):
        run = subprocess.run([binary(), *words], cwd=tmp_path, check=True, stdout=subprocess.PIPE, timeout=30)
        return json.loads(run.stdout)

    try:
        for product, kind in [("coins", "consumable"), ("pro", "subscription")]:
            paycast("trigger", "google", "initial", "--user", "42", "--product", product, "--kind", kind, "--json")
        stream = paycast("order", "--user", "42", "--product", "coins", "--json")["signed_stream"]
        assert play(server.url, stream) == "[true, false]\n"
    finally:
        server.stop()
