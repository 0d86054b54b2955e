/// A message between nodes, outside the log. It may get lost.
struct NodeMessage: Equatable {
    /// Sent by a node of this ledger, of any version.
    var body: [UInt8]
    /// The newest position that its sender knew to be committed. The message comes after it.
    var position: Int64
}

/// Something that a node hears from the others.
enum NodeNews: Equatable {
    /// Notifications arrive from now on. Earlier ones were missed.
    case connected
    /// Notifications no longer arrive.
    case disconnected
    /// Everything up to this position has been committed.
    case position(Int64)
    case message(NodeMessage)
}
