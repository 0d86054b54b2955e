internal import Domain
internal import Ledger

/// A ledger in PostgreSQL.
final class PostgresSide: CopySide {
    static let schema = "paycast"

    let name: String
    let takesZeroBytes = false
    let postgres: PostgresConnection
    private let url: PostgresURL

    /// Reads only.
    static func source(_ url: PostgresURL) throws(CopyError) -> PostgresSide {
        let side = PostgresSide(url)
        guard try side.known() != .none else { throw .missing(side.name) }
        guard try !side.isUnfinishedCopy() else { throw .unfinishedSource(side.name) }
        return side
    }

    /// Opens the target without a change, because it may turn out to be the source.
    static func target(_ url: PostgresURL) throws(CopyError) -> PostgresSide {
        let side = PostgresSide(url)
        _ = try side.known()
        return side
    }

    private init(_ url: PostgresURL) {
        self.url = url
        name = "\(url)"
        var options = PostgresOptions(applicationName: "paycast copy")
        options.settings = [("search_path", PostgresSide.schema)]
        options.preferences = [PostgresSchema.compression]
        // No limit, because one side waits while the other one works.
        options.idleInTransaction = .zero
        options.statement = .seconds(600)
        options.answer = .seconds(660)
        postgres = PostgresConnection(url, options: options)
    }

    func createTables() throws(CopyError) {
        try at(name) { () throws(EngineError) in
            try PostgresSchema.migrate(postgres, schema: PostgresSide.schema, forCopy: true)
        }
    }

    private func known() throws(CopyError) -> StoredSchema {
        let found = try reading { () throws(EngineError) in
            try engine { () throws(PostgresError) in try StoredSchema.read(postgres, schema: PostgresSide.schema) }
        }
        if let refusal = found.refusal { throw .refused(name, refusal) }
        return found
    }

    func isUnfinishedCopy() throws(CopyError) -> Bool {
        try reading { () throws(EngineError) in
            try PostgresSchema.isUnfinishedCopy(postgres, schema: PostgresSide.schema)
        }
    }

    /// Runs questions in their own transaction, because the settings hold only there when a pooler is in front.
    func reading<Result>(_ body: () throws(EngineError) -> Result) throws(CopyError) -> Result {
        guard !postgres.isInTransaction else { return try at(name, body) }
        defer { rollback() }
        return try at(name) { () throws(EngineError) in
            try beginReading()
            return try body()
        }
    }

    func rows(_ sql: String, _ values: [Value], as kinds: [LedgerTable.Kind]) throws(EngineError) -> [[Value]] {
        try engine { () throws(PostgresError) in
            try postgres.prepare(sql).all(values.map(\.postgres)) { row in
                var cells: [Value] = []
                cells.reserveCapacity(kinds.count)
                for (column, kind) in zip(Int32(0)..., kinds) { cells.append(PostgresSide.cell(row, column, kind)) }
                return cells
            }
        }
    }

    private static func cell(_ row: PostgresRow, _ column: Int32, _ kind: LedgerTable.Kind) -> Value {
        guard !row.isNull(column) else { return .null }
        switch kind {
        case .integer: return .integer(row.integer(column))
        case .text: return .text(row.text(column))
        case .bytes: return .bytes(row.bytes(column))
        }
    }

    func run(_ sql: String, _ values: [Value]) throws(EngineError) {
        try engine { () throws(PostgresError) in try postgres.prepare(sql).run(values.map(\.postgres)) }
    }

    func beginReading() throws(EngineError) {
        try engine { () throws(PostgresError) in try postgres.begin("ISOLATION LEVEL REPEATABLE READ READ ONLY") }
    }

    func begin() throws(EngineError) {
        try engine { () throws(PostgresError) in try postgres.begin() }
    }

    func commit() throws(EngineError) {
        try engine { () throws(PostgresError) in try postgres.commit() }
    }

    func rollback() { postgres.rollback() }

    func flushJournal() {}

    func serverConnection() throws(CopyError) -> any LedgerConnection {
        PostgresEngine.connection(forCopy: url, schema: PostgresSide.schema, epoch: try head().epoch)
    }
}
