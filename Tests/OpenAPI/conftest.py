import pytest

import document
from servers import DEVELOPMENT, PRODUCTION, Paycast


def pytest_addoption(parser):
    parser.addoption("--write", action="store_true", help="take the answers of the examples from the server")


class Written(dict):
    """The document; with `--write` the examples' answers are put into it, and it is saved in the end."""

    is_to_be_written = False


@pytest.fixture(scope="session")
def written(request):
    description = Written(document.load())
    description.is_to_be_written = request.config.getoption("--write")
    yield description
    if description.is_to_be_written:
        document.PATH.write_text(document.text(description))


def start(folder, settings, *arguments):
    server = Paycast(folder, settings, arguments)
    yield server
    assert server.stop(), server.log.read_text()


@pytest.fixture(scope="session")
def development(tmp_path_factory):
    """A server with simulated stores, whose clock starts at the instant of the examples."""
    yield from start(tmp_path_factory.mktemp("development"), DEVELOPMENT, "--dev")


@pytest.fixture(scope="session")
def production(tmp_path_factory):
    yield from start(tmp_path_factory.mktemp("production"), PRODUCTION)
