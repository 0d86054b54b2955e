"""Settings.md lists what the program reads, with the ranges and words that it takes."""

import re
import subprocess

import tables
from program import OUTSIDE, ROOT, binary

SETTINGS = tables.named(tables.read("Settings.md"), "Setting")
# Read in the sources: by the server, and by the commands that ask one.
VARIABLE = re.compile(r'"(PAYCAST_[A-Z_]*[A-Z]|SECRET_KEY_BASE|DATABASE_URL|REDIS_URL|SSL_CERT_FILE|PORT)"')
RANGE = re.compile(r"^(\S+): “no” is not a number from (\d+) to (\d+)$", re.MULTILINE)
WORDS = re.compile(r"^(\S+): “no” is not one of (.+)$", re.MULTILINE)


def refused():
    """The program's messages when every setting is “no”."""
    environment = {name: "no" for name in SETTINGS if re.fullmatch("[A-Z_]+", name) and not name.endswith("_FILE")}
    done = subprocess.run(
        [binary(), "serve"], env={**OUTSIDE, **environment}, capture_output=True, text=True, timeout=30
    )
    assert done.returncode == 78, done.stderr
    return done.stderr


def test_every_variable_of_the_sources_is_there():
    read = set()
    for path in (ROOT / "Sources").rglob("*.swift"):
        if "Benchmarks" not in path.parts:
            read |= set(VARIABLE.findall(path.read_text()))
    assert len(read) > 40
    assert read - SETTINGS.keys() == set(), "read by the program, and not in Settings.md"


def test_the_program_knows_every_one():
    assert "is not a setting" not in refused()


def test_ranges_are_those_of_the_program():
    found = RANGE.findall(refused())
    assert len(found) > 12
    for name, low, high in found:
        assert f"{low} to {high}" in SETTINGS[name][2], f"{name} takes {low} to {high}, printed is {SETTINGS[name][2]}"
    numbers = {name for name, cells in SETTINGS.items() if re.search(r"\d+ to \d+$", "".join(cells[2:3]))}
    assert numbers == {name for name, _, _ in found}


def test_words_are_those_of_the_program():
    found = WORDS.findall(refused())
    assert {name for name, _ in found} == {
        "PAYCAST_LOG_LEVEL", "PAYCAST_LOG_FORMAT", "PAYCAST_TRANSFERS", "PAYCAST_RAILS_CABLE_ADAPTER",
        "PAYCAST_REDIS_VERIFY", "PAYCAST_HOME",
    }
    for name, words in found:
        assert tables.CODE.findall(SETTINGS[name][2]) == words.split(", ")


def test_defaults_are_those_of_the_sources():
    """Where the program prints them: the help of `serve`, and the first lines of its log."""
    done = subprocess.run([binary(), "help", "serve"], env=OUTSIDE, capture_output=True, text=True).stdout
    options = dict(re.findall(r"^ +(--[a-z-]+) \S+ +(.+)$", done, re.MULTILINE))
    compared = 0
    for cells in SETTINGS.values():
        names = tables.CODE.findall(cells[0])
        if len(names) == 2 and names[0] in options.get(names[1], ""):
            compared += 1
            default = cells[3].strip("`")
            assert default in options[names[1]] or default == "none", f"{names[1]}: {options[names[1]]}"
    assert compared == len(options) == 9


def test_secrets_in_files_are_all_of_them():
    """Each may have a file, and the program takes no others."""
    # OpenSSL's own is no secret.
    listed = {name.removesuffix("_FILE") for name in SETTINGS if name.endswith("_FILE")} - {"SSL_CERT"}
    environment = {f"{name}_FILE": "/nowhere/at/all" for name in SETTINGS if not name.startswith("--")}
    environment = {name: value for name, value in environment.items() if not name.endswith("_FILE_FILE")}
    done = subprocess.run([binary(), "serve"], env={**OUTSIDE, **environment}, capture_output=True, text=True).stderr
    taken = set(re.findall(r"^(\S+)_FILE: must name a file", done, re.MULTILINE))
    assert taken == listed
