"""How a connection begins, lives and ends."""

import http.client
import time
from dataclasses import dataclass

import pytest
from websockets.exceptions import ConnectionClosed

from cable import JSON, Cable
from servers import Paycast, Rails

NATIVE = "native clients send no Origin, and no page of another site can leave it out"


@dataclass
class Case:
    name: str
    offers: str | None = JSON
    origin: str | None = "http://{address}"
    upgrades: bool = True
    status: int = 101
    picks: str | None = None
    paycast_status: int | None = None
    why: str = ""


CASES = [
    Case("picks the protocol", picks=JSON),
    Case("picks what it knows of the stock offer", f"{JSON}, actioncable-unsupported", picks=JSON),
    Case("picks what it knows after another", f"token.x, {JSON}", picks=JSON),
    Case("picks nothing when nothing is offered", None),
    Case("refuses another origin", origin="https://evil.example", status=404),
    Case("hears no origin", origin=None, status=404, paycast_status=101, picks=JSON, why=NATIVE),
    Case("refuses what is no upgrade", upgrades=False, status=404),
]


def shake(server, case):
    headers = {"Upgrade": "websocket", "Connection": "Upgrade"} if case.upgrades else {}
    headers |= {"Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZQ==", "Sec-WebSocket-Version": "13"}
    if case.offers:
        headers["Sec-WebSocket-Protocol"] = case.offers
    if case.origin:
        headers["Origin"] = case.origin.format(address=server.address)
    connection = http.client.HTTPConnection(server.address, timeout=5)
    connection.request("GET", "/cable", headers=headers)
    response = connection.getresponse()
    connection.close()
    return response.status, response.headers["Sec-WebSocket-Protocol"]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_handshake(server, case):
    status, picked = shake(server, case)
    differs = server.name == "paycast" and case.paycast_status
    assert status == (case.paycast_status if differs else case.status), case.why
    assert picked == (case.picks if status == 101 else None)


def test_welcomes_then_pings_every_three_seconds(server):
    with Cable(server) as cable:
        assert cable.welcome == {"type": "welcome"}
        welcomed = time.monotonic()
        arrivals = []
        for _ in range(2):
            ping = cable.receive(pings=True)
            arrivals.append(time.monotonic())
            assert ping == {"type": "ping", "message": ping["message"]}
            assert isinstance(ping["message"], int) and abs(ping["message"] - time.time()) < 3
        assert arrivals[0] - welcomed < 6
        assert 2 < arrivals[1] - arrivals[0] < 4


@pytest.mark.parametrize("kind", [Rails, Paycast])
def test_a_restart_asks_clients_to_come_back(kind, tmp_path):
    server = kind(tmp_path)
    try:
        with Cable(server) as cable:
            server.restart()
            assert cable.receive() == {"type": "disconnect", "reason": "server_restart", "reconnect": True}
            with pytest.raises(ConnectionClosed):
                cable.receive()
    finally:
        server.stop()
