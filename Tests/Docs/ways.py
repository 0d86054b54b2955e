"""What happens to a block, by its mark or its language. Each takes the stage and the block, and raises if it is wrong."""

import json
import re
import shlex
import sys

import rails
import shapes
import shell
from blocks import ROOT
from server import binary

sys.path.append(str(ROOT / "Tests" / "Proxies"))
from examples import PRINTED


def parse(stage, block):
    return json.loads(block.text)


def answer(stage, block):
    """What the shell before it was answered: the status has been compared there."""
    assert stage.answers, f"{block}: no request stands before this answer"
    try:
        real = json.loads(stage.output)
    except ValueError:
        raise AssertionError(f"no JSON: {stage.output}") from None
    found = shapes.difference(parse(stage, block), real)
    assert not found, found


def output(stage, block):
    line = shapes.missing_line(stage.placed(block.text), stage.output)
    assert line is None, f"{line!r} was not printed, but:\n{stage.output}"


def file(stage, block):
    path = stage.folder / block.mark("file")
    assert path.resolve().is_relative_to(stage.folder.resolve()), f"{block}: outside the reader's folder"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(stage.placed(block.text))
    if block.language == "json":
        parse(stage, block)


def serve(stage, block):
    """A command that serves, or settings to serve with."""
    if block.language == "sh":
        return stage.serve(block.text, {})
    settings = {}
    for line in filter(None, map(str.strip, block.text.splitlines())):
        if not line.startswith("#"):
            name, equals, value = line.partition("=")
            assert equals and re.fullmatch("[A-Z_0-9]+", name), f"{block}: {line!r} is no setting"
            settings[name] = value
    stage.serve(block.mark("serve") or "paycast serve", settings)


def template(stage, block):
    """Broken ones stop the start."""
    stage.stop_server()
    fragment(stage, block, "template")
    stage.serving()


def refused(stage, block):
    """The program's reason comes as output."""
    stage.stop_server()
    path = fragment(stage, block, "refused")
    try:
        stage.serving()
    except AssertionError as error:
        stage.output = str(error)
    path.unlink()
    assert not stage.server, f"{block}: the program takes it"


def fragment(stage, block, mark):
    path = stage.folder / "public" / "fragments" / block.mark(mark)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(block.text)
    return path


def markup(stage, block):
    stage.serving()
    stage.pages.fragment(block)


def proxy(stage, block):
    assert block.mark("proxy") in PRINTED, f"{block}: Tests/Proxies runs no such example"


def demo(stage, block):
    """README's: the last command, where the build has been made."""
    stage.serve(f"{shlex.quote(str(binary()))} {block.text.strip().rpartition('/paycast ')[2]}", {})
    stage.pages.open("/")


def test(stage, block):
    """README's: CI runs it, from README."""
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
BY_LANGUAGE = {"sh": shell.run, "json": parse, "ruby": rails.ruby, "erb": rails.erb}
