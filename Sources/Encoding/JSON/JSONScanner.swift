/// Reads one JSON text from its first byte to its last and never steps back.
struct JSONScanner {
    private static let depthLimit = 16

    private let bytes: [UInt8]
    private var index = 0

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }

    /// Reads the whole text; returns nil when bytes are left over.
    mutating func text() -> JSONNode? {
        guard let node = value(depth: 0) else { return nil }
        skipSpace()
        return index == bytes.count ? node : nil
    }

    private mutating func value(depth: Int) -> JSONNode? {
        skipSpace()
        guard index < bytes.count, depth <= JSONScanner.depthLimit else { return nil }
        return switch bytes[index] {
        case UInt8(ascii: "{"): object(depth: depth + 1)
        case UInt8(ascii: "["): array(depth: depth + 1)
        case JSONLiteral.quote: string().map(JSONNode.string)
        case UInt8(ascii: "t"): word("true", as: .boolean(true))
        case UInt8(ascii: "f"): word("false", as: .boolean(false))
        case UInt8(ascii: "n"): word("null", as: .null)
        default: number()
        }
    }

    private mutating func object(depth: Int) -> JSONNode? {
        index += 1
        var members: [JSONMember] = []
        members.reserveCapacity(4)
        if takes(UInt8(ascii: "}")) { return .object([]) }
        repeat {
            skipSpace()
            guard let name = string(), takes(UInt8(ascii: ":")), let value = value(depth: depth) else { return nil }
            members.append(JSONMember(rawName: name, value: value))
        } while takes(UInt8(ascii: ","))
        return takes(UInt8(ascii: "}")) ? .object(members) : nil
    }

    private mutating func array(depth: Int) -> JSONNode? {
        index += 1
        var items: [JSONNode] = []
        if takes(UInt8(ascii: "]")) { return .array([]) }
        repeat {
            guard let item = value(depth: depth) else { return nil }
            items.append(item)
        } while takes(UInt8(ascii: ","))
        return takes(UInt8(ascii: "]")) ? .array(items) : nil
    }

    /// The bytes between the quotes. Escapes are decoded on demand.
    private mutating func string() -> ArraySlice<UInt8>? {
        guard index < bytes.count, bytes[index] == JSONLiteral.quote else { return nil }
        let start = index + 1
        index = end(ofStringAt: start)
        guard index < bytes.count, bytes[index] == JSONLiteral.quote else { return nil }
        index += 1
        return bytes[start..<(index - 1)]
    }

    /// The offset of the closing quote, or of the byte that ends the string too early.
    private func end(ofStringAt start: Int) -> Int {
        let bytes = bytes.span
        var end = start
        while true {
            end = offsetOfStringEnd(in: bytes, from: end)
            guard end < bytes.count, bytes[end] == JSONLiteral.backslash else { return end }
            end += 2
        }
    }

    private mutating func word(_ word: StaticString, as node: JSONNode) -> JSONNode? {
        let end = index + word.utf8CodeUnitCount
        guard end <= bytes.count,
            word.withUTF8Buffer({ bytes[index..<end].elementsEqual($0) })
        else { return nil }
        index = end
        return node
    }

    /// `-? (0 | [1-9][0-9]*) (. [0-9]+)? ([eE] [+-]? [0-9]+)?`
    private mutating func number() -> JSONNode? {
        let start = index
        skip(UInt8(ascii: "-"))
        let first = index
        guard digits() > 0, bytes[first] != UInt8(ascii: "0") || index == first + 1 else { return nil }
        if skip(UInt8(ascii: ".")), digits() == 0 { return nil }
        if skip(UInt8(ascii: "e")) || skip(UInt8(ascii: "E")) {
            if !skip(UInt8(ascii: "+")) { skip(UInt8(ascii: "-")) }
            guard digits() > 0 else { return nil }
        }
        return .number(bytes[start..<index])
    }

    private mutating func digits() -> Int {
        let start = index
        while index < bytes.count, (48...57).contains(bytes[index]) { index += 1 }
        return index - start
    }

    private mutating func takes(_ byte: UInt8) -> Bool {
        skipSpace()
        return skip(byte)
    }

    @discardableResult
    private mutating func skip(_ byte: UInt8) -> Bool {
        guard index < bytes.count, bytes[index] == byte else { return false }
        index += 1
        return true
    }

    private mutating func skipSpace() {
        while index < bytes.count, isSpace(bytes[index]) { index += 1 }
    }
}

private func isSpace(_ byte: UInt8) -> Bool { byte == 32 || byte == 10 || byte == 13 || byte == 9 }
