import os

import pytest
from playwright.sync_api import sync_playwright

from android import compiled
from blocks import articles
from walkthrough import Walkthrough


@pytest.fixture(scope="session")
def browser():
    # Chromium refuses its sandbox to root, which is who a container runs as.
    arguments = ["--no-sandbox"] if os.geteuid() == 0 else []
    with sync_playwright() as playwright:
        with playwright.chromium.launch(executable_path="/usr/bin/chromium", args=arguments) as browser:
            yield browser


@pytest.fixture(scope="session")
def android(tmp_path_factory):
    return compiled(tmp_path_factory.mktemp("android"))


@pytest.fixture(scope="session")
def walkthroughs(tmp_path_factory, browser):
    """The article that is being followed; another article closes it."""
    held = {}

    def walkthroughs(name):
        if name not in held:
            while held:
                held.popitem()[1].close()
            held[name] = Walkthrough(name, articles()[name].read_text(), tmp_path_factory.mktemp("article"), browser)
        return held[name]

    yield walkthroughs
    while held:
        held.popitem()[1].close()
