/// The table `solid_cable_messages`, to which Solid Cable appends each broadcast, and from which it deletes what is older
/// than its retention (https://github.com/rails/solid_cable/blob/main/app/models/solid_cable/message.rb).
protocol SolidCableTable: AnyObject {
    /// The newest rows, without what they say.
    func head() throws(RailsCableProblem) -> SolidCableHead
    func rows(_ question: SolidCableQuestion) throws(RailsCableProblem) -> SolidCablePage
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
    static let lookBack = 1000
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
