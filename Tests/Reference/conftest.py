import pytest

from servers import Paycast, Rails

SERVERS = {"rails": Rails, "paycast": Paycast}


@pytest.fixture(scope="session", params=SERVERS)
def server(request, tmp_path_factory):
    server = SERVERS[request.param](tmp_path_factory.mktemp(request.param))
    server.name = request.param
    yield server
    server.stop()


@pytest.fixture(scope="session")
def paycast(tmp_path_factory):
    server = Paycast(tmp_path_factory.mktemp("paycast"))
    yield server
    server.stop()
