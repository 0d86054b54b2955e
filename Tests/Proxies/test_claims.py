"""No client behind a proxy can pass for this machine."""

from dataclasses import dataclass

import pytest

from names import NAMES
from passage import PASSAGES
from wire import AT_ONCE, Ended, Silence, get, request


@dataclass
class Claim:
    """What a client sends to pass for this machine."""

    name: str
    fields: tuple = ()
    line: str = "GET {path} HTTP/1.1"
    # The proxy refuses it, or asks us for another path.
    status: tuple = (401,)


MALFORMED = (400, 401)
CLAIMS = [
    Claim("nothing"),
    Claim("an address", ("X-Forwarded-For: 127.0.0.1",)),
    Claim("two addresses", ("X-Forwarded-For: 127.0.0.1", "X-Forwarded-For: 127.0.0.1")),
    Claim("an address of IPv6", ("X-Forwarded-For: ::1",)),
    Claim("no address", ("X-Forwarded-For: ",)),
    Claim(
        "other headers of proxies",
        ("X-Real-IP: 127.0.0.1", "Forwarded: for=127.0.0.1", "True-Client-IP: 127.0.0.1"),
    ),
    Claim("an underscore", ("X_Forwarded_For: 127.0.0.1",)),
    Claim("a space before the colon", ("X-Forwarded-For : 127.0.0.1",), status=MALFORMED),
    Claim("a folded line at the end", ("X-Fold: a\r\n b",), status=MALFORMED),
    Claim("a folded line of nothing", ("X-Fold: a\r\n ",), status=MALFORMED),
    Claim("a bare LF at the end", ("X-Bare: a\n",), status=MALFORMED),
    Claim("the head's end in bare LFs", ("X-Bare: a\n\n",), status=MALFORMED),
    Claim("a bare CR at the end", ("X-Bare: a\r",), status=MALFORMED),
    Claim("no colon at the end", ("X-None",), status=MALFORMED),
    Claim("no name", (": b",), status=MALFORMED),
    Claim("a header that ends here", ("Connection: close, X-Forwarded-For",)),
    Claim("headers that end here", ("Connection: X-Forwarded-For, X-Forwarded-Proto, X-Forwarded-Host, Forwarded",)),
    Claim("another host", ("X-Forwarded-Host: 127.0.0.1", "X-Forwarded-Server: 127.0.0.1")),
    # HAProxy compares it with the Host.
    Claim("an absolute target", line="GET http://127.0.0.1{path} HTTP/1.1", status=MALFORMED),
    Claim("the absolute target of this host", line="GET http://localhost{path} HTTP/1.1"),
    Claim("an escaped path", line="GET /%6d{path} HTTP/1.1", status=(404,)),
    Claim("a query", line="GET {path}?from=127.0.0.1 HTTP/1.1"),
    Claim("HTTP/1.0", line="GET {path} HTTP/1.0"),
    Claim("a wrong key", ("Authorization: Bearer x",)),
]


@pytest.mark.parametrize("path", ["/metrics", "/ready"])
@pytest.mark.parametrize("claim", CLAIMS, ids=lambda claim: claim.name)
@pytest.mark.parametrize("passage", PASSAGES, indirect=True)
def test_nobody_behind_a_proxy_is_this_machine(passage, claim, path):
    with passage.wire() as wire:
        answer = wire.send(request(claim.line.format(path=path), *claim.fields)).answer()
    assert answer.status in claim.status and b"paycast_" not in answer.body


@pytest.mark.parametrize("passage", PASSAGES, indirect=True)
def test_no_name_hides_what_the_proxy_says(passage):
    """HAProxy and Apache write their headers behind the client's."""
    wrong, wire = [], passage.wire()
    for index, name in enumerate(NAMES):
        path = ("/metrics", "/ready")[index % 2]
        try:
            answer = wire.send(get(path, f"{name}: b")).answer(seconds=AT_ONCE)
            if answer.status == 401 and answer.header("Connection") != "close":
                continue
            if answer.status != 401:
                wrong.append(f"{name}: {answer}")
        except (Silence, Ended) as flaw:
            wrong.append(f"{name}: {flaw}")
        if len(wrong) > 5:
            break
        wire.close()
        wire = passage.wire()
    wire.close()
    assert not wrong
