"""Runs a block by its mark or its language. Each function takes the walkthrough and the block, and raises if the
block is wrong."""

import json
import re
import shlex
import sys

import compiled
import rails
import shapes
import shell
from program import ROOT, binary

sys.path.append(str(ROOT / "Tests" / "Proxies"))
from examples import PRINTED


def parse(walkthrough, block):
    return json.loads(block.text)


def answer(walkthrough, block):
    """What the shell before it was answered: the status has been compared there."""
    assert walkthrough.answers, f"{block}: no request stands before this answer"
    try:
        real = json.loads(walkthrough.output)
    except ValueError:
        raise AssertionError(f"no JSON: {walkthrough.output}") from None
    found = shapes.difference(parse(walkthrough, block), real)
    assert not found, found


def output(walkthrough, block):
    line = shapes.missing_line(walkthrough.placed(block.text), walkthrough.output)
    assert line is None, f"{line!r} was not printed, but:\n{walkthrough.output}"


def file(walkthrough, block):
    path = walkthrough.folder / block.mark("file")
    assert path.resolve().is_relative_to(walkthrough.folder.resolve()), f"{block}: outside the reader's folder"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(walkthrough.placed(block.text))
    if block.language == "json":
        parse(walkthrough, block)
    elif block.language == "swift":
        compiled.swift(walkthrough, block)
    elif block.language == "kotlin":
        compiled.kotlin(walkthrough, block)


def serve(walkthrough, block):
    """A command that serves, or settings to serve with."""
    if block.language == "sh":
        return walkthrough.serve(block.text, {})
    settings = {}
    for line in filter(None, map(str.strip, block.text.splitlines())):
        if not line.startswith("#"):
            name, equals, value = line.partition("=")
            assert equals and re.fullmatch("[A-Z_0-9]+", name), f"{block}: {line!r} is not a setting"
            settings[name] = value
    walkthrough.serve(block.mark("serve") or "paycast serve", settings)


def template(walkthrough, block):
    """Broken ones stop the start."""
    walkthrough.stop_server()
    fragment(walkthrough, block, "template")
    walkthrough.serving()


def refused(walkthrough, block):
    """The program's reason comes as output."""
    walkthrough.stop_server()
    path = fragment(walkthrough, block, "refused")
    try:
        walkthrough.serving()
    except AssertionError as error:
        walkthrough.output = str(error)
    path.unlink()
    assert not walkthrough.server, f"{block}: the program takes it"


def fragment(walkthrough, block, mark):
    path = walkthrough.folder / "public" / "fragments" / block.mark(mark)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(block.text)
    return path


def markup(walkthrough, block):
    walkthrough.serving()
    walkthrough.pages.fragment(block)


def proxy(walkthrough, block):
    assert block.mark("proxy") in PRINTED, f"{block}: Tests/Proxies runs no such example"


def demo(walkthrough, block):
    """README's block: runs its last command, because the build exists already."""
    walkthrough.serve(f"{shlex.quote(str(binary()))} {block.text.strip().rpartition('/paycast ')[2]}", {})
    walkthrough.pages.open("/")


def test(walkthrough, block):
    """README's block, which `.ci/run` runs."""
    assert "swift test" in block.text


BY_MARK = {
    "file": file,
    "serve": serve,
    "answer": answer,
    "status": shell.run,
    "until": shell.run,
    "output": output,
    "in": markup,
    "template": template,
    "refused": refused,
    "proxy": proxy,
    "demo": demo,
    "test": test,
}
BY_LANGUAGE = {
    "sh": shell.run,
    "json": parse,
    "ruby": rails.ruby,
    "erb": rails.erb,
    "swift": compiled.swift,
}
