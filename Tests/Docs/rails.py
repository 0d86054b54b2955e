"""Ruby and its templates, run with what Debian has of Rails."""

import json
import re
import subprocess
from pathlib import Path

PROGRAM = Path(__file__).with_name("rails.rb")
CABLE = Path("/usr/share/nodejs/@rails/actioncable/app/assets/javascripts/action_cable.js")
# What it sets or defines counts for the blocks after it.
DEFINING = re.compile(r"^(?:config\.|module )", re.MULTILINE)
META = re.compile(r"<meta [^>]*>")


def ruby(walkthrough, block):
    check(["ruby", "-wc"], block.text, {})
    run(walkthrough, "ruby", block)
    if DEFINING.search(block.text):
        walkthrough.configured.append(walkthrough.placed(block.text))


def erb(walkthrough, block):
    """Renders a template into a page that must receive what user 42 is sent."""
    walkthrough.serving()
    markup = run(walkthrough, "erb", block)
    head = "".join(META.findall(markup))
    walkthrough.pages.hears(head, META.sub("", markup), scripts=CABLE.read_text())


def run(walkthrough, kind, block):
    request = {"kind": kind, "before": walkthrough.configured, "text": walkthrough.placed(block.text)}
    environment = {**walkthrough.surroundings(), **walkthrough.served[1]}
    if kind == "erb":
        environment["SINCE"] = walkthrough.ask("/users/42/stream")["since"]
    return check(["ruby", PROGRAM], json.dumps(request), environment)


def check(command, text, environment):
    done = subprocess.run(command, input=text, capture_output=True, text=True, timeout=60, env=environment or None)
    assert done.returncode == 0, done.stderr or done.stdout
    return done.stdout
