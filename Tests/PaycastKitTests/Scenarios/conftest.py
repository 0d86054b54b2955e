import pytest
from world import Phone, Server


@pytest.fixture(scope="session")
def server(tmp_path_factory):
    server = Server(tmp_path_factory.mktemp("server"))
    yield server
    server.program.stop()


@pytest.fixture
def phone(server, tmp_path):
    with Phone(tmp_path / "phone", server) as phone:
        yield phone
        phone.check_rules()
