import Domain
import Encoding
import Support

/// What a copy contains, once it has been checked.
public struct CopyResult: Sendable, Equatable {
    /// The cursor of its newest entry.
    public var head: String
    public var rows: Int64 = 0
    public var events: Int64 = 0
    /// Texts with U+0000, which PostgreSQL stores as U+FFFD.
    public var replaced: Int64 = 0
}

/// Copies one ledger into another, whatever their engines: all rows in one transaction, which is committed once they were
/// read back and their counts and digests are those of the source. An interruption leaves nothing of it.
///
/// No server may run on either ledger meanwhile. The source is only read. The target is marked from the first moment, so that
/// nothing serves it before the copy is whole.
public struct LedgerCopier {
    private let source: any CopySide
    private let target: any CopySide
    private let tables: [CopiedTable]
    /// Receives a line of progress now and then.
    private let report: (String) -> Void

    public static func run(
        from: DatabaseURL,
        to: DatabaseURL,
        report: (String) -> Void
    ) throws(CopyError) -> CopyResult {
        try withoutActuallyEscaping(report) { report throws(CopyError) in
            let source = try side(from, of: "--from")
            try source.refuseServers(report: report)
            try source.trying { () throws(EngineError) in try source.beginReading() }
            defer { source.rollback() }
            let target = try side(to, of: "--to", from: source)
            try target.refuseServers(report: report)
            let tables = try target.trying { () throws(EngineError) in try CopiedTable.all() }
            return try LedgerCopier(source: source, target: target, tables: tables, report: report).run()
        }
    }

    /// The target is opened for the copy from `source`, which it must not be.
    private static func side(
        _ place: DatabaseURL,
        of option: String,
        from source: (any CopySide)? = nil
    ) throws(CopyError) -> any CopySide {
        switch place {
        case .sqlite(let path):
            if source is SQLiteSide, let source, FileVersion.isSame(source.name, as: path) { throw .sameLedger(path) }
            return try SQLiteSide(path, isTarget: source != nil)
        case .postgres(let text):
            let url: PostgresURL
            do throws(PostgresURL.Failure) { url = try PostgresURL(text) } catch {
                throw CopyError("\(option) \(error)")
            }
            let side = try PostgresSide(url, isTarget: source != nil)
            if let source = source as? PostgresSide, try side.isSame(as: source) { throw .sameLedger(side.name) }
            return side
        }
    }

    private func run() throws(CopyError) -> CopyResult {
        let state = try source.trying { () throws(EngineError) in try source.state() }
        try target.trying { () throws(EngineError) in try target.createTables() }
        try writing(forOpening: true) { () throws(CopyError) in
            try target.trying { () throws(EngineError) in
                try target.run("CREATE TABLE IF NOT EXISTS \(UnfinishedCopy.table) (begun BIGINT)")
                try target.set(state)
            }
        }
        return try writing(forOpening: false) { () throws(CopyError) in
            let result = try copied(upTo: state.head)
            try target.trying { () throws(EngineError) in
                try target.set(state)
                try target.run(
                    "INSERT INTO meta VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value",
                    [.text(LedgerHome.key), .text(LedgerHome.nowhere.description)]
                )
                try target.run("DROP TABLE \(UnfinishedCopy.table)")
            }
            source.rollback()
            let now = try source.trying { () throws(EngineError) in
                try source.beginReading()
                return try source.state()
            }
            guard now.stamp == state.stamp else {
                let todo = "stop whatever writes it, and run the same command again"
                throw CopyError("\(source.name) changed while it was copied: \(todo)")
            }
            return result
        }
    }

    /// Runs a transaction on a target that holds nothing.
    private func writing<Result>(
        forOpening: Bool,
        _ body: () throws(CopyError) -> Result
    ) throws(CopyError) -> Result {
        defer { target.rollback() }
        do throws(EngineError) {
            try target.begin(forOpening: forOpening)
        } catch {
            guard error.isBusy else { throw CopyError("\(target.name): \(error.advice)") }
            throw CopyError("another “paycast copy” writes to \(target.name): let that one finish")
        }
        let occupant = try target.trying { () throws(EngineError) -> String? in
            for table in tables where !table.isMeta {
                guard try target.number("SELECT 1 FROM \(table.name) LIMIT 1") == nil else {
                    return try target.state().head.description
                }
            }
            return nil
        }
        if let occupant {
            let todo = "name another --to, or remove that ledger"
            throw CopyError("\(target.name) already holds a ledger, up to \(occupant): \(todo)")
        }
        let result = try body()
        try target.trying { () throws(EngineError) in try target.commit() }
        return result
    }

