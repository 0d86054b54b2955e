"""The Kotlin of Android.md, compiled with what runs it."""

import subprocess
from pathlib import Path

from blocks import Block, articles, parsed
from compiled import ANDROID, JSON

STANDARD_LIBRARY = "/usr/share/java/kotlin-stdlib.jar"


def compiled(folder):
    """Returns a command, for which a class is missing."""
    steps = parsed("Android.md", articles()["Android.md"].read_text())
    files = [step for step in steps if isinstance(step, Block) and step.mark("file")]
    for file in files:
        (folder / file.mark("file")).write_text(file.text)
    stubs, classes = folder / "stubs", folder / "classes"
    run("javac", "-encoding", "UTF-8", "-cp", JSON, "-d", stubs, *ANDROID.rglob("*.java"))
    # The rest of the app, which needs these files.
    [activity] = [step for step in parsed("Rails.md", articles()["Rails.md"].read_text()) if is_kotlin(step)]
    (folder / "MainActivity.kt").write_text(activity.text)
    kotlin = [*ANDROID.glob("*.kt"), *Path(__file__).parent.glob("Android*.kt"), *folder.glob("*.kt")]
    run("kotlinc", "-nowarn", "-cp", f"{stubs}:{JSON}", *kotlin, "-d", classes)
    path = f"{classes}:{stubs}:{JSON}:{STANDARD_LIBRARY}"
    return ["java", "-Dfile.encoding=UTF-8", "-Dstdout.encoding=UTF-8", "-cp", path]


def is_kotlin(step):
    return isinstance(step, Block) and step.language == "kotlin"


def run(*command):
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, encoding="utf-8", timeout=1200).stdout
