/// An event that a client's frames amount to.
public enum SessionEvent: Equatable, Sendable {
    /// A request's head, as HTTP/1.1 writes it.
    case request(Int32, head: [UInt8])
    /// A piece of its body. `ServerSession.consume` makes room for more.
    case body(Int32, [UInt8])
    /// The stream was answered, or reset by either side.
    case closed(Int32)
}

/// How much a stream can send at the moment.
public enum Pull: Equatable, Sendable {
    /// The number of bytes written into the buffer; `isLast` ends the stream.
    case bytes(Int, isLast: Bool)
    /// Nothing yet: `ServerSession.resume` asks again.
    case nothing
    /// The answer was cut short.
    case broken
}

/// Why a stream is reset (RFC 9113 §7).
public enum ResetReason: UInt32, Sendable {
    case internalError = 2
    case refused = 7
    case cancelled = 8
}
