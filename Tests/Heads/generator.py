"""Generates valid heads from a grammar, and mutates them as smugglers, broken clients and parsers' bugs do."""

import random

KNOWN = [
    "Authorization", "Origin", "Connection", "Upgrade", "Expect", "Forwarded", "Via", "Range", "If-None-Match",
    "If-Range", "Last-Event-ID", "X-Real-IP", "X-Forwarded-For", "X-Forwarded-Proto", "X-Forwarded-Host",
    "Stripe-Signature", "X-PurchaseKit-Signature", "Sec-WebSocket-Protocol", "X-AnyCable-Restore-SID",
]  # fmt: skip
OTHERS = [
    "Accept", "Accept-Encoding", "Cache-Control", "Content-Type", "Cookie", "Date", "If-Modified-Since",
    "Keep-Alive", "Pragma", "Priority", "Proxy-Connection", "Referer", "TE", "Trailer", "User-Agent",
    "X-Request-Id", "DNT", "Content_Length", "Transfer_Encoding", "X_Forwarded_For", "Content-Lengt",
    "Content-Lengthy", "Hos", "Hosts", "Transfer-Encodin", "Authorization-", "!#$%&'*+-.^_`|~", "0", "_",
]  # fmt: skip
LISTS = ["Connection", "Forwarded", "Via", "X-Forwarded-For", "X-Forwarded-Proto", "Upgrade"]
METHODS = ["GET"] * 12 + ["POST"] * 6 + ["HEAD", "PUT", "DELETE", "OPTIONS", "PATCH", "TRACE", "CONNECT", "PROPFIND"]
SEGMENTS = [
    b"", b"up", b"streams", b"a%20b", b"%c3%A9", b"a+b", b".", b"...", b"..a", b"a..", b"a;b", b"~_-", b"%2F",
    b"%5c", b"@:", b"%3F", b"%23", b"a,b", b"%25", b"!$&'()*", b"a=b", b"%0a", b"%7f",
]  # fmt: skip
ODD_SEGMENTS = [
    b"..", b"%2e%2e", b".%2E", b"%", b"%0", b"%zz", b"%00", b"%ff", b"#", b"\\", b"\xe9", b"a b", b"\t", b'"',
    b"<", b"^`{|}",
]  # fmt: skip
ARGUMENTS = [
    b"name=a", b"name=%C3%A9", b"a=b+c", b"a=%2B", b"a", b"a=1&a=2", b"%61=x", b"%c3%a9=y", b"=z", b"&&", b"a=b=c",
    b"name=/?",
]  # fmt: skip
ODD_ARGUMENTS = [b"a=%", b"a=%ff", b"a=%00", b"%g0=", b"a#b", b"\xc3\xa9=1"]
HOSTS = [
    b"pay.example", b"a", b"a:80", b"a:", b"127.0.0.1:8080", b"[::1]", b"[2001:db8::7]:443", b"A.Example.",
    b"my_web-1", b"xn--e1a",
]  # fmt: skip
ODD_HOSTS = [
    b"", b".", b".a", b"a..b", b"a.", b"a..", b"a,b", b"a b", b"a/b", b"user@a", b"a:b", b"a:99999", b"a:123456",
    b":80", b"[", b"[::1", b"[]", b"[:]", b"[.]", b"[a]", b"[::1]x", b"::1", b"%61", b"\xe9", b"a\\b", b"a?b",
    b"a#b", b"a\tb", b"-", b"_", b"a;b", b"[v1.a]", b"1", b"0x7f.1", b"a:0", b"a:00080", b"[fe80::1%25eth0]",
    b"a" * 255, b"a" * 256, b"*", b"a|b", b"a!b", b"a~b",
]  # fmt: skip
VALUES = [
    b"a", b"", b"Bearer s3Krit", b"https://shop.example", b"203.0.113.7, 10.0.0.5", b"1.1 proxy", b"bytes=0-99",
    b'"tag", W/"other"', b"t=1,v1=ab", b"close", b"keep-alive", b"upgrade", b"websocket", b"100-continue", b"a: b",
    b"GET /evil HTTP/1.1", b"Content-Length: 40", b",", b",a,,b,", b"\xc3\xa9\xff\x80", b"a\tb", b"x" * 300, b"=",
    b":", b"()<>@,;:\\\"/[]?={}",
]  # fmt: skip
CONNECTIONS = [
    b"close", b"Close", b"keep-alive", b"Keep-Alive", b"close, keep-alive", b"keep-alive, close", b"upgrade",
    b"keep-alive, Upgrade", b"x, close", b",close", b"close,", b", ,close ,", b"TE, close", b"x\t,\tclose",
    b"closed", b"disclose", b"clos", b"\"close\"", b"close;q=1", b"x", b"", b"te",
]  # fmt: skip
LENGTHS = [b"0", b"5", b"40", b"007", b"0000000005"]
ODD_LENGTHS = [
    b"", b"+5", b"-1", b"0x5", b"5 5", b"5,5", b"5, 5", b"5.0", b"5e0", b"5;", b"5\x0b", b"\xb5",
    b"999999999999999999", b"1" + b"0" * 17, b"9223372036854775808", b"18446744073709551616",
    b"18446744073709551621", b"9" * 40, b"0" * 30 + b"5", b"5\t", b"\t5",
]  # fmt: skip
CODINGS = [
    b"chunked", b"Chunked", b"identity", b"gzip, chunked", b"chunked, identity", b"xchunked", b"", b"\x0bchunked",
    b"chunked;a=b",
]  # fmt: skip
BYTES = b"\x00\t\n\r \x0b\x0c\x1b\x7f\x80\x85\xa0\xad\xff:;,/\"(%#?"


