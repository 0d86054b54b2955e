/// The named channel that a page subscribes to: 1…512 bytes of UTF-8 without control characters.
public struct StreamName: Sendable, CustomStringConvertible {
    public let text: String

    public init?(_ text: String) {
        guard isValidIdentifier(text, limit: 512) else { return nil }
        self.text = text
    }

    /// A stream of committed events for developers. It begins with a control character, so no page can name it.
    public static func feed(_ filter: String) -> StreamName {
        StreamName(unchecked: "\u{0}feed?" + filter)
    }

    /// The stream of pages that follow all of these over one connection: the same one in whatever order they name them.
    public static func union(of streams: [StreamName]) -> StreamName {
        let names = streams.map(\.text).sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
        return StreamName(unchecked: "\u{0}union?" + names.joined(separator: "\u{0}"))
    }

    /// True for a feed and for a union: it is this server's own, and nothing is addressed to it.
    public var isInternal: Bool { text.utf8.first == 0 }

    private init(unchecked text: String) {
        self.text = text
    }

    public var description: String { text }
}

extension StreamName: Hashable {
    public static func == (left: StreamName, right: StreamName) -> Bool { left.text.hasSameBytes(as: right.text) }

    public func hash(into hasher: inout Hasher) { text.hashBytes(into: &hasher) }
}

/// True for 1…`limit` bytes without control characters: a valid name of a user, a product, a group or a stream.
public func isValidIdentifier(_ text: String, limit: Int = 255) -> Bool {
    // Control characters are U+0000…1F and U+007F…9F; the latter are C2 80…9F in UTF-8.
    let bytes = text.utf8Span.span
    guard (1...limit).contains(bytes.count) else { return false }
    var previous: UInt8 = 0
    for index in 0..<bytes.count {
        let byte = bytes[index]
        if byte < 0x20 || byte == 0x7F || (previous == 0xC2 && byte < 0xA0) { return false }
        previous = byte
    }
    return true
}
