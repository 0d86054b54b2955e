"""Many clients that send the same bytes and fall silent, in a process of their own, because descriptors are limited.

`crowd.py PORT COUNT FIRST` reads what each says from its standard input, prints `held N`, and ends with its next line.
"""

import resource
import socket
import sys

# A source address has 28,000 ports, and one that stands for this machine is as good as another.
PORTS = 5000
IP_BIND_ADDRESS_NO_PORT = 24


def main():
    port, count, first = map(int, sys.argv[1:])
    greeting = bytes.fromhex(sys.stdin.readline())
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    held = []
    for index in range(first, first + count):
        client = socket.socket()
        client.setsockopt(socket.IPPROTO_IP, IP_BIND_ADDRESS_NO_PORT, 1)
        client.bind((f"127.0.0.{2 + index // PORTS}", 0))
        client.settimeout(10)
        try:
            client.connect(("127.0.0.1", port))
            client.sendall(greeting)
        except OSError:
            break
        held.append(client)
    print("held", len(held), flush=True)
    sys.stdin.readline()


main()
