/// How much a client may ask of us for nothing: each frame that brings us no further costs, each second gives some back.
///
/// Resets cost most: a stream that is opened and reset at once makes work on every side of the server
/// (CVE-2023-44487, https://www.cve.org/CVERecord?id=CVE-2023-44487).
struct FloodGuard {
    /// What an honest client needs at once: a page that closes a hundred streams, the credit of a long download.
    static let burst = 4000
    static let perSecond = 400
    /// Of a request before its answer: 100 at once, 10 a second.
    static let reset = 40
    /// Of an answer that goes on: a page that is left. With its request it costs what its answer has given.
    static let departure = 2
    /// A malformed head, or one that is too large.
    static let flaw = 100
    /// For each frame of an answer: the client has asked for it, and gives credit for the stream and the connection.
    static let sent = 3

    private var balance = FloodGuard.burst

    var isWithin: Bool { balance >= 0 }

    mutating func take(_ cost: Int) {
        balance = max(-1, balance - cost)
    }

    mutating func give(_ amount: Int) {
        balance = min(FloodGuard.burst, balance + amount)
    }
}
