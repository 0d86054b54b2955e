/// A value that a statement binds.
public enum PostgresValue: Sendable, Equatable {
    case null
    case integer(Int64)
    /// U+0000, which PostgreSQL's text cannot hold
    /// (https://www.postgresql.org/docs/15/datatype-character.html), arrives as U+FFFD: a store that sends one gets its
    /// event committed, where an error would make it send the same again for days.
    case text(String)
    case bytes([UInt8])
}
