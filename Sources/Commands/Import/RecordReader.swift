import Crypto
import Encoding

/// Cuts a file into its records, one line at a time: JSON, or CSV (RFC 4180) without line breaks in its fields. However large the
/// file and its lines, it holds little more than one record. Pure, but for `more`.
struct RecordReader: Sendable {
    enum Form: Sendable { case csv, jsonLines }

    /// How far a file has been read, and what stood before.
    struct Mark: Codable, Equatable, Sendable {
        /// The next line, from 1.
        var line = 1
        /// A chain over all records, so that a file that was changed there is noticed.
        var digest = ""
    }

    struct Record: Sendable {
        var line: Int
        /// Without the line break; empty if it has a flaw.
        var bytes: ArraySlice<UInt8> = []
        /// Why the bytes cannot be read as a record.
        var flaw: String?
        /// Behind it.
        var end = Mark()
    }

    /// A purchase token has 1 KiB at most.
    static let limit = 64 << 10

    private let more: @Sendable () throws(CommandFailure) -> [UInt8]
    let form: Form
    private var buffer: [UInt8] = []
    private var start = 0
    private var isAtEnd = false
    private(set) var mark = Mark()

    /// `more` returns what follows, nothing at the end.
    init(_ more: @escaping @Sendable () throws(CommandFailure) -> [UInt8]) throws(CommandFailure) {
        self.more = more
        while buffer.count < 3 {
            let bytes = try more()
            isAtEnd = bytes.isEmpty
            if isAtEnd { break }
            buffer += bytes
        }
        if buffer.starts(with: [0xFF, 0xFE]) || buffer.starts(with: [0xFE, 0xFF]) {
            throw CommandFailure("the file is in UTF-16: save it as UTF-8")
        }
        // A byte order mark, as spreadsheets write it.
        if buffer.starts(with: [0xEF, 0xBB, 0xBF]) { buffer.removeFirst(3) }
        let first = buffer.first { $0 > 32 }
        form = first == UInt8(ascii: "{") ? .jsonLines : .csv
    }

    /// The next record that is not an empty line; nil at the end.
    mutating func next() throws(CommandFailure) -> Record? {
        while let record = try line() {
            if record.flaw != nil || !record.bytes.isEmpty { return record }
        }
        return nil
    }

    /// Whatever the quotes of a line, a record ends with it: no column may have a line break, and a quote that is left open, or
    /// stands within a field, must not take the sound rows behind it along.
    private mutating func line() throws(CommandFailure) -> Record? {
        var index = start
        while true {
            if index == buffer.count {
                let before = start
                guard try fill() else { break }
                index -= before
            }
            index += 1
            if buffer[index - 1] == RecordReader.lineFeed { return take(through: index) }
            if index - start > RecordReader.limit { return try giveUp() }
        }
        return start < buffer.count ? take(through: buffer.count) : nil
    }

    /// Drops the rest of a line that is too long.
    private mutating func giveUp() throws(CommandFailure) -> Record {
        let end = buffer[start...].firstIndex(of: RecordReader.lineFeed)
        var record = take(through: end.map { $0 + 1 } ?? buffer.count)
        record.bytes = []
        record.flaw = "it has more than \(RecordReader.limit >> 10) KiB"
        guard end == nil else { return record }
        while try fill() {
            let end = buffer.firstIndex(of: RecordReader.lineFeed)
            start = end.map { $0 + 1 } ?? buffer.count
            if end != nil { break }
        }
        mark.line = record.line + 1
        record.end = mark
        return record
    }

    private mutating func take(through end: Int) -> Record {
        let raw = buffer[start..<end]
        start = end
        var record = Record(line: mark.line, bytes: raw)
        mark.line += raw.count { $0 == RecordReader.lineFeed }
        mark.digest = Hex.encode(SHA256.hash(Array(mark.digest.utf8) + raw.prefix(RecordReader.limit)))
        for ending in [RecordReader.lineFeed, 13] where record.bytes.last == ending { record.bytes.removeLast() }
        record.end = mark
        return record
    }

    /// Adds what follows to what was not taken yet. Returns false at the end.
    private mutating func fill() throws(CommandFailure) -> Bool {
        guard !isAtEnd else { return false }
        let bytes = try more()
        isAtEnd = bytes.isEmpty
        guard !isAtEnd else { return false }
        buffer.removeFirst(start)
        start = 0
        buffer += bytes
        return true
    }

    private static let lineFeed = UInt8(ascii: "\n")
    private static let quote = UInt8(ascii: "\"")
}

extension RecordReader {
    /// The fields of a record of CSV. Nil if a quote is not closed, or stands within a field that has none around it.
    static func fields(_ record: ArraySlice<UInt8>) -> [[UInt8]]? {
        var fields: [[UInt8]] = [[]]
        var isQuoted = false
        var wasQuoted = false
        var bytes = record[...]
        while let byte = bytes.popFirst() {
            switch byte {
            case quote where isQuoted && bytes.first == quote: fields[fields.count - 1].append(bytes.removeFirst())
            case quote where isQuoted: (isQuoted, wasQuoted) = (false, true)
            case quote where fields[fields.count - 1].isEmpty && !wasQuoted: isQuoted = true
            case UInt8(ascii: ",") where !isQuoted:
                fields.append([])
                wasQuoted = false
            case _ where wasQuoted, quote: return nil
            default: fields[fields.count - 1].append(byte)
            }
        }
        return isQuoted ? nil : fields
    }
}
