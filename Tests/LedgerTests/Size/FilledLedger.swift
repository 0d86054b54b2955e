import Domain

@testable import Ledger

/// SQL that multiplies what one real event has left in a ledger: every row looks as the writer makes it, and any number
/// of them takes the engine seconds. The event's user is `u0`, its contract `c0`, its id `e0`.
///
/// Each tenth of the entries has a contract and a user of its own, and each thousandth entry is about `u0`.
struct FilledLedger {
    static let user: UserID = "u0"

    /// Rows of this many positions, and as many of everything else as they would have made.
    let entries: Int64
    /// How an engine counts: a table `n` with a column `i`.
    let numbers: (ClosedRange<Int64>) -> String

    init(entries: Int64, isShared: Bool) {
        self.entries = entries
        numbers = { range in
            isShared
                ? "generate_series(CAST(\(range.lowerBound) AS BIGINT), \(range.upperBound)) AS n (i)"
                : """
                (WITH RECURSIVE c (i) AS (SELECT \(range.lowerBound) UNION ALL SELECT i + 1 FROM c WHERE i < \
                \(range.upperBound)) SELECT i FROM c) AS n
                """
        }
    }

    private var contracts: Int64 { entries / 10 }
    private var owner: String { "CASE i % 1000 WHEN 0 THEN 0 ELSE i % \(contracts) END" }

    /// Everything but the entries, events and fragments, which come in `slices`.
    var others: [String] {
        [
            contractRows,
            copy(
                "claims",
                ["contract", "\"user\""] + FilledLedger.claims,
                ["contract": "i + 1", "\"user\"": "'u' || i"]
            ),
            """
            INSERT INTO orders SELECT \(token), 'u' || i, 'monthly', NULL, NULL, NULL, NULL, i, NULL FROM \(numbers(1...contracts))
            """,
            "INSERT INTO tokens SELECT i + 1, \(token), i, NULL FROM \(numbers(1...contracts))",
            """
            INSERT INTO charges (contract, id, product, purchased_at, quantity, price, currency, is_trial, priced_at, stated_at)
            SELECT i + 1, 't' || i, 'monthly', i, 1, 9990, 'USD', 0, i, i FROM \(numbers(1...contracts))
            """,
            "INSERT INTO locales SELECT 'u' || i, 'de', 'Europe/Berlin' FROM \(numbers(1...contracts))",
            "INSERT INTO shares SELECT 'u' || i, 1 + i % 1000, i FROM \(numbers(contracts / 2...contracts))",
            """
            INSERT INTO transfers SELECT 'u' || i, 'apple', 'Production', i, 'u' || (i + 1) FROM \(numbers(1...contracts))
            """,
            "INSERT INTO tombstones SELECT 'd' || i, i FROM \(numbers(1...contracts))",
            """
            INSERT INTO broadcast_keys SELECT i, 'k' || i, 'r', i, 1, \(TemporaryLedger.start.milliseconds) + i
            FROM \(numbers(1...contracts))
            """,
            """
            INSERT INTO audit (at, action, actor, "user")
            SELECT \(TemporaryLedger.start.milliseconds) + i, 'order', 'k' || (i % 3), 'u' || i FROM \(numbers(1...contracts))
            """,
            "INSERT INTO kept_bodies SELECT i * 2 FROM \(numbers(1...contracts))",
            """
            INSERT INTO jobs (kind, provider, environment, app, subject, detail, position, queued_at, attempts, due_at,
                abandoned_at, deadline)
            SELECT 'forward', 'apple', 'Production', 'a', 'https://' || (i % 3) || '.example.com', 'x' || i, i * 2, i, 0,
                CASE i % 4 WHEN 0 THEN NULL ELSE i END, CASE i % 4 WHEN 0 THEN i END, i
            FROM \(numbers(1...contracts))
            """,
            """
            INSERT INTO hook_deliveries (id, address, "user", type, contract, stated_at, state, position, version, accepted,
                queued_at, attempts, due_at, ended_at)
            SELECT i, 'https://' || (i % 3) || '.example.com', 'u' || i,
                CASE i % 5 WHEN 0 THEN 'purchase.delivered' ELSE 'entitlements.changed' END,
                CASE i % 5 WHEN 0 THEN i ELSE 0 END, CASE i % 5 WHEN 0 THEN i ELSE 0 END,
                CASE i % 4 WHEN 0 THEN 'waiting' WHEN 1 THEN 'failed' ELSE 'delivered' END, i * 2, 1, 0, i, 0,
                CASE i % 4 WHEN 0 THEN i END, CASE i % 4 WHEN 0 THEN NULL ELSE i END
            FROM \(numbers(1...contracts))
            """,
            "INSERT INTO hook_addresses (address, failures) SELECT 'https://' || i, 0 FROM \(numbers(1...contracts))",
        ]
    }

    /// A million entries at a time.
    var slices: [[String]] {
        stride(from: Int64(2), through: entries, by: 1_000_000).map { first in
            let range = first...min(entries, first + 999_999)
            return [entryRows(range), eventRows(range), fragmentRows(range)]
        }
    }

    private var token: String { "'00000000-0000-4000-8000-' || substr(CAST(1000000000000 + i AS TEXT), 2)" }

    private func entryRows(_ range: ClosedRange<Int64>) -> String {
        let columns = ["position"] + names(EntryRow.columns)
        return copy(
            "entries",
            columns,
            [
                "position": "i", "committed_at": "committed_at + i * 100", "event": "'e' || i",
                "\"user\"": "CASE i % 20 WHEN 7 THEN NULL ELSE 'u' || \(owner) END", "contract": "'c' || \(owner)",
                "order_token": "CASE i % 20 WHEN 7 THEN \(token) END",
            ],
            range: range,
            where: "position = 1"
        )
    }

    private func eventRows(_ range: ClosedRange<Int64>) -> String {
        let columns = [
            "position", "provider", "environment", "event", "app", "signed_at", "received_at", "body", "contract",
        ]
        let values = ["position": "i", "event": "'e' || i", "contract": "1 + \(owner)"]
        return copy("events", columns, values, range: range, where: "position = 1")
    }

    private func fragmentRows(_ range: ClosedRange<Int64>) -> String {
        let stream = "replace(stream, 'u0', 'u' || \(owner))"
        return copy(
            "fragments",
            names(FragmentRow.columns),
            ["position": "i", "stream": stream],
            range: range,
            where: "position = 1"
        )
    }

    private var contractRows: String {
        copy(
            "contracts",
            ["id"] + names(ContractRow.columns),
            [
                "id": "i + 1", "lineage": "'c' || i", "\"user\"": "'u' || i", "ends_at": "ends_at + i",
                "account": "'a' || i", "previous_lineage": "'p' || i",
                "order_number": "'g' || i",
            ],
            where: "id = 1"
        )
    }

    private static let claims = ["first_at", "first_was_active", "at", "was_active", "proof_at", "refused_at"]

    private func names(_ list: String) -> [String] {
        list.split(separator: ", ").map { $0 == "user" ? "\"user\"" : String($0) }
    }

    private func copy(
        _ table: String,
        _ columns: [String],
        _ values: [String: String],
        range: ClosedRange<Int64>? = nil,
        where condition: String = "contract = 1"
    ) -> String {
        let selection = columns.map { values[$0] ?? $0 }.joined(separator: ", ")
        return """
            INSERT INTO \(table) (\(columns.joined(separator: ", ")))
            SELECT \(selection) FROM \(table), \(numbers(range ?? 1...contracts)) WHERE \(condition)
            """
    }
}
