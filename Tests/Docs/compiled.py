"""Blocks of Swift and Kotlin: type-checked against stubs of what only Apple's and Google's kits have. Those with a file are
files of one app, which is checked with the article's last."""

import functools
import subprocess
import tempfile
from pathlib import Path

from blocks import Block
from program import OUTSIDE, ROOT

STUBS = ROOT / "Tests" / "PaycastKitTests" / "Stubs"
# The reader copies it.
COMPONENT = ROOT / "Sources" / "PaycastKit" / "HotwireNative" / "PaywallComponent.swift"
ANDROID = Path(__file__).parent / "Android"
# Android's own, from libandroid-json-java.
JSON = "/usr/share/java/com.android.json.jar"


def swift(walkthrough, block):
    if block.mark("file") is None:
        script = walkthrough.folder.parent / "script.swift"
        script.write_text(block.text)
        return checked(block, swiftc(script))
    if is_last(walkthrough, block):
        files = sorted(walkthrough.folder.rglob("*.swift"))
        if any("PaywallComponent" in file.read_text() for file in files):
            files.append(COMPONENT)
        checked(block, swiftc("-parse-as-library", *files))


def kotlin(walkthrough, block):
    if is_last(walkthrough, block):
        files = sorted(walkthrough.folder.rglob("*.kt"))
        output = walkthrough.folder.parent / "classes"
        checked(block, ["kotlinc", "-nowarn", "-cp", JSON, ANDROID, *files, "-d", output])


def is_last(walkthrough, block):
    files = [step for step in walkthrough.steps if isinstance(step, Block) and step.mark("file") is not None]
    return block == [file for file in files if file.language == block.language][-1]


def swiftc(*arguments):
    return ["swiftc", "-typecheck", "-swift-version", "6", "-warnings-as-errors", "-I", modules(), *arguments]


@functools.cache
def modules():
    """PaycastKit and the stubs, built once for all articles."""
    folder = tempfile.TemporaryDirectory()
    subprocess.run([STUBS / "modules", folder.name], env=OUTSIDE, check=True)
    # It lives as long as this function does.
    modules.folder = folder
    return folder.name


def checked(block, command):
    compiler = subprocess.run(command, env=OUTSIDE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    assert compiler.returncode == 0, f"{block}:\n{compiler.stdout}"