class Generator:
    def __init__(self, seed):
        self.random = random.Random(seed)

    def likely(self, chance):
        return self.random.random() < chance

    def one(self, usual, odd, chance=0.02):
        return self.random.choice(odd if self.likely(chance) else usual)

    def cased(self, name):
        return self.random.choice([name, name, name.lower(), name.upper(), name.swapcase()])

    def path(self):
        parts = [self.one(SEGMENTS, ODD_SEGMENTS) for _ in range(self.random.choice([0, 1, 1, 1, 2, 3]))]
        path = b"/" + b"/".join(parts)
        if self.likely(0.4):
            path += b"?" + b"&".join(self.one(ARGUMENTS, ODD_ARGUMENTS) for _ in range(self.random.choice([1, 1, 2])))
        if self.likely(0.01):
            path += b"a" * self.random.choice([100, 2000, 8100, 9000])
        return path

    def target(self, method, host):
        kind = self.random.random()
        if method == "CONNECT" and kind < 0.9:
            return host if b":" in host and kind < 0.8 else host + b":443"
        if method == "OPTIONS" and kind < 0.3:
            return b"*"
        if kind < 0.90:
            return self.path()
        if kind < 0.97:
            authority = host if self.likely(0.7) else self.one(HOSTS, ODD_HOSTS, 0.3)
            odd = [b"ftp://", b"http:/", b"//", b"ws://", b"http:\\\\"]
            scheme = self.one([b"http://", b"https://", b"HTTP://"], odd)
            return scheme + authority + self.random.choice([b"", self.path(), self.path(), b"?a=1"])
        return self.random.choice([b"*", host, b"", b"up", b"?a", b"http:", b"/ /", b"http://", b"http:///a"])

    def version(self):
        if self.likely(0.96):
            return b"HTTP/1.0" if self.likely(0.12) else b"HTTP/1.1"
        return self.random.choice(
            [b"HTTP/0.9", b"HTTP/1.2", b"HTTP/1.9", b"HTTP/2.0", b"HTTP/9.9", b"HTTP/1.10", b"HTTP/1", b"HTTP/01.1",
             b"http/1.1", b"HTTP/1.1 ", b"", b"HTTPS/1.1", b"HTTP/1,1", b"HTTP /1.1"]
        )  # fmt: skip

    def name(self):
        kind = self.random.random()
        if kind < 0.45:
            return self.random.choice(KNOWN)
        if kind < 0.65:
            return self.random.choice(OTHERS)
        # What begins like a known name and ends before it.
        whole = self.random.choice(KNOWN + OTHERS + ["Host", "Content-Length", "Transfer-Encoding"])
        return whole[: self.random.randint(1, len(whole))]

    def space(self):
        return self.random.choice([b" "] * 30 + [b""] * 4 + [b"  ", b"\t", b" \t "])

    def value(self, name):
        known = name.lower()
        if known == "connection":
            return self.random.choice(CONNECTIONS)
        if known == "content-length":
            return self.one(LENGTHS, ODD_LENGTHS, 0.3)
        if known == "transfer-encoding":
            return self.random.choice(CODINGS)
        if known == "expect":
            return b"100-continue" if self.likely(0.9) else b"tea"
        return self.random.choice(VALUES)

    def line(self, name, value):
        end = b"" if self.likely(0.95) else self.random.choice([b" ", b" ", b"\t", b" \t"])
        return self.cased(name).encode("latin-1") + b":" + self.space() + value + end

    def websocket(self):
        return [
            ("Connection", self.random.choice([b"Upgrade", b"keep-alive, Upgrade", b"upgrade"])),
            ("Upgrade", self.random.choice([b"websocket", b"WebSocket", b"h2c, websocket"])),
            ("Sec-WebSocket-Version", b"13"),
            ("Sec-WebSocket-Key", b"dGhlIHNhbXBsZSBub25jZQ=="),
        ]

    def head(self):
        method = self.random.choice(METHODS)
        if self.likely(0.01):
            odd = ["get", "M" * 32, "M" * 33, "!#$%&'*+-.^_`|~", "G:", "PRI", "Q", "A_B", "M-SEARCH"]
            method = self.random.choice(odd)
        host = self.one(HOSTS, ODD_HOSTS, 0.04)
        target, version = self.target(method, host), self.version()
        if method == "CONNECT" and self.likely(0.9):
            host = target
        fields = []
        seen = set()
        for _ in range(self.random.choice([0, 1, 2, 3, 4, 6, 8])):
            name = self.name()
            if name in LISTS or name.lower() not in seen or self.likely(0.02):
                fields.append((name, self.value(name)))
            seen.add(name.lower())
        if self.likely(0.08):
            names = {"connection", "upgrade", "sec-websocket-version", "sec-websocket-key"}
            fields = [field for field in fields if field[0].lower() not in names] + self.websocket()
        if method in ("POST", "PUT", "PATCH") or self.likely(0.1):
            if "content-length" not in seen:
                fields.append(("Content-Length", self.value("Content-Length")))
        if self.likely(0.03):
            fields.append(("Transfer-Encoding", self.value("Transfer-Encoding")))
        if version != b"HTTP/1.0" or self.likely(0.7):
            fields.append(("Host", host))
        if self.likely(0.01):
            fields.append(("Host", self.random.choice([host, b"evil.example"])))
        if self.likely(0.01):
            count = self.random.choice([60, 90, 100, 101, 120]) - len(fields)
            fields += [(f"X-{index}", b"a") for index in range(count)]
        if self.likely(0.005):
            fields.append(("X-Long", b"a" * self.random.choice([8000, 15000, 16200, 17000])))
        self.random.shuffle(fields)
        lines = [method.encode() + b" " + target + b" " + version] + [self.line(*field) for field in fields]
        if self.likely(0.35):
            lines = self.bend(lines)
        head = b"\r\n".join(lines) + b"\r\n\r\n"
        if self.likely(0.02):
            head = b"\r\n" + head
        return self.damage(head) if self.likely(0.25) else head

    def bend(self, lines):
        """Whole lines: folds, colons, repetitions."""
        index = self.random.randrange(len(lines))
        line = lines[index]
        name, colon, value = line.partition(b":")
        bent = self.random.choice(
            [
                [line, line], [line, b" folded"], [line, b"\tContent-Length: 5"], [line, b" "], [b" " + line],
                [line, b""], [name + b" " + colon + value], [name + b"\t" + colon + value],
                [name + b"\x00" + colon + value], [name], [colon + value], [line.replace(b"-", b"_")],
                [name + b":" + colon + value], [line + b"\r"], [b"\xef\xbb\xbf" + line],
                [line.replace(b" ", b"\t")], [line.replace(b" ", b"  ")], [line, b":"], [line, b"no colon"],
                [name[: self.random.randint(0, len(name))] + b": x", line], [name + b"\xad" + colon + value],
                [line, b"Content-Length: 5"], [line, b"Content-Length : 5"], [line, b"Transfer-Encoding: chunked"],
                [line, b"Connection: close"], [line, b"Connection: keep-alive"],
                [line[: len(line) // 2], line[len(line) // 2 :]],
            ]
        )  # fmt: skip
        return lines[:index] + bent + lines[index + 1 :]

    def damage(self, head):
        """Single bytes."""
        head = bytearray(head)
        for _ in range(self.random.choice([1, 1, 1, 2, 3])):
            index = self.random.randrange(len(head) + 1)
            kind = self.random.random()
            if kind < 0.4:
                head[index:index] = bytes([self.random.choice(BYTES)])
            elif kind < 0.55:
                del head[index : index + 1]
            elif kind < 0.7:
                head[index : index + 1] = bytes([self.random.choice(BYTES)])
            elif kind < 0.8:
                head[index : index + 1] = bytes([self.random.randrange(256)])
            else:
                ends = [at for at in range(len(head) - 1) if head[at : at + 2] == b"\r\n"]
                if ends:
                    at = self.random.choice(ends)
                    odd = [b"\n", b"\r", b"\n\r", b"\r\r\n", b"\n\n", b"\r\n ", b"\x00\r\n", b"\x0b"]
                    head[at : at + 2] = self.random.choice(odd)
        return bytes(head)
