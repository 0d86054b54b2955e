public import Domain

/// A value that a statement binds.
public enum Value {
    case null
    case integer(Int64)
    case text(String)
    case bytes([UInt8])

    public init(_ text: String?) { self = text.map { .text($0) } ?? .null }

    public init(_ number: Int64?) { self = number.map { .integer($0) } ?? .null }

    public init(_ flag: Bool?) { self = flag.map { .integer($0 ? 1 : 0) } ?? .null }

    public init(_ instant: Instant?) { self.init(instant?.milliseconds) }

    public init<Word: RawRepresentable<String>>(_ word: Word?) { self.init(word?.rawValue) }
}
