import secrets
import subprocess

import pytest

from passage import FILES
from servers import Paycast


def pytest_addoption(parser):
    parser.addoption("--full", action="store_true", help="as large as the limit of open files allows")


@pytest.fixture(scope="session")
def files(tmp_path_factory):
    """A public folder: a file that only attackers ask for, and many that name themselves."""
    folder = tmp_path_factory.mktemp("public")
    (folder / "attackers.txt").write_text("for the attacker only\n")
    for number in range(FILES):
        (folder / f"{number}.txt").write_text(f"bystander {number} {secrets.token_hex(8)}\n")
    return folder


@pytest.fixture(scope="session")
def paycast(tmp_path_factory, files):
    server = Paycast(tmp_path_factory.mktemp("paycast"), files)
    yield server
    assert server.stop(), server.log.read_text()


@pytest.fixture(scope="session")
def certificate(tmp_path_factory):
    folder = tmp_path_factory.mktemp("certificate")
    command = "openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -subj /CN=localhost"
    command += " -addext subjectAltName=DNS:localhost,IP:127.0.0.1 -keyout key.pem -out cert.pem"
    subprocess.run(command.split(), cwd=folder, check=True, capture_output=True)
    return folder


@pytest.fixture(scope="session")
def encrypted(tmp_path_factory, files, certificate):
    server = Paycast(tmp_path_factory.mktemp("encrypted"), files, tls=certificate)
    yield server
    assert server.stop(), server.log.read_text()
