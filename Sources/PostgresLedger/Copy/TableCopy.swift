internal import Ledger

/// Copies tables in the order of their keys, in pieces that are committed together with the record of the copy. An
/// interrupted copy continues after the last key in the target.
struct TableCopy {
    /// The number of rows read at a time. A row may hold a body of 256 KiB.
    static let pageSize: Int64 = 256
    /// A piece ends with the page that reaches one of these.
    private static let pieceRows = 8192
    private static let pieceBytes = 4 << 20

    let source: any CopySide
    let target: any CopySide
    private(set) var record: CopyRecord
    private let report: (String) -> Void

    init(source: any CopySide, target: any CopySide, record: CopyRecord, report: @escaping (String) -> Void) {
        self.source = source
        self.target = target
        self.record = record
        self.report = report
    }

    mutating func copy(_ table: LedgerTable) throws(CopyError) {
        let total = try at(source.name) { () throws(EngineError) in try source.number(table.count) } ?? 0
        var done = try target.reading { () throws(EngineError) in try target.number(table.count) } ?? 0
        var key = try target.reading { () throws(EngineError) in
            try target.rows(table.last, [], as: table.columns.map(\.kind)).first.map(table.key)
        }
        var reported = ContinuousClock.now
        var isWhole = false
        while !isWhole {
            let rows = try piece(of: table, after: &key, isWhole: &isWhole)
            done += rows
            if ContinuousClock.now - reported > .seconds(5) {
                reported = .now
                report("\(table.name): \(done) of \(total) rows")
            }
        }
        if total > 0 { report("\(table.name): \(done) rows copied") }
    }

    /// Returns the number of rows in the piece.
    private mutating func piece(
        of table: LedgerTable,
        after key: inout [Value]?,
        isWhole: inout Bool
    ) throws(CopyError) -> Int64 {
        var rows = 0
        var bytes = 0
        try at(target.name) { () throws(EngineError) in try target.begin() }
        do throws(CopyError) {
            while !isWhole, rows < TableCopy.pieceRows, bytes < TableCopy.pieceBytes {
                let page = try StorablePage(of: table, in: source, after: key, for: target).rows
                let size = try at(target.name) { () throws(EngineError) in try insert(page, into: table) }
                rows += page.count
                bytes += size
                key = page.last.map(table.key) ?? key
                isWhole = page.count < TableCopy.pageSize
            }
            // A run that continues copies these again.
            if !table.isMeta { record.rows += Int64(rows) }
            guard try at(target.name, { () throws(EngineError) in try record.update(in: target) }) else {
                throw .takenOver(target.name)
            }
            try at(target.name) { () throws(EngineError) in try target.commit() }
        } catch {
            target.rollback()
            throw error
        }
        return Int64(rows)
    }

    /// Returns their approximate size in bytes.
    private func insert(_ page: [[Value]], into table: LedgerTable) throws(EngineError) -> Int {
        var bytes = 0
        for row in page {
            try target.run(table.insert, row)
            for value in row { bytes += value.size }
        }
        return bytes
    }

    /// Marks the copy as unsound: the next run starts over.
    mutating func markUnsound() throws(CopyError) {
        record.isSound = false
        let record = record
        _ = try target.transaction { () throws(EngineError) in try record.update(in: target) }
    }
}

extension Value {
    var size: Int {
        switch self {
        case .null: 1
        case .integer: 8
        case .text(let text): text.utf8.count
        case .bytes(let bytes): bytes.count
        }
    }
}
