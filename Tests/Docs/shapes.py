"""Whether an answer has the shape that an example shows."""

import re

# Ids, dates, amounts and tokens differ from run to run; words do not.
VARYING = re.compile(r"[0-9…]")
DATE = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z")


def difference(printed, real, path="answer"):
    """The first one as a sentence, or None. Names have to be the same ones, words too, everything else its type."""
    if kind(printed) != kind(real):
        return f"{path} is {kind(real)} ({real!r}), printed as {kind(printed)} ({printed!r})"
    if isinstance(printed, dict):
        return members(printed, real, path)
    if isinstance(printed, list):
        return elements(printed, real, path)
    if isinstance(printed, str):
        return strings(printed, real, path)
    if isinstance(printed, bool) and printed != real:
        return f"{path} is {real}, printed as {printed}"
    return None


def kind(value):
    if isinstance(value, bool):
        return "a boolean"
    return {dict: "an object", list: "an array", str: "a string", int: "a number", float: "a number"}.get(
        type(value), "null"
    )


def members(printed, real, path):
    if missing := printed.keys() - real.keys():
        return f"{path} has no {', '.join(sorted(missing))}"
    if more := real.keys() - printed.keys():
        return f"{path} also has {', '.join(sorted(more))}"
    return first(difference(printed[key], real[key], f"{path}.{key}") for key in printed)


def elements(printed, real, path):
    if len(printed) != len(real):
        return f"{path} has {len(real)} elements, printed are {len(printed)}"
    return first(difference(one, other, f"{path}[{index}]") for index, (one, other) in enumerate(zip(printed, real)))


def strings(printed, real, path):
    if DATE.fullmatch(printed):
        return None if DATE.fullmatch(real) else f"{path} is {real!r}, no date"
    if printed == real or (VARYING.search(printed) and real):
        return None
    return f"{path} is {real!r}, printed as {printed!r}"


def first(differences):
    return next((each for each in differences if each), None)


def line_pattern(line):
    """What a printed line of output stands for: words as they are, and any number, id or date where one is printed."""
    words = [r"\S+" if VARYING.search(word) else re.escape(word) for word in line.split()]
    return re.compile(r"\s*" + r"\s+".join(words) + r"\s*")


def missing_line(printed, real):
    """The first printed line that the output does not have, in this order; `…` alone stands for any lines."""
    rest = iter(real.splitlines())
    for line in filter(str.strip, printed.splitlines()):
        if line.strip() == "…":
            continue
        pattern = line_pattern(line)
        if not any(pattern.fullmatch(each) for each in rest):
            return line
    return None
