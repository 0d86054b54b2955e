import Ledger
import PostgresLedger

/// The table `solid_cable_messages`, to which Solid Cable appends each broadcast, and from which it deletes what is older
/// than its retention (https://github.com/rails/solid_cable/blob/main/app/models/solid_cable/message.rb).
protocol SolidCableTable: AnyObject {
    /// Whether the last answer came from another file than the one before.
    var isReplaced: Bool { get }
    /// Asks for the newest rows, without what they say, or for those of a question.
    func lines(_ question: SolidCableQuestion?) throws(RailsCableProblem) -> [SolidCableLine]
}

extension SolidCableTable {
    func head() throws(RailsCableProblem) -> SolidCableHead {
        let lines = try lines(nil)
        return SolidCableHead(
            ids: lines.reversed().compactMap(\.row?.id),
            created: lines.first?.row?.created,
            snapshot: lines.first?.snapshot
        )
    }

    func rows(_ question: SolidCableQuestion) throws(RailsCableProblem) -> SolidCablePage {
        let lines = try lines(question)
        let state = lines.first { $0.row == nil }
        let rows = lines.compactMap(\.row).sorted { $0.id < $1.id }
        return SolidCablePage(
            late: rows.filter { $0.id <= question.after },
            rows: rows.filter { $0.id > question.after },
            newest: state?.newest,
            anchor: state?.anchor,
            snapshot: state?.snapshot,
            isReplaced: isReplaced
        )
    }
}

/// What both engines are asked. One statement sees one moment.
struct SolidCableSQL {
    private static let table = "solid_cable_messages"
    static let created = "CAST(created_at AS TEXT)"

    /// The columns of `SolidCableRow`, with their names.
    private let columns: String
    /// Two further columns, of `SolidCableSnapshot`.
    private let snapshot: String

    /// `channel` and `payload` are expressions for their bytes.
    init(channel: String, payload: String, snapshot: String = "NULL, NULL") {
        columns = "id, \(channel) AS channel, \(payload) AS payload, \(SolidCableSQL.created) AS created"
        self.snapshot = snapshot
    }

    /// The parameter is how many rows.
    var head: String {
        """
        SELECT NULL, NULL, id, NULL, NULL, \(SolidCableSQL.created), \(snapshot)
        FROM \(SolidCableSQL.table) ORDER BY id DESC LIMIT ?
        """
    }

    /// The parameters are `after` and `limit`. One line has no row, but what else an answer has.
    var rows: String {
        """
        SELECT (SELECT max(id) FROM \(SolidCableSQL.table)),
            (SELECT \(SolidCableSQL.created) FROM \(SolidCableSQL.table) WHERE id = ?1), NULL, NULL, NULL, NULL, \(snapshot)
        UNION ALL SELECT NULL, NULL, newer.*, NULL, NULL FROM (
            SELECT \(columns) FROM \(SolidCableSQL.table) WHERE id > ?1 ORDER BY id LIMIT ?2
        ) AS newer
        """
    }

    /// The further parameters are arrays of the first and the last of each range of missing ids.
    var rowsAndLate: String {
        """
        \(rows) UNION ALL SELECT NULL, NULL, late.*, NULL, NULL FROM (
            SELECT \(columns) FROM unnest(CAST(?3 AS BIGINT[]), CAST(?4 AS BIGINT[])) AS missing (low, high)
            JOIN \(SolidCableSQL.table) ON id BETWEEN low AND high ORDER BY id LIMIT ?2
        ) AS late
        """
    }
}

/// A row of either engine's answer.
protocol SolidCableColumns {
    func isNull(_ column: Int32) -> Bool
    func integer(_ column: Int32) -> Int64
    func text(_ column: Int32) -> String
    func bytes(_ column: Int32) -> [UInt8]
}

extension Row: SolidCableColumns {}
extension PostgresRow: SolidCableColumns {}

/// A line of an answer.
struct SolidCableLine {
    let newest: Int64?
    let anchor: String?
    let row: SolidCableRow?
    let snapshot: SolidCableSnapshot?

    init(_ columns: some SolidCableColumns) {
        newest = columns.isNull(0) ? nil : columns.integer(0)
        anchor = columns.isNull(1) ? nil : columns.text(1)
        row =
            columns.isNull(2)
            ? nil
            : SolidCableRow(
                id: columns.integer(2),
                channel: columns.isNull(3) ? [] : columns.bytes(3),
                payload: columns.isNull(4) ? nil : columns.bytes(4),
                created: columns.text(5)
            )
        snapshot =
            columns.isNull(6)
            ? nil : SolidCableSnapshot(oldestRunning: columns.integer(6), next: columns.integer(7))
    }
}

/// The questions that all tables answer.
enum SolidCableLimits {
    /// The longest payload that is fetched, in bytes; `RailsBroadcast` refuses longer ones.
    static let payload = 256 << 10
    /// The longest channel that is fetched, in bytes: no stream has a longer name, whatever the prefix.
    static let channel = 1024
    /// Rows of one answer, 25 MiB at most. Fewer after an answer that did not come.
    static let rows = 100
    /// How far below the newest id a row is looked for that becomes visible after it.
    static let lookBack: Int64 = 1000
}

/// Which transactions have ended, when rows become visible in another order than their ids
/// (https://www.postgresql.org/docs/15/functions-info.html#FUNCTIONS-PG-SNAPSHOT).
struct SolidCableSnapshot: Equatable {
    /// All transactions below it have ended.
    var oldestRunning: Int64
    /// No transaction from here on had begun.
    var next: Int64
}

struct SolidCableHead: Equatable {
    /// Ascending. Without a snapshot, the newest alone.
    var ids: [Int64]
    /// `created_at` of the newest row.
    var created: String?
    /// Nil if a row never becomes visible after one with a higher id.
    var snapshot: SolidCableSnapshot?
}

struct SolidCableQuestion: Equatable {
    /// Rows above this id.
    var after: Int64
    /// Rows that were missing below it.
    var missing: [ClosedRange<Int64>]
    /// How many of each, at most.
    var limit = SolidCableLimits.rows
}

struct SolidCableRow: Equatable {
    var id: Int64
    /// Empty when it is too long.
    var channel: [UInt8]
    /// Nil when it is too long.
    var payload: [UInt8]?
    var created: String
}

/// An answer, of one moment.
struct SolidCablePage: Equatable {
    /// In the order of their ids: first those that were missing.
    var late: [SolidCableRow] = []
    var rows: [SolidCableRow] = []
    /// The table's highest id; nil when it is empty.
    var newest: Int64?
    /// `created_at` of the row `after`; nil when it is not there.
    var anchor: String?
    var snapshot: SolidCableSnapshot?
    /// Whether the table is in another file than before.
    var isReplaced = false
}
