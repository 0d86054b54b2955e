internal import CSQLite

/// The version of SQLite that is loaded.
public let sqliteVersion = String(cString: sqlite3_libversion())
