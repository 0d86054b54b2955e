/// What a connection's answers and frames go out on: a socket of its own, or a stream of HTTP/2. One loop's own.
protocol Link: AnyObject {
    /// Bytes wait that the peer has not taken: nothing more should be written until it has.
    var isBehind: Bool { get }
    /// Bytes that the peer has confirmed.
    var confirmedBytes: UInt64 { get }

    /// Sends what the peer takes, and keeps the rest. False when the connection is dead.
    func write(_ bytes: UnsafeRawBufferPointer) -> Bool

    /// The head of an answer and the beginning of its body, in one write. `isWhole`: nothing follows.
    func begin(_ head: AnswerHead, _ body: [UInt8], date: String, isWhole: Bool) -> Bool

    /// The answer that was begun is over.
    func finish()

    func stopReading()
    func resumeReading()

    /// No more than `bytes` wait in the kernel before they are sent: for answers that are as long as their files.
    func limitUnsent(to bytes: Int32)

    /// The peer is given up when nothing that was sent has been acknowledged for so long.
    func endWhenUnanswered(after seconds: Int32)
}

extension Link {
    func write(_ bytes: [UInt8]) -> Bool { bytes.withUnsafeBytes { write($0) } }

    func write(_ text: String) -> Bool { write(Array(text.utf8)) }
}
