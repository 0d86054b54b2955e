"""WebSocket frames, sent with the head and after its answer."""

from dataclasses import dataclass

import pytest

from servers import page
from wire import AT_ONCE, WEBSOCKET, WEBSOCKET_KEY, get


def frame(opcode, payload, mask=b"\0\0\0\0", flags=0x80):
    assert len(payload) < 126
    return bytes([flags | opcode, (0x80 if mask else 0) | len(payload)]) + (mask or b"") + payload


@dataclass
class Frame:
    name: str
    sent: bytes
    # What the server's close says; None when it is a pong that comes.
    code: int | None = 1002


FRAMES = [
    Frame("a ping", frame(9, b"hello"), None),
    Frame("no mask", frame(1, b"x", mask=None)),
    Frame("a ping without a mask", frame(9, b"", mask=None)),
    Frame("a reserved bit", frame(1, b"x", flags=0xC0)),
    Frame("a kind that is none", frame(3, b"x")),
    Frame("a ping in parts", frame(9, b"x", flags=0)),
    Frame("a part of nothing", frame(0, b"x")),
]


@pytest.mark.parametrize("together", [True, False], ids=["with the head", "after the answer"])
@pytest.mark.parametrize("case", FRAMES, ids=lambda case: case.name)
def test_frames(connect, last_words, case, together):
    wire, head = connect(), get(page("frames"), *WEBSOCKET, WEBSOCKET_KEY)
    wire.send(head + case.sent if together else head)
    assert wire.answer(seconds=AT_ONCE).status == 101
    if not together:
        wire.send(case.sent)
    if case.code is None:
        assert wire.read(b"hello", seconds=AT_ONCE) == b"\x8a\x05hello"
    else:
        assert last_words(wire) == b"\x88\x02" + case.code.to_bytes(2)
