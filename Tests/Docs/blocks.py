"""What an article tells a reader to do, in order: its code blocks, and the steps between them."""

import re
from dataclasses import dataclass

from program import ROOT

CATALOGUE = ROOT / "Sources" / "paycast" / "Documentation.docc"

FENCE = re.compile(r"^( *)(```+|~~~+) *([^\s`]*)$")
COMMENT = re.compile(r"^ *<!-- *(.*?) *-->$")
# Comments that are steps of their own, not marks of the block that follows.
STEPS = {"open", "shows"}
MARKS = {"not run", "file", "serve", "answer", "status", "output", "until", "in", "template", "refused", "proxy"}
# README's own: `.ci/run` and the acceptance checks look for them.
SETUP = {"demo", "test"}


class Mistake(AssertionError):
    """A mistake in the text, not in what it describes."""


@dataclass(frozen=True)
class Step:
    """`open` a page, or expect that it `shows` something."""

    file: str
    line: int
    kind: str
    text: str

    def __str__(self):
        return f"{self.file}:{self.line} {self.kind}"


@dataclass(frozen=True)
class Block:
    file: str
    line: int
    language: str
    marks: tuple
    text: str

    def __str__(self):
        return f"{self.file}:{self.line} {self.language or 'code'}"

    def mark(self, name):
        """Its value, an empty string when it has none, or None without such a mark."""
        return dict(self.marks).get(name)


def articles():
    """By the name that tests and messages use."""
    paths = [ROOT / "README.md", *sorted((ROOT / ".github").rglob("*.md")), *sorted(CATALOGUE.rglob("*.md"))]
    assert len({path.name for path in paths}) == len(paths), "two articles of one name"
    return {path.name: path for path in paths}


def parsed(name, text):
    """The blocks and steps of an article, in the order of the page."""
    found, marks, opened, lines = [], [], None, []
    for number, line in enumerate(text.splitlines(), 1):
        fence = FENCE.match(line)
        if opened:
            if fence and fence[2].startswith(opened[2]) and not fence[3]:
                indent = len(opened[1])
                code = "".join(each[min(indent, len(each) - len(each.lstrip())) :] + "\n" for each in lines)
                found.append(Block(name, start, opened[3], tuple(marks), code))
                opened, marks, lines = None, [], []
            else:
                lines.append(line)
        elif fence:
            opened, start = fence, number
        elif comment := COMMENT.match(line):
            key, _, value = (part.strip() for part in comment[1].partition(":"))
            if key in STEPS:
                found.append(Step(name, number, key, value))
            else:
                marks.append(mark(name, number, key, value))
        elif marks:
            raise Mistake(f"{name}:{number}: a block has to follow its mark")
        elif "```" in line and re.match(r"^ *```", line):
            raise Mistake(f"{name}:{number}: write ```language alone on its line")
    if opened or marks:
        raise Mistake(f"{name}: ends within a block")
    return found


def mark(name, number, key, value):
    """`<!-- key: value -->`; a single word may follow without a colon: `<!-- answer 201 -->`."""
    if key in MARKS or key in SETUP:
        return key, value
    word, _, rest = key.partition(" ")
    if word in MARKS and not value:
        return word, rest
    raise Mistake(f"{name}:{number}: no mark is called {key!r}; Tests/Docs/README.md names them")
