import Ledger

/// The table `solid_cable_messages`, to which Solid Cable appends each broadcast, and from which it deletes what is older
/// than its retention (https://github.com/rails/solid_cable/blob/main/app/models/solid_cable/message.rb).
protocol SolidCableTable: AnyObject {
    /// Asks for the newest rows, without what they say, or for those of a question. In any order.
    func page(_ question: SolidCableQuestion?) throws(BroadcastProblem) -> SolidCablePage
}

extension SolidCableTable {
    /// In the order of the rows' ids.
    func answer(_ question: SolidCableQuestion?) throws(BroadcastProblem) -> SolidCablePage {
        var page = try page(question)
        page.late.sort { $0.id < $1.id }
        page.rows.sort { $0.id < $1.id }
        return page
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

extension SolidCablePage {
    /// Takes a line of an answer; `question` is nil if that was for the newest rows.
    mutating func add(_ line: Row, to question: SolidCableQuestion?) {
        if !line.isNull(0) { newest = line.integer(0) }
        if !line.isNull(1) { anchor = line.text(1) }
        if !line.isNull(6) { snapshot = SolidCableSnapshot(oldestRunning: line.integer(6), next: line.integer(7)) }
        guard !line.isNull(2) else { return }
        let payload = line.isNull(4) ? nil : line.bytes(4)
        let row = SolidCableRow(id: line.integer(2), channel: line.bytes(3), payload: payload, created: line.text(5))
        if let question, row.id <= question.after { late.append(row) } else { rows.append(row) }
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
    /// Nil if a row never becomes visible after one with a higher id.
    var snapshot: SolidCableSnapshot?
    /// Whether the table is in another file than before.
    var isReplaced = false
}
