"""Names of headers that a parser with one table of all known names can lose itself in: each begins as a known one does.

libwebsockets 4.1.6, which once read our heads, took the colon behind such a name, and the next line, for a part of it.
"""

# All that it knows (lib/roles/http/lextable-strings.h), and the methods that share the table.
KNOWN = """
    accept accept-charset accept-encoding accept-language accept-ranges access-control-allow-origin
    access-control-request-headers age allow authorization cache-control connection content-disposition content-encoding
    content-language content-length content-location content-range content-type cookie date etag expect expires from host
    http2-settings if-match if-modified-since if-none-match if-range if-unmodified-since last-modified link location
    max-forwards origin pragma proxy-authenticate proxy-authorization range referer refresh replay-nonce retry-after
    sec-websocket-accept sec-websocket-draft sec-websocket-extensions sec-websocket-key sec-websocket-key1
    sec-websocket-key2 sec-websocket-nonce sec-websocket-origin sec-websocket-protocol sec-websocket-version server
    set-cookie strict-transport-security te transfer-encoding upgrade user-agent vary via www-authenticate x-auth-token
    x-forwarded-for x-real-ip
    get post options patch put delete uri-args proxy connect head http
""".split()

PREFIXES = sorted({name[:end] for name in KNOWN for end in range(1, len(name))})

# As people write them, and names that are nobody's prefix.
WRITTEN = """
    X-F If-No X-Forwarded X-Forwarded-Fo Sec-Web Sec-WebSocket Sec-WebSocket-Ke Content-Leng Transfer-Encodin
    Authorizatio X-Request-Id X-Custom Sec-Fetch-Mode Traceparent DNT Priority ALLO XX Hosts Originally Upgraded
    Content-Lengths Transfer-Encodings X-Forwarded-Fors Authorization-Too !#$%&'*+-.^_`|~ 0
""".split()

# Capitals change nothing for a reader that is right.
TITLED = sorted({name.title() for name in PREFIXES if len(name) <= 6} - {*PREFIXES, *WRITTEN})
NAMES = PREFIXES + WRITTEN + TITLED

# One of each kind, for what costs more than a millisecond.
FEW = ["X", "If", "Sec", "x-auth", "Allo", "Content"]
