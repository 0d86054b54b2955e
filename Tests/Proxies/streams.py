"""An HTTP/2 client that opens streams and takes no more than it is told to."""

import socket

from h2.config import H2Configuration
from h2.connection import H2Connection
from h2.events import ConnectionTerminated, DataReceived, ResponseReceived, StreamEnded, StreamReset
from h2.settings import SettingCodes, Settings

from certificates import unverified


def request(path, *fields, method="GET", authority="localhost"):
    return [(":method", method), (":scheme", "https"), (":authority", authority), (":path", path), *fields]


class Streams:
    def __init__(self, port, window=65_535, room=0):
        """`window`: what each stream may be sent before it asks for more. `room`: for all of them, beside 65,535."""
        plain = socket.create_connection(("127.0.0.1", port), 60)
        # Or each word of ours waits for the acknowledgement of the one before it.
        plain.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.socket = unverified("h2").wrap_socket(plain)
        assert self.socket.selected_alpn_protocol() == "h2"
        # Nothing is made right that a test says wrong.
        self.state = H2Connection(
            H2Configuration(
                client_side=True,
                header_encoding="latin-1",
                validate_outbound_headers=False,
                normalize_outbound_headers=False,
            )
        )
        # Said first, not changed later: a stream that was opened before would have a window of its own.
        self.state.local_settings = Settings(initial_values={SettingCodes.INITIAL_WINDOW_SIZE: window})
        self.state.initiate_connection()
        if room:
            self.state.increment_flow_control_window(room)
        self.flush()
        # By their streams. Those that were reset have ended, too.
        self.statuses, self.bytes, self.ended = {}, {}, set()
        self.is_over = False

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.socket.close()

    def flush(self):
        self.socket.sendall(self.state.data_to_send())

    def get(self, path):
        return self.open(request(path))

    def open(self, head):
        number = self.state.get_next_available_stream_id()
        self.state.send_headers(number, head, end_stream=True)
        self.flush()
        return number

    def answer(self, head):
        """Its status and body; nothing when the stream is reset, or the connection ended."""
        number = self.open(head)
        while number not in self.ended and not self.is_over:
            self.receive(takes=True)
        return self.statuses.get(number), bytes(self.bytes.get(number, b""))

    def receive(self, takes=False):
        """One piece of what came. `takes`: what was received makes room for more."""
        data = self.socket.recv(65536)
        assert data, "the connection ended"
        for event in self.state.receive_data(data):
            match event:
                case ResponseReceived():
                    self.statuses[event.stream_id] = dict(event.headers)[":status"]
                case DataReceived():
                    self.bytes.setdefault(event.stream_id, bytearray()).extend(event.data)
                    if takes:
                        self.state.acknowledge_received_data(event.flow_controlled_length, event.stream_id)
                case StreamEnded() | StreamReset():
                    self.ended.add(event.stream_id)
                case ConnectionTerminated():
                    self.is_over = True
        self.flush()
