/// Bounds the work that a client can cause for nothing: each frame that makes no progress costs credit, and each second
/// gives some back.
///
/// Resets cost most: a stream that is opened and reset at once makes work on every side of the server (CVE-2023-44487,
/// https://www.cve.org/CVERecord?id=CVE-2023-44487).
struct FloodGuard {
    /// The credit that an honest client needs at once, to close a page's hundred streams or to take in a long download.
    static let burst = 4000
    static let perSecond = 400
    /// The cost of resetting a request before its answer begins: 100 at once, 10 a second.
    static let reset = 40
    /// The cost of resetting an answer that has begun, as when a page is left. With its request, it costs what the
    /// answer has given back.
    static let departure = 2
    /// The cost of a malformed head, or one that is too large.
    static let flaw = 100
    /// The credit that each frame of an answer gives back: the client asked for it, and grants stream and connection
    /// credit.
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
