"""An article that is followed from its top: an empty folder, a server, a browser, and what the blocks before have left."""

import json
import os
import re
import shlex
import signal
import subprocess
import sys
import threading
import urllib.request

import rails
import shapes
from blocks import ROOT, Block, Mistake, parsed
from pages import Pages
from server import OUTSIDE, Server, binary

sys.path.append(str(ROOT / "Tests" / "Proxies"))
from examples import PRINTED

SERVE = "paycast serve --dev"
# Whatever curl is told, it writes its answer's status line down as well.
CURL = """#!/bin/sh
heads=$(mktemp)
/usr/bin/curl --no-progress-meter --dump-header "$heads" "$@"
result=$?
grep '^HTTP/' "$heads" | tail -n 1 | cut -d ' ' -f 2 >>"$DOCS_STATUSES"
rm -f "$heads"
exit $result
"""
SECONDS = 60


class Stage:
    def __init__(self, name, text, folder, browser):
        self.steps = parsed(name, text)
        self.folder = folder / "reader"
        self.tools = folder / "bin"
        self.left = folder / "left"
        self.statuses = folder / "statuses"
        self.server = None
        self.output, self.answers = "", []
        self.done = 0
        for each in (self.folder, self.tools):
            each.mkdir(parents=True)
        (self.tools / "paycast").symlink_to(binary())
        (self.tools / "curl").write_text(CURL)
        (self.tools / "curl").chmod(0o755)
        self.pages = Pages(browser, self)

    def reach(self, step):
        """What stands before it is done first, once."""
        while self.done <= self.steps.index(step):
            self.done += 1
            self.perform(self.steps[self.done - 1])

    def perform(self, step):
        if isinstance(step, Block):
            self.run(step)
        elif step.kind == "open":
            self.pages.open(step.text)
        else:
            self.pages.shows(step.text)

    def run(self, block):
        if reason := block.mark("not run"):
            return
        if block.mark("not run") is not None:
            raise Mistake(f"{block}: say why it is not run")
        if block.marks and block.marks[0][0] in WAYS:
            return WAYS[block.marks[0][0]](self, block)
        if block.language not in LANGUAGES:
            raise Mistake(f"{block}: nothing runs such a block; mark it: Tests/Docs/README.md says how")
        LANGUAGES[block.language](self, block)

    # What a reader has around a block.

    def serving(self):
        if not self.server:
            self.serve(SERVE)
        return self.server

    def serve(self, command, environment=None):
        self.stop_server()
        self.server = Server(self.restored(self.placed(command)), self.folder, {**self.surroundings(), **(environment or {})})

    def stop_server(self):
        """After its pages, which would complain."""
        self.pages.close()
        if self.server:
            self.server.stop()
        self.server = None

    def surroundings(self):
        tools = {"PATH": f"{self.tools}:{OUTSIDE['PATH']}", "HOME": str(self.folder), "DOCS_STATUSES": str(self.statuses)}
        key = self.folder / ".paycast" / "api.key"
        known = {"PAYCAST_API_KEY": key.read_text().strip()} if key.exists() else {}
        return {**OUTSIDE, **tools, **known}

    def placed(self, text):
        """With the address of this run in place of those that the texts use."""
        if self.server:
            secure = self.server.url.replace("http", "ws", 1)
            for old, new in (
                ("https://pay.example.com", self.server.url),
                ("wss://pay.example.com", secure),
                ("127.0.0.1:8080", self.server.address),
                ("localhost:8080", self.server.address.replace("127.0.0.1", "localhost")),
            ):
                text = text.replace(old, new)
        return text

    def restored(self, script):
        """Variables live on from block to block, as in a reader's terminal."""
        left = shlex.quote(str(self.left))
        return f"if [ -e {left} ]; then . {left}; fi\nset -a\n{script}"

    def ask(self, path, body=None):
        """What an app's backend asks, as user 42's pages need it."""
        headers = {"Authorization": f"Bearer {self.surroundings()['PAYCAST_API_KEY']}"}
        data = body and json.dumps(body).encode()
        with urllib.request.urlopen(urllib.request.Request(self.serving().url + path, data, headers), timeout=10) as answer:
            return json.load(answer)

    def tell(self, html):
        self.ask("/broadcasts", {"user": "42", "html": html, "transient": True})

    # Ways to run a block.

    def shell(self, block):
        self.serving()
        self.statuses.write_text("")
        script = self.restored(self.placed(block.text)) + f"\nexport -p >{shlex.quote(str(self.left))}\n"
        self.execute(block, script)
        self.answers = [int(line) for line in self.statuses.read_text().split()]
        expected = self.expected_status(block)
        if expected:
            assert self.answers[-1:] == [expected], f"answered {self.answers}, printed is {expected}: {self.output}"
        for status in self.answers[:-1] if expected else self.answers:
            assert status < 400, f"answered {status}: {self.output}"

    def expected_status(self, block):
        """Its own mark, or that of the answer printed next."""
        after = self.steps[self.steps.index(block) + 1 :][:1]
        answer = after[0].mark("answer") if after and isinstance(after[0], Block) else None
        text = block.mark("status") or answer
        return int(text) if text else None

    def execute(self, block, script):
        process = subprocess.Popen(
            ["bash", "-euo", "pipefail", "-c", script],
            cwd=self.folder,
            env=self.surroundings(),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            start_new_session=True,
        )
        timer = threading.Timer(SECONDS, os.killpg, (process.pid, signal.SIGKILL))
        timer.start()
        try:
            self.output = self.read(process, block.mark("until"))
        finally:
            timer.cancel()
        assert process.returncode == 0, f"{block} exits {process.returncode}:\n{self.output}"

    def read(self, process, until):
        """All that it says; a command that goes on for ever is ended once it has said what is waited for."""
        said = ""
        for line in process.stdout:
            said += line
            if until and until in line:
                os.killpg(process.pid, signal.SIGTERM)
                process.wait()
                process.returncode = 0
                break
        else:
            process.wait()
            assert not until, f"never said {until!r}:\n{said}"
        process.stdout.close()
        return said

    def json(self, block):
        return json.loads(block.text)

    def answer(self, block):
        """What the shell before it was answered: the status has been compared there."""
        assert self.answers, f"{block}: no request stands before this answer"
        try:
            real = json.loads(self.output)
        except ValueError:
            raise AssertionError(f"no JSON: {self.output}") from None
        found = shapes.difference(self.json(block), real)
        assert not found, found

    def printed(self, block):
        line = shapes.missing_line(self.placed(block.text), self.output)
        assert line is None, f"{line!r} was not printed, but:\n{self.output}"

    def write(self, block):
        path = self.folder / block.mark("file")
        assert path.resolve().is_relative_to(self.folder.resolve()), f"{block}: outside the reader's folder"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(self.placed(block.text))
        if block.language == "json":
            self.json(block)

    def start(self, block):
        """A command that serves, or settings to serve with."""
        if block.language == "sh":
            return self.serve(block.text)
        settings = {}
        for line in filter(None, map(str.strip, block.text.splitlines())):
            if not line.startswith("#"):
                name, equals, value = line.partition("=")
                assert equals and re.fullmatch("[A-Z_0-9]+", name), f"{block}: {line!r} is no setting"
                settings[name] = value
        self.serve(block.mark("serve") or "paycast serve", settings)

    def template(self, block):
        """Broken ones stop the start, and the program names those that are never shown."""
        self.stop_server()
        path = self.folder / "public" / "fragments" / block.mark("template")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(block.text)
        self.serving()

    def refused(self, block):
        """A template that the program has to refuse; the reason comes as output."""
        self.stop_server()
        path = self.folder / "public" / "fragments" / block.mark("refused")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(block.text)
        try:
            self.server = Server(SERVE, self.folder, self.surroundings())
        except AssertionError as error:
            self.output = str(error)
        path.unlink()
        assert not self.server, f"{block}: the program takes it"

    def markup(self, block):
        self.serving()
        self.pages.fragment(block)

    def proxy(self, block):
        assert block.mark("proxy") in PRINTED, f"{block}: Tests/Proxies runs no such example"

    def setup(self, block):
        """README's first blocks: of the demo the last command, where the build has been made; the tests are run by CI."""
        if block.mark("demo") is not None:
            self.serve(f"{shlex.quote(str(binary()))} {block.text.strip().rpartition('/paycast ')[2]}")
            self.pages.open("/")

    def close(self):
        self.stop_server()


WAYS = {
    "file": Stage.write,
    "serve": Stage.start,
    "answer": Stage.answer,
    "status": Stage.shell,
    "until": Stage.shell,
    "output": Stage.printed,
    "in": Stage.markup,
    "template": Stage.template,
    "refused": Stage.refused,
    "proxy": Stage.proxy,
    "demo": Stage.setup,
    "test": Stage.setup,
}
LANGUAGES = {"sh": Stage.shell, "json": Stage.json, "ruby": rails.ruby, "erb": rails.erb}
