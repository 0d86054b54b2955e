"""What an article lists: the rows of its tables, by the names in their first columns."""

import re

from blocks import CATALOGUE

CODE = re.compile(r"`([^`]+)`")


def read(article):
    return (CATALOGUE / article).read_text()


def section(text, title):
    """What stands below a heading, up to the next one of its level or a higher one."""
    found = re.search(rf"^(#+) {re.escape(title)}$", text, re.MULTILINE)
    assert found, f"no heading {title!r}"
    rest = text[found.end() :]
    following = re.search(rf"^#{{1,{len(found[1])}}} ", rest, re.MULTILINE)
    return rest[: following.start()] if following else rest


def rows(text, heading):
    """The cells of every table whose first column has this heading; a row with another number of cells is a mistake."""
    found, width = [], 0
    for line in text.splitlines():
        cells = [cell.strip() for cell in line.strip().strip("|").split("|")] if line.startswith("|") else []
        if not cells:
            width = 0
        elif width:
            assert len(cells) == width, f"not {width} cells: {line}"
            found.append(cells)
        elif cells[0] == heading:
            width = len(cells)
    return [cells for cells in found if not set(cells[0]) <= set("-: ")]


def named(text, heading):
    """The same by the first name in each first cell; a name that stands there twice is a mistake."""
    table = {}
    for cells in rows(text, heading):
        name = CODE.findall(cells[0])[0]
        assert name not in table, f"{name} stands there twice"
        table[name] = cells
    return table
