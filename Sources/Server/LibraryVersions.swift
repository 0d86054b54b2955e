import Crypto
import HTTP
import Ledger
import PostgresLedger
import Rails

/// The version of this release. The nodes of a shared ledger show theirs to each other.
public let releaseVersion = "0.1.0"

/// The C libraries that this process has loaded, for bug reports.
public let libraryVersions: [(name: String, version: String)] = [
    ("SQLite", sqliteVersion), ("libpq", libpqVersion), ("OpenSSL", opensslVersion), ("hiredis", hiredisVersion),
    ("nghttp2", nghttp2Version), ("Zstandard", zstandardVersion),
]
