import os
import subprocess

import pytest
from containers import Container, build, podman
from playwright.sync_api import sync_playwright
from program import binary


@pytest.fixture(scope="session")
def image():
    """Its name, with the version of the program, as the build prints it."""
    version = subprocess.run([binary(), "version"], capture_output=True, text=True, check=True).stdout.split()[1]
    name = build(version)
    assert name == f"paycast:{version}"
    yield name
    podman("image", "prune", "--force", status=None)


@pytest.fixture
def start(image, tmp_path):
    """Starts containers, and leaves none behind."""
    started = []

    def start(*words, **more):
        started.append(Container(tmp_path / str(len(started)), *words, **more))
        return started[-1]

    yield start
    for container in started:
        if container.process.returncode is None:
            container.kill()


@pytest.fixture
def volume():
    """A volume with a name."""
    name = f"paycast-test-{os.getpid()}"
    podman("volume", "create", name)
    yield name
    podman("volume", "rm", "--force", name, status=None)


@pytest.fixture(scope="session")
def browser():
    with sync_playwright() as play:
        # Chromium refuses its sandbox to root, which is who a container runs as.
        browser = play.chromium.launch(executable_path="/usr/bin/chromium", args=["--no-sandbox"])
        yield browser
        browser.close()
