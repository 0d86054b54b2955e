/// An `INSERT` of one row, by its parts: an engine that is far away writes the rows of a table together.
public struct Insertion: Sendable {
    public let table: String
    public let columns: [String]
    /// How many columns, the first ones, are the key of rows that replace each other; 0 for rows that do not.
    public let keyCount: Int
    public let conflict: String

    init(into table: String, _ columns: String, replacing keyCount: Int = 0, conflict: String = "") {
        self.table = table
        self.columns = columns.split(separator: ",").map { String($0.drop { $0 == " " || $0 == "\n" }) }
        self.keyCount = keyCount
        self.conflict = conflict
    }

    public var sql: String { "\(beginning) (\(marks(columns.count))) \(conflict)" }

    /// Everything before the rows.
    public var beginning: String { "INSERT INTO \(table) (\(columns.joined(separator: ", "))) VALUES" }
}
