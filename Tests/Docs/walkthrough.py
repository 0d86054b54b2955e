"""Follows an article from its top, with an empty folder, a server, a browser, and what earlier blocks have left."""

import json
import shlex
import shutil
import sqlite3
import urllib.request

import shell
import ways
from blocks import Block, Mistake, parsed
from pages import Pages
from program import OUTSIDE, ROOT, binary
from server import Server


class Walkthrough:
    def __init__(self, name, text, folder, browser):
        self.steps = parsed(name, text)
        self.folder = folder / "reader"
        self.tools = folder / "bin"
        self.left = folder / "left"
        self.statuses = folder / "statuses"
        self.server, self.port = None, "0"
        # How it is started, the first time and again.
        self.served = "paycast serve --dev", {}
        # What the last block in a shell printed, and the statuses of its requests.
        self.output, self.answers = "", []
        # Blocks of Ruby that set up an app.
        self.configured = []
        self.done = 0
        self.pages = Pages(browser, self)
        self.prepare()
        self.bring(ROOT / "Tests" / "Docs" / "Readers" / name.removesuffix(".md"))

    def bring(self, own):
        """What a reader of this article has before: files, and databases whose SQL lies there."""
        for path in sorted(own.iterdir()) if own.is_dir() else []:
            if path.suffix == ".sql":
                with sqlite3.connect(self.folder / f"{path.stem}.sqlite3") as database:
                    database.executescript(path.read_text())
                database.close()
            else:
                shutil.copy(path, self.folder)

    def prepare(self):
        for folder in (self.folder, self.tools):
            folder.mkdir(parents=True)
        # The server looks for it when it starts.
        if any(isinstance(step, Block) and (step.mark("in") or step.language == "erb") for step in self.steps):
            (self.folder / "public").mkdir()
        (self.tools / "paycast").symlink_to(binary())
        (self.tools / "curl").write_text(shell.CURL)
        (self.tools / "curl").chmod(0o755)

    def reach(self, step):
        """Performs every step up to this one, each once."""
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
        if block.mark("not run") is not None:
            if not block.mark("not run"):
                raise Mistake(f"{block}: say why it is not run")
            return
        way = ways.BY_LANGUAGE.get(block.language)
        if block.marks:
            way = ways.BY_MARK[block.marks[0][0]]
        if not way:
            raise Mistake(f"{block}: nothing runs such a block; mark it: Tests/Docs/README.md says how")
        way(self, block)

    def serving(self):
        if not self.server:
            self.serve(*self.served)
        return self.server

    def serve(self, command, settings):
        """Serves at the address of the server before, which pages know."""
        self.stop_server()
        self.served = command, settings
        environment = {**self.surroundings(), "PORT": self.port, **settings}
        self.server = Server(self.restored(self.placed(command)), self.folder, environment)
        self.port = self.server.address.rpartition(":")[2]

    def stop_server(self):
        """Closes the pages first: they would report the lost connection."""
        self.pages.close()
        if self.server:
            self.server.stop()
        self.server = None

    def surroundings(self):
        path = f"{self.tools}:{OUTSIDE['PATH']}"
        tools = {"PATH": path, "HOME": str(self.folder), "DOCS_STATUSES": str(self.statuses)}
        key = self.folder / ".paycast" / "api.key"
        known = {"PAYCAST_API_KEY": key.read_text().strip()} if key.exists() else {}
        return {**OUTSIDE, **tools, **known}

    def placed(self, text):
        """With the address of this run in place of those that the texts use."""
        if self.server:
            for old, new in (
                ("https://pay.example.com", self.server.url),
                ("wss://pay.example.com", self.server.url.replace("http", "ws", 1)),
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
        """What an app's backend asks, for the blocks that only show its page."""
        headers = {"Authorization": f"Bearer {self.surroundings()['PAYCAST_API_KEY']}"}
        request = urllib.request.Request(self.serving().url + path, body and json.dumps(body).encode(), headers)
        with urllib.request.urlopen(request, timeout=10) as answer:
            return json.load(answer)

    def tell(self, html):
        self.ask("/broadcasts", {"user": "42", "html": html, "transient": True})

    def close(self):
        self.stop_server()
