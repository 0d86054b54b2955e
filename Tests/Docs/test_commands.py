"""CommandLine.md has each command with the options that its help has."""

import re
import subprocess

import pytest

import tables
from program import OUTSIDE, binary

ARTICLE = tables.read("CommandLine.md")
OPTION = re.compile(r"^ +(--[a-z-]+)", re.MULTILINE)
COMMAND = re.compile(r"^  ([a-z]+)  ", re.MULTILINE)
# Described once for all commands.
REMOTE = {"--server", "--key"}


def output(*words):
    run = subprocess.run([binary(), *words], env=OUTSIDE, capture_output=True, text=True, timeout=30)
    assert run.returncode == 0, run.stderr
    return run.stdout


COMMANDS = COMMAND.findall(output("help"))


def test_every_command_has_a_section():
    assert len(COMMANDS) > 12
    assert set(re.findall(r"^## ([a-z]+)$", ARTICLE, re.MULTILINE)) == set(COMMANDS)


@pytest.mark.parametrize("command", COMMANDS)
def test_options_are_those_of_the_help(command):
    if command == "help":
        return
    options = {cells[0].strip("`").split(" ")[0] for cells in tables.rows(tables.section(ARTICLE, command), "Option")}
    assert options == set(OPTION.findall(output("help", command))) - REMOTE


def test_commands_that_ask_a_server_are_those_of_the_article():
    asking = {command for command in COMMANDS if "--server" in OPTION.findall(output("help", command))}
    sentence = tables.section(ARTICLE, "Which server, and which key").strip().splitlines()[0]
    assert set(tables.CODE.findall(sentence)) == asking
