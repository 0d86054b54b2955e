"""Ruby and its templates, with what Debian has of Rails."""

import subprocess


def ruby(stage, block):
    check(block, ["ruby", "-wc"], block.text)


def erb(stage, block):
    """Compiles as ActionView compiles it."""
    program = "require 'action_view'; puts ActionView::Template::Handlers::ERB::Erubi.new($stdin.read).src"
    compiled = check(block, ["ruby", "-e", program], block.text)
    check(block, ["ruby", "-c"], compiled)


def check(block, command, text):
    said = subprocess.run(command, input=text, capture_output=True, text=True, timeout=60)
    assert said.returncode == 0, f"{block}: {said.stderr}"
    return said.stdout
