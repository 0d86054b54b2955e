import Domain

/// The SQL of one connection, written where it is used, in the dialect that SQLite and PostgreSQL share.
///
/// A statement is prepared when its place in the source is first reached. From then on the place finds it, without making or
/// reading a text that may have thousands of bytes. So the text at a place is always the same.
final class LedgerSQL {
    struct Place: Hashable, CustomStringConvertible {
        let file: UnsafePointer<UInt8>
        let line: UInt

        init(_ file: StaticString, _ line: UInt) {
            self.file = file.utf8Start
            self.line = line
        }

        /// Its file and its line.
        var description: String { "\(String(cString: file).split(separator: "/").last ?? ""):\(line)" }
    }

    private let connection: any LedgerConnection
    private(set) var statements: [Place: Statement] = [:]

    init(_ connection: any LedgerConnection) {
        self.connection = connection
    }

    /// One that `waits` may be kept back until the transaction reads again or ends.
    func callAsFunction(
        _ text: @autoclosure () -> String,
        waits: Bool = false,
        file: StaticString = #fileID,
        line: UInt = #line
    ) throws(EngineError) -> Statement {
        try statement(at: Place(file, line), text) { () throws(EngineError) in
            try waits ? connection.prepare(waiting: text()) : connection.prepare(text())
        }
    }

    /// Inserts one row: see `Insertion`.
    func insert(
        into table: String,
        _ columns: @autoclosure () -> String,
        replacing keyCount: Int = 0,
        conflict: String? = nil,
        file: StaticString = #fileID,
        line: UInt = #line
    ) throws(EngineError) -> Statement {
        func insertion() -> Insertion { Insertion(into: table, columns(), replacing: keyCount, conflict: conflict) }
        return try statement(at: Place(file, line)) {
            insertion().sql()
        } prepare: { () throws(EngineError) in
            try connection.prepare(insertion())
        }
    }

    private func statement(
        at place: Place,
        _ text: () -> String,
        prepare: () throws(EngineError) -> Statement
    ) throws(EngineError) -> Statement {
        if let known = statements[place] {
            #if DEBUG
                precondition(known.prepared.sql == text(), "another text at the same place: \(text())")
            #endif
            return known
        }
        let statement = try prepare()
        statements[place] = statement
        return statement
    }

    var eventIDs: String { connection.eventIDs }
}

/// What both the writer and the reader ask.
extension LedgerSQL {
    private static let unlistedLimit = 50

    /// Contracts, by a condition.
    func contracts(
        where condition: @autoclosure () -> String,
        _ values: [Value],
        file: StaticString = #fileID,
        line: UInt = #line
    ) throws(EngineError) -> [ContractRow] {
        try callAsFunction(
            "SELECT \(ContractRow.selection) FROM contracts WHERE \(condition())",
            file: file,
            line: line
        ).all(values, read: ContractRow.read)
    }

    /// Entries without their fragments, by a condition.
    func entries(
        where condition: @autoclosure () -> String,
        _ values: [Value],
        file: StaticString = #fileID,
        line: UInt = #line
    ) throws(EngineError) -> [Entry] {
        try callAsFunction(
            "SELECT position, \(EntryRow.readColumns) FROM entries WHERE \(condition())",
            file: file,
            line: line
        ).all(values, read: EntryRow.read)
    }

    /// Nil for a number that no contract has.
    func contract(_ row: Int64) throws(EngineError) -> ContractRow? {
        try contracts(where: "id = ?", [.integer(row)]).first
    }

    /// What a user holds, without consumables: the user's own, then what others share.
    func contracts(heldBy user: UserID) throws(EngineError) -> [ContractRow] {
        try contracts(where: "user = ? AND \(ContractRow.lasting) ORDER BY kind, id", [Value(user)])
            + contracts(
                where: "id IN (SELECT contract FROM shares WHERE user = ?) AND \(ContractRow.lasting) ORDER BY id",
                [Value(user)]
            )
    }

    func shares(of contract: Int64) throws(EngineError) -> [UserID] {
        try self("SELECT user FROM shares WHERE contract = ? ORDER BY ordinal").all([.integer(contract)]) { $0.user() }
    }

    func locale(of user: UserID) throws(EngineError) -> UserLocale {
        try self("SELECT language, time_zone FROM locales WHERE user = ?").first([Value(user)]) { row in
            UserLocale(
                language: row.optionalText().flatMap { LanguageTag($0) },
                timeZone: row.optionalText().flatMap { TimeZoneName($0) }
            )
        } ?? .unknown
    }

    func erasureKey() throws(EngineError) -> ErasureKey {
        ErasureKey(try self("SELECT value FROM meta WHERE key = 'erasure_key'").first { row in row.text() } ?? "")
    }

    /// The position at which something was erased; nil if it was not.
    func tombstone(_ digest: String) throws(EngineError) -> Int64? {
        try self("SELECT position FROM tombstones WHERE digest = ?").first([.text(digest)]) { row in row.integer() }
    }

    /// Where the pages of the user with this digest were ended last; 0 if they never were.
    func ending(_ digest: String) throws(EngineError) -> Int64 {
        let found = try self("SELECT position FROM ended_pages WHERE digest = ?")
            .first([.text(digest)]) { row in row.integer() }
        return found ?? 0
    }

    func mark(_ name: String) throws(EngineError) -> Instant? {
        try self("SELECT at FROM marks WHERE name = ?").first([.text(name)]) { row in row.instant() }
    }

    /// How many contracts have no user.
    func unclaimed() throws(EngineError) -> Int {
        try self("SELECT CAST(value AS BIGINT) FROM meta WHERE key = 'unclaimed'").first { Int($0.integer()) } ?? 0
    }

    /// The catalogs by which users were told what they may use, as the writer remembers them.
    func catalog() throws(EngineError) -> String? {
        try self("SELECT value FROM meta WHERE key = 'catalog'").first { row in row.text() }
    }

    /// The first products for whose catalog somebody waits. Jumps from one to the next, however many have bought each.
    func unlistedProducts() throws(EngineError) -> [UnlistedProduct] {
        var found: [UnlistedProduct] = []
        while found.count < LedgerSQL.unlistedLimit {
            let last = found.last.map { [Value($0.provider), .text($0.product)] } ?? [.text(""), .text("")]
            let next = try self(
                """
                SELECT provider, product FROM contracts
                WHERE is_unlisted = 1 AND (provider, product) > (?, ?) ORDER BY provider, product LIMIT 1
                """
            ).first(last) { row throws(EngineError) in
                UnlistedProduct(provider: try row.word(), product: row.text())
            }
            guard let next else { break }
            found.append(next)
        }
        return found
    }
}
