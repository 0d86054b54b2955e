internal import Crypto
internal import HTTP2
internal import Redis
internal import SQLiteLedger
internal import Sockets

/// The C libraries that this process really runs with, for bug reports.
public let libraryVersions: [(name: String, version: String)] = [
    ("libwebsockets", libwebsocketsVersion), ("SQLite", sqliteVersion), ("OpenSSL", opensslVersion),
    ("hiredis", hiredisVersion), ("nghttp2", nghttp2Version),
]
