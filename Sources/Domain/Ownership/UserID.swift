/// An app's own name for one of its users. Two ids are equal when their bytes are.
///
/// A `String` would compare by canonical equivalence: `Kate` with the Kelvin sign (U+212A) and `Kate` would be one
/// user, and one of them would see what the other has paid for.
public struct UserID: RawRepresentable, Sendable, CustomStringConvertible {
    public let rawValue: String

    public init(rawValue text: String) {
        rawValue = text
    }

    public init(_ text: String) {
        rawValue = text
    }

    public var text: String { rawValue }
    public var description: String { rawValue }
}

extension UserID: Hashable, Comparable {
    public static func == (left: UserID, right: UserID) -> Bool { left.text.hasSameBytes(as: right.text) }

    public func hash(into hasher: inout Hasher) { text.hashBytes(into: &hasher) }

    public static func < (left: UserID, right: UserID) -> Bool {
        left.text.utf8.lexicographicallyPrecedes(right.text.utf8)
    }
}

extension UserID: ExpressibleByStringInterpolation {
    public init(stringLiteral text: String) {
        self.init(text)
    }
}

/// As its text.
extension UserID: Codable {}
