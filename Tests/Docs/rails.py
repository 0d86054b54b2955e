"""Ruby and its templates, run with what Debian has of Rails."""

import json
import re
import subprocess
from pathlib import Path

PROGRAM = Path(__file__).with_name("rails.rb")
CABLE = Path("/usr/share/nodejs/@rails/actioncable/app/assets/javascripts/action_cable.js")
META = re.compile(r"<meta [^>]*>")


def ruby(stage, block):
    check(["ruby", "-wc"], block.text, {})
    run(stage, "ruby", block)
    if block.text.lstrip("#").find("config.") >= 0:
        stage.configured.append(stage.placed(block.text))


def erb(stage, block):
    """Rendered, and put into a page that has to hear what user 42 is told."""
    stage.serving()
    markup = run(stage, "erb", block)
    head = "".join(META.findall(markup))
    stage.pages.hears(head, META.sub("", markup), scripts=CABLE.read_text())


def run(stage, kind, block):
    request = {"kind": kind, "before": stage.configured, "text": stage.placed(block.text)}
    environment = {**stage.surroundings(), **stage.served[1]}
    if kind == "erb":
        environment["SINCE"] = stage.ask("/users/42/stream")["since"]
    return check(["ruby", PROGRAM], json.dumps(request), environment)


def check(command, text, environment):
    said = subprocess.run(command, input=text, capture_output=True, text=True, timeout=60, env=environment or None)
    assert said.returncode == 0, said.stderr or said.stdout
    return said.stdout
