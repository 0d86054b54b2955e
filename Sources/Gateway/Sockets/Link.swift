import HTTP
import Pages

/// Where a connection's answers and frames go out: its own socket, or a stream of HTTP/2. Confined to one loop.
protocol Link: AnyObject {
    /// Whether bytes wait that the peer has not taken. Nothing more should be written until it has.
    var isBehind: Bool { get }
    /// The socket under it.
    var line: SentRefreshes.Line { get }
    /// How many bytes the peer has confirmed.
    var confirmedBytes: UInt64 { get }

    /// Sends what the peer takes, and keeps the rest. Returns false when the connection is dead. Takes an array, because the
    /// rest is not copied: thousands of pages that are sent the same hold it once.
    func write(_ bytes: [UInt8]) -> Bool

    /// Sends the head of an answer and the beginning of its body in one write. With `isWhole`, nothing follows.
    func begin(_ head: ResponseHead, body: [UInt8], date: String, isWhole: Bool) -> Bool

    /// Ends the answer that was begun.
    func finish()

    /// Lets at most `bytes` unsent bytes wait in the kernel, for answers that are as long as their files.
    func limitUnsent(to bytes: Int32)
}

extension Link {
    func write(_ text: String) -> Bool { write(Array(text.utf8)) }
}

/// Names a connection of one loop. No number is used twice.
struct ConnectionID: Hashable, Sendable {
    let number: UInt64
}
