/// The contents of a copy that has been checked.
public struct CopyResult: Sendable, Equatable {
    /// The cursor of its newest entry.
    public var head: String
    public var rows: Int64 = 0
    public var events: Int64 = 0
    public var users: Int64 = 0
    /// Texts with U+0000, which PostgreSQL stores as U+FFFD.
    public var replaced: Int64 = 0
}
