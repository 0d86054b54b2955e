internal import Runtime

/// A connection that the front door hands to a loop, and with it who opened it. The loop closes the descriptor.
struct Arrival: Sendable {
    var descriptor: Int32
    var peer: IPAddress?
    /// Counted already; the loop gives it back.
    var place: Census.Place
    /// Bytes that the client has taken, when it is a stream of HTTP/2: it comes in the clear over a pair of sockets.
    /// Nil for a connection that begins with its TLS handshake.
    var taken: Counter?
}
