internal import Domain
public import Ledger

/// Copies one ledger into another, whatever their engines, and checks the copy. After an interruption, the next run
/// continues behind the last committed piece.
///
/// No server may run on either ledger meanwhile. The source is only read. The target cannot be used for anything else
/// until the check has found no difference.
public struct LedgerCopier {
    let source: any CopySide
    let target: any CopySide
    let report: (String) -> Void

    /// `report` receives a line of progress now and then.
    public static func run(
        from: DatabaseURL,
        to: DatabaseURL,
        report: (String) -> Void
    ) throws(CopyError) -> CopyResult {
        try withoutActuallyEscaping(report) { report throws(CopyError) in
            let source = try open(source: from)
            try source.refuseServers(report: report)
            let target = try open(target: to, from: source)
            return try LedgerCopier(source: source, target: target, report: report).run()
        }
    }

    private func run() throws(CopyError) -> CopyResult {
        try target.refuseServers(report: report)
        try target.createTables()
        let stamp = try source.stamp()
        try at(source.name) { () throws(EngineError) in try source.beginReading() }
        defer { source.rollback() }
        let (given, wanted) = (try source.tables(), try target.tables())
        if let problem = LedgerTable.difference(given, wanted) { throw .tables(problem) }
        let tables = LedgerTable.inOrder(wanted)
        let head = try source.head()
        var copy = TableCopy(
            source: source,
            target: target,
            record: try begin(tables, head: head, stamp: stamp),
            report: report
        )
        for table in tables { try copy.copy(table) }
        let numbers = try source.lastNumbers()
        try target.transaction { () throws(EngineError) in try target.set(head, lastNumbers: numbers) }
        let result = try checked(tables, head: head, copy: &copy)
        source.rollback()
        guard try source.stamp() == stamp else { throw .sourceChanged(source.name) }
        try finish(copy)
        return result
    }

    /// Empties a target that has to start over, and marks it as an unfinished copy. It looks and marks in one
    /// transaction, because a node may start at the same moment and commit to a target that looked empty.
    private func begin(_ tables: [LedgerTable], head: Cursor, stamp: String) throws(CopyError) -> CopyRecord {
        do throws(CopyError) {
            try at(target.name) { () throws(EngineError) in
                try target.begin()
                try target.excludeOthers()
            }
            let (record, step) = try decide(tables, head: head, stamp: stamp)
            try at(target.name) { () throws(EngineError) in
                // Opening the target may have written a new ledger's values.
                try target.clear(step == .resume ? tables.filter(\.isMeta) : tables)
                try target.makeRoom(upTo: head)
                try record.write(to: target)
                try target.commit()
            }
            target.flushJournal()
            return record
        } catch {
            target.rollback()
            throw error
        }
    }

    private func decide(
        _ tables: [LedgerTable],
        head: Cursor,
        stamp: String
    ) throws(CopyError) -> (record: CopyRecord, step: CopyStep) {
        let found = try CopyRecord.read(from: target)
        let step = try CopyStep(
            record: found,
            occupant: try occupant(tables),
            epoch: head.epoch,
            stamp: stamp,
            target: target.name
        )
        var rows: Int64 = 0
        switch step {
        case .begin: break
        case .resume:
            rows = found?.rows ?? 0
            report("continuing after \(rows) copied rows")
        case .startOver(let reason): report("starting over: \(reason)")
        }
        let record = CopyRecord(
            source: source.name,
            stamp: stamp,
            epoch: head.epoch,
            run: Cursor.newEpoch(),
            isSound: true,
            rows: rows
        )
        return (record, step)
    }

    /// The head of a target that is not empty. A newly created ledger holds only what `migrate` puts in it.
    private func occupant(_ tables: [LedgerTable]) throws(CopyError) -> String? {
        for table in tables where !table.isMeta {
            let isEmpty = try target.reading { () throws(EngineError) in
                try target.page(of: table, after: nil, limit: 1).isEmpty
            }
            if !isEmpty { return try target.head().description }
        }
        return nil
    }

    private func checked(
        _ tables: [LedgerTable],
        head: Cursor,
        copy: inout TableCopy
    ) throws(CopyError) -> CopyResult {
        report("comparing both ledgers")
        do throws(CopyError) {
            guard try target.head() == head else { throw .different("its newest entry is a different one") }
            var result = CopyResult(head: head.description)
            let check = TableCheck(source: source, target: target, report: report)
            for table in tables { try check.run(table, into: &result) }
            result.users = try EntitlementCheck(
                source: source,
                target: target,
                isExact: result.replaced == 0,
                report: report
            ).run()
            return result
        } catch {
            // Continuing cannot repair a difference, so the next run starts over.
            if case .different = error { try? copy.markUnsound() }
            throw error
        }
    }

    /// From here on, the target is an ordinary ledger.
    private func finish(_ copy: TableCopy) throws(CopyError) {
        try target.refuseServers(report: report)
        let isOurs = try target.transaction { () throws(EngineError) in
            guard try copy.record.update(in: target) else { return false }
            try CopyRecord.drop(from: target)
            return true
        }
        guard isOurs else { throw .takenOver(target.name) }
        target.flushJournal()
    }
}

extension LedgerCopier {
    static func open(source: DatabaseURL) throws(CopyError) -> any CopySide {
        switch source {
        case .sqlite(let path): try SQLiteSide.source(path)
        case .postgres(let url): try PostgresSide.source(address(url, option: "--from"))
        }
    }

    static func open(target: DatabaseURL, from source: any CopySide) throws(CopyError) -> any CopySide {
        switch target {
        case .sqlite(let path):
            if let source = source as? SQLiteSide, source.isFile(path) { throw .sameLedger(path) }
            return try SQLiteSide.target(path)
        case .postgres(let url):
            let target = try PostgresSide.target(address(url, option: "--to"))
            if let source = source as? PostgresSide, try source.identity() == target.identity() {
                throw .sameLedger(target.name)
            }
            return target
        }
    }

    private static func address(_ url: String, option: String) throws(CopyError) -> PostgresURL {
        do throws(PostgresURL.Failure) {
            return try PostgresURL(url)
        } catch {
            throw .unreadableURL("\(option) \(error)")
        }
    }
}