    private func copied(upTo head: Cursor) throws(CopyError) -> CopyResult {
        var result = CopyResult(head: head.description)
        var digests: [TableDigest] = []
        for table in tables {
            digests.append(try copy(table, replaced: &result.replaced))
            if let rows = digests.last?.rows, rows > 0 { report("\(table.name): \(rows) rows copied") }
        }
        report("comparing both ledgers")
        for (table, wanted) in zip(tables, digests) {
            var found = TableDigest()
            try target.eachPage(of: table) { page in found.add(page) }
            guard found.rows == wanted.rows else {
                throw different("table \(table.name) has \(found.rows) rows instead of \(wanted.rows)")
            }
            guard found == wanted else { throw different("table \(table.name) has other rows") }
            result.rows += found.rows
            if table.name == "events" { result.events = found.rows }
            guard found.rows > 0 else { continue }
            report("\(table.name): \(found.rows) rows equal, sha256 \(Hex.encode(Array(found.sha256.prefix(8))))")
        }
        return result
    }

    private func different(_ what: String) -> CopyError {
        CopyError("the copy differs from its source, so nothing of it was kept: \(what)")
    }

    private func copy(_ table: CopiedTable, replaced: inout Int64) throws(CopyError) -> TableDigest {
        var digest = TableDigest()
        var reported = ContinuousClock.now
        let insertion = try target.trying { () throws(EngineError) in
            if table.isMeta { try target.run(table.clearing) }
            return try target.connection.prepare(table.insertion)
        }
        try source.eachPage(of: table) { (page: [[Value]]) throws(CopyError) in
            var rows = page
            for index in rows.indices { replaced += try makeStorable(&rows[index], of: table) }
            try target.trying { () throws(EngineError) in
                for row in rows { try insertion.run(row) }
            }
            digest.add(rows)
            guard ContinuousClock.now - reported > .seconds(5) else { return }
            reported = .now
            report("\(table.name): \(digest.rows) rows so far")
        }
        return digest
    }

    /// U+0000 becomes U+FFFD where a text cannot hold it, as in everything that a server writes. In a key it is refused: with a
    /// substitute, it would sort elsewhere among the keys. Returns how many texts were changed.
    private func makeStorable(_ row: inout [Value], of table: CopiedTable) throws(CopyError) -> Int64 {
        var changed: Int64 = 0
        for (index, column) in table.columns.enumerated() where column.kind == .text {
            if case .text(let text) = row[index], !target.takesZeroBytes, text.utf8.contains(0) {
                guard index >= table.keyCount else {
                    throw CopyError(
                        """
                        \(place(of: row, in: table, column)) has U+0000 in a key, which PostgreSQL cannot store: remove \
                        such rows there, or change them (WHERE instr("\(column.name)", char(0)) > 0)
                        """
                    )
                }
                row[index] = .text(String(text.unicodeScalars.map { $0.value == 0 ? "\u{FFFD}" : Character($0) }))
                changed += 1
            } else if case .bytes = row[index] {
                let place = place(of: row, in: table, column)
                throw CopyError("\(place) is not UTF-8, so it was not written by paycast: repair it there")
            }
        }
        return changed
    }

    /// A text in a key may be a person's name or a secret, so none is shown.
    private func place(of row: [Value], in table: CopiedTable, _ column: CopiedTable.Column) -> String {
        let numbers = zip(table.columns.prefix(table.keyCount), row).compactMap { column, value in
            if case .integer(let number) = value { "\(column.name) \(number)" } else { nil as String? }
        }
        let key = numbers.isEmpty ? "" : " (\(numbers.joined(separator: ", ")))"
        return "\(source.name): \(table.name)\(key), column \(column.name)"
    }
}
