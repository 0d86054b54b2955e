/// Values in libpq's form: texts end with a zero byte, bytes have a length. Numbers are sent as text, because the
/// server decides whether it needs two, four or eight bytes.
enum StatementParameters {
    private static let textFormat: Int32 = 0
    private static let binaryFormat: Int32 = 1

    /// `body` is the last parameter. The pointers are valid inside the closure.
    static func withPointers<Result>(
        to values: [Value],
        body: UnsafeRawBufferPointer?,
        _ use: (Int32, [UnsafePointer<CChar>?], [Int32], [Int32]) -> Result
    ) -> Result {
        var storage: [UInt8] = []
        storage.reserveCapacity(values.reduce(1) { $0 + $1.size + 1 })
        let offsets = values.map { append($0, to: &storage) }
        var lengths = values.map { Int32(clamping: $0.size) }
        var formats = values.map { $0.isBinary ? binaryFormat : textFormat }
        if let body {
            lengths.append(Int32(clamping: body.count))
            formats.append(binaryFormat)
        }
        // A place for values without bytes: a null pointer would mean NULL.
        storage.append(0)
        return storage.withUnsafeBytes { bytes in
            let base = bytes.baseAddress
            var pointers = offsets.map { offset in
                offset.flatMap { base?.advanced(by: $0).assumingMemoryBound(to: CChar.self) }
            }
            if let body { pointers.append((body.baseAddress ?? base)?.assumingMemoryBound(to: CChar.self)) }
            return use(Int32(pointers.count), pointers, lengths, formats)
        }
    }

    /// The offset of the value; nil for NULL.
    private static func append(_ value: Value, to storage: inout [UInt8]) -> Int? {
        let start = storage.count
        switch value {
        case .null: return nil
        case .integer(let number): storage += Array("\(number)".utf8)
        case .text(let text):
            // PostgreSQL's text cannot hold U+0000 (https://www.postgresql.org/docs/15/datatype-character.html), which
            // arrives as U+FFFD: a store that sends one gets its event committed, where an error would make it send the
            // same again for days.
            if text.utf8.contains(0) {
                for byte in text.utf8 { storage += byte == 0 ? [0xEF, 0xBF, 0xBD] : [byte] }
            } else {
                storage += Array(text.utf8)
            }
        case .bytes(let bytes): storage += bytes
        }
        storage.append(0)
        return start
    }
}

extension Value {
    /// The approximate size in a message; exact for bytes.
    var size: Int {
        switch self {
        case .null: 0
        case .integer: 20
        case .text(let text): text.utf8.count
        case .bytes(let bytes): bytes.count
        }
    }

    /// With its kind and its length, so that two different rows never have the same bytes.
    func append(to bytes: inout [UInt8]) {
        func append(_ kind: UInt8, _ content: some Collection<UInt8>) {
            bytes.append(kind)
            withUnsafeBytes(of: Int64(content.count).bigEndian) { bytes += $0 }
            bytes += content
        }
        switch self {
        case .null: bytes.append(0)
        case .integer(let number):
            bytes.append(1)
            withUnsafeBytes(of: number.bigEndian) { bytes += $0 }
        case .text(let text): append(2, text.utf8)
        case .bytes(let content): append(3, content)
        }
    }

    fileprivate var isBinary: Bool {
        if case .bytes = self { true } else { false }
    }
}
