"""The heads that we accept and others read differently, and why that does no harm. Nothing else may differ."""

import re
from typing import Callable, NamedTuple

from generator import METHODS


class Allowance(NamedTuple):
    who: str
    # What differs, and what they say; with `stays`: whether another request could follow.
    what: str
    theirs: object
    applies: Callable
    why: str


def connection(head):
    return [item.strip(" \t") for line in head.values(b"connection") for item in line.split(",")]


def is_absolute(head):
    return re.match(rb"(?i)https?://", head.target)


def asks_for_upgrade(head):
    return head.values(b"upgrade") and any("upgrade" in line for line in head.values(b"connection"))


def names_another_host(head):
    return is_absolute(head) and head.values(b"host") != [re.split(rb"[/?]", head.target)[2].decode().lower()]


ALLOWANCES = [
    Allowance(
        "h11", "refused", "no request line received",
        lambda head: head.bytes.startswith(b"\r\n"),
        "A server should ignore one empty line before a request (RFC 9112 §2.2).",
    ),
    Allowance(
        "h11", "stays", False,
        lambda head: head.ours["http10"] and "keep-alive" in connection(head),
        "h11 ends every connection of HTTP/1.0. What may follow is a request of its own either way.",
    ),
    Allowance(
        "node", "refused", "400",
        lambda head: head.ours["method"] not in METHODS,
        "llhttp has a list of methods. Any token is one (RFC 9110 §9.1), and we answer 405.",
    ),
    Allowance(
        "node", "stays", False,
        lambda head: head.ours["method"] == "CONNECT" or asks_for_upgrade(head),
        "Behind these node reads no more HTTP. We answer such upgrades like any request (RFC 9110 §7.8).",
    ),
    Allowance(
        "node", "stays", None,
        lambda head: head.values(b"proxy-connection"),
        "llhttp takes Proxy-Connection, which no RFC has, for Connection.",
    ),
    Allowance(
        "node", "stays", True,
        lambda head: head.ours["http10"] and {"close", "keep-alive"} <= {*connection(head)},
        "Of both in HTTP/1.0, llhttp believes keep-alive. We end the connection, which nobody mistakes.",
    ),
    Allowance(
        "node", "stays", None,
        lambda head: re.search(rb"(?im)^connection:.*(close|keep-alive) *\t", head.bytes),
        "llhttp does not know an item of Connection by its name when a tab follows. We read it as everybody else does.",
    ),
    Allowance(
        "nginx", "refused", None,
        lambda head: head.ours["method"] in ("TRACE", "CONNECT"),
        "nginx serves neither: 405, or 400 for CONNECT's target. We answer 405, and the connection ends.",
    ),
    Allowance(
        "nginx", "refused", "400",
        lambda head: head.target == b"*",
        "nginx does not know this form of a target (RFC 9112 §3.2.4). It says nothing about where a request ends.",
    ),
    Allowance(
        "nginx", "refused", "400",
        lambda head: re.search("[^A-Z_-]", head.ours["method"]),
        "nginx's methods are in capitals. Any token is one (RFC 9110 §9.1), and we answer 405.",
    ),
    Allowance(
        "nginx", "refused", "400",
        lambda head: is_absolute(head) and "_" in head.ours["host"],
        "In a target's authority nginx takes no underscore; in Host it does.",
    ),
    Allowance(
        "nginx", "stays", None,
        lambda head: any(letters in line for line in head.values(b"connection") for letters in ("close", "keep-alive")),
        "nginx looks for these letters anywhere in the last of the lines (`disclose`), we for an item of them all.",
    ),
    Allowance(
        "nginx", "refused", "400",
        lambda head: len(head.values(b"if-modified-since")) > 1,
        "nginx wants one of each header that it reads. We do not read this one.",
    ),
    Allowance(
        "nginx", "websocket", False,
        lambda head: len(head.values(b"connection")) > 1 or len(head.values(b"upgrade")) > 1,
        "$http_connection and $http_upgrade are the first of several lines, and nginx forwards none by itself.",
    ),
    Allowance(
        "haproxy", "refused", "400",
        names_another_host,
        "A target's authority counts, whatever Host says (RFC 9112 §3.2.2). HAProxy wants both to be the same.",
    ),
    Allowance(
        "haproxy", "stays", True,
        lambda head: any('"' in line for line in head.values(b"connection")) and "close" in connection(head),
        "For HAProxy a comma in quotes ends no item of Connection, whose items are tokens. We end the connection.",
    ),
    Allowance(
        "haproxy", "refused", "413",
        lambda head: head.ours["http10"] and head.ours["method"] in ("GET", "HEAD", "DELETE") and head.body,
        "HAProxy takes no such body in HTTP/1.0. No route of ours does: the connection ends with the answer.",
    ),
    Allowance(
        "haproxy", "refused", "400",
        lambda head: head.ours["method"] == "PRI",
        "HTTP/2's preface begins so (RFC 9113 §11.6). Its version is refused; as HTTP/1.1 we answer 405.",
    ),
    Allowance(
        "haproxy", "refused", "400",
        lambda head: asks_for_upgrade(head) and head.values(b"sec-websocket-key") != ["dghlihnhbxbszsbub25jzq=="],
        "The key of a handshake is checked by the handshake, behind the parser.",
    ),
    Allowance(
        "haproxy", None, None,
        lambda head: head.ours["method"] == "CONNECT",
        "A tunnel has neither a body nor a next request, and HAProxy wants its Host. We answer 405, and it ends.",
    ),
]  # fmt: skip


def explanation(who, what, theirs, head):
    for allowance in ALLOWANCES:
        if allowance.who == who and allowance.what in (None, what) and allowance.theirs in (None, theirs):
            if allowance.applies(head):
                return allowance
    return None
