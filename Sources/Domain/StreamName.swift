/// The named channel a page subscribes to: 1…512 bytes of UTF-8 without control characters.
public struct StreamName: Hashable, Sendable, CustomStringConvertible {
    public let text: String

    public init?(_ text: String) {
        guard isPlain(text, limit: 512) else { return nil }
        self.text = text
    }

    /// A stream of committed events for developers. It begins with a control character: no page can name it.
    public static func feed(_ filter: String) -> StreamName {
        StreamName(unchecked: "\u{0}feed?" + filter)
    }

    private init(unchecked text: String) {
        self.text = text
    }

    public var description: String { text }
}

/// True for 1…`limit` bytes with no control character: what may name a user, a product, a group or a stream.
public func isPlain(_ text: String, limit: Int = 255) -> Bool {
    (1...limit).contains(text.utf8.count)
        && !text.unicodeScalars.contains { $0.properties.generalCategory == .control }
}
