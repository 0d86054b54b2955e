internal import Crypto
internal import Gateway
internal import HTTP2
internal import Redis
internal import SQLiteLedger

/// The C libraries that this process really runs with, for bug reports.
public let libraryVersions: [(name: String, version: String)] = [
    ("libwebsockets", libwebsocketsVersion), ("SQLite", sqliteVersion), ("OpenSSL", opensslVersion),
    ("hiredis", hiredisVersion), ("nghttp2", nghttp2Version),
]
