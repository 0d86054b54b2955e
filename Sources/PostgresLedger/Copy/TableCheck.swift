internal import Crypto
internal import Encoding
internal import Ledger

/// Reads a table again from both sides, in the order of its key, and compares every row, byte by byte.
struct TableCheck {
    let source: any CopySide
    let target: any CopySide
    let report: (String) -> Void

    func run(_ table: LedgerTable, into result: inout CopyResult) throws(CopyError) {
        var digest: [UInt8] = []
        var rows: Int64 = 0
        var keys: (source: [Value]?, target: [Value]?) = (nil, nil)
        var reported = ContinuousClock.now
        while true {
            let page = try StorablePage(of: table, in: source, after: keys.source, for: target)
            let wanted = page.rows
            let found = try target.reading { () throws(EngineError) in
                try target.page(of: table, after: keys.target, limit: TableCopy.pageSize)
            }
            let bytes = TableCheck.bytes(of: wanted)
            guard bytes == TableCheck.bytes(of: found) else {
                throw .different(TableCheck.difference(wanted, found, after: rows, in: table))
            }
            digest = SHA256.hash(digest + bytes)
            rows += Int64(wanted.count)
            result.replaced += page.replaced
            guard let last = wanted.last, let lastFound = found.last else { break }
            keys = (table.key(of: last), table.key(of: lastFound))
            if ContinuousClock.now - reported > .seconds(5) {
                reported = .now
                report("\(table.name): \(rows) rows compared")
            }
        }
        try compareCounts(of: table)
        result.rows += rows
        if table.name == "events" { result.events = rows }
        if rows > 0 { report("\(table.name): \(rows) rows equal, sha256 \(Hex.encode(Array(digest.prefix(8))))") }
    }

    /// A row could be skipped on both sides when they are read by key, so the counts are compared as well.
    private func compareCounts(of table: LedgerTable) throws(CopyError) {
        let wanted = try source.reading { () throws(EngineError) in try source.number(table.count) } ?? 0
        let found = try target.reading { () throws(EngineError) in try target.number(table.count) } ?? 0
        guard found == wanted else {
            throw .different("table \(table.name) has \(found) rows instead of \(wanted)")
        }
    }

    /// Each value begins with its kind and its length, so that two different rows never have the same bytes.
    private static func bytes(of rows: [[Value]]) -> [UInt8] {
        var bytes: [UInt8] = []
        for row in rows {
            for value in row { value.append(to: &bytes) }
        }
        return bytes
    }

    private static func difference(
        _ wanted: [[Value]],
        _ found: [[Value]],
        after count: Int64,
        in table: LedgerTable
    ) -> String {
        let index = zip(wanted, found).enumerated().first { bytes(of: [$1.0]) != bytes(of: [$1.1]) }?.offset
        let number = index ?? min(wanted.count, found.count)
        let row = (number < wanted.count ? wanted : found)[number]
        let place = table.place(of: row)
        return "table \(table.name), row \(count + Int64(number) + 1) by its key" + (place.isEmpty ? "" : " (\(place))")
    }
}

extension Value {
    fileprivate func append(to bytes: inout [UInt8]) {
        switch self {
        case .null: bytes.append(0)
        case .integer(let number):
            bytes.append(1)
            withUnsafeBytes(of: number.bigEndian) { bytes += $0 }
        case .text(let text):
            bytes.append(2)
            withUnsafeBytes(of: Int64(text.utf8.count).bigEndian) { bytes += $0 }
            bytes += text.utf8
        case .bytes(let content):
            bytes.append(3)
            withUnsafeBytes(of: Int64(content.count).bigEndian) { bytes += $0 }
            bytes += content
        }
    }
}
