import TestSupport

/// The table as Rails makes it of Solid Cable's `db/cable_schema.rb`, and its rows.
enum CableSQL {
    static let sqlite = """
        CREATE TABLE "solid_cable_messages" ("id" integer PRIMARY KEY AUTOINCREMENT NOT NULL, "channel" blob(1024) NOT NULL,
        "payload" blob(536870912) NOT NULL, "created_at" datetime(6) NOT NULL, "channel_hash" integer(8) NOT NULL);
        """
    /// Of version 2.
    static let oldSQLite = """
        CREATE TABLE "solid_cable_messages" ("id" integer PRIMARY KEY AUTOINCREMENT NOT NULL, "channel" text,
        "payload" text, "created_at" datetime(6) NOT NULL, "updated_at" datetime(6) NOT NULL);
        """
    static let postgres = """
        CREATE TABLE solid_cable_messages (id bigserial PRIMARY KEY, channel bytea NOT NULL, payload bytea NOT NULL,
        created_at timestamp(6) without time zone NOT NULL, channel_hash bigint NOT NULL);
        """

    private static func quoted(_ text: String) -> String {
        "'" + text.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "''") + "'"
    }

    static func sqliteRow(_ channel: String, _ payload: String, at created: String = "2026-01-01 00:00:00") -> String {
        sqliteRow(channel, bytes: "CAST(\(quoted(payload)) AS BLOB)", at: created)
    }

    /// `bytes` is SQL.
    static func sqliteRow(_ channel: String, bytes: String, at created: String = "2026-01-01 00:00:00") -> String {
        "INSERT INTO solid_cable_messages (channel, payload, created_at, channel_hash)"
            + " VALUES (CAST(\(quoted(channel)) AS BLOB), \(bytes), '\(created)', 1);\n"
    }

    static func postgresRow(_ channel: String, _ payload: String) -> String {
        "INSERT INTO solid_cable_messages (channel, payload, created_at, channel_hash)"
            + " VALUES (convert_to(\(quoted(channel)), 'UTF8'), convert_to(\(quoted(payload)), 'UTF8'), now(), 1);\n"
    }

    static func update(_ text: String) -> String { railsJSON(TestSupport.update(text)) }
}
