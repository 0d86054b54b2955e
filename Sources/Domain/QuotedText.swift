/// Shows in an error what somebody typed or set: in quotes, on one line, cut off after 80 characters.
public func quoted(_ text: String) -> String {
    "“\(plain(String(text.prefix(80))))”"
}

/// Text of others for one line of a terminal: what would steer it becomes a question mark.
public func plain(_ text: String) -> String {
    guard text.unicodeScalars.contains(where: \.steersTerminal) else { return text }
    return String(String.UnicodeScalarView(text.unicodeScalars.map { $0.steersTerminal ? "?" : $0 }))
}

extension Unicode.Scalar {
    /// Whether it moves a terminal's cursor, ends its line, or reorders the text around it: C0, DEL and C1 (ECMA-48), the
    /// separators of lines and paragraphs, and the bidirectional controls (UAX #9, table 4).
    public var steersTerminal: Bool {
        switch value {
        case 0...0x1F, 0x7F...0x9F, 0x61C, 0x200E...0x200F, 0x2028...0x202E, 0x2066...0x2069: true
        default: false
        }
    }
}
