/// What waits to be sent to the other nodes, bounded in bytes, in time and in bytes a second: everybody who uses the
/// database pays for notifications.
///
/// Times are monotonic nanoseconds.
struct OutgoingMessages {
    /// A transient broadcast is about now.
    static let memory: UInt64 = 5_000_000_000
    /// Some 4,000 fragments of 1 KB.
    static let bytesPerSecond: UInt64 = 4 << 20
    static let byteLimit = 2 << 20
    /// What is sent together. One message may have more.
    static let batchBytes = 64 << 10

    private struct Waiting {
        let body: [UInt8]
        let since: UInt64
        let isVital: Bool

        func isOld(at now: UInt64) -> Bool { !isVital && now > since + OutgoingMessages.memory }
    }

    private var waiting: ArraySlice<Waiting> = []
    private var bytes = 0
    /// What is vital of what was taken last.
    private var vital: [Waiting] = []
    /// The next batch may go from here on.
    private var due: UInt64 = 0

    /// False when there is no room. What is vital never gets too old, and has as much room again when the rest is full.
    mutating func add(_ body: [UInt8], isVital: Bool, now: UInt64) -> Bool {
        while let first = waiting.first, first.isOld(at: now) { drop() }
        let limit = OutgoingMessages.byteLimit * (isVital ? 2 : 1)
        guard body.count <= NotificationPieces.bodyLimit, bytes + OutgoingMessages.cost(of: body) <= limit else {
            return false
        }
        waiting.append(Waiting(body: body, since: now, isVital: isVital))
        bytes += OutgoingMessages.cost(of: body)
        return true
    }

    /// What may be sent now.
    mutating func take(now: UInt64) -> [[UInt8]] {
        vital = []
        guard now >= due else { return [] }
        var taken = 0
        var batch: [[UInt8]] = []
        while taken < OutgoingMessages.batchBytes, let next = waiting.first {
            drop()
            guard !next.isOld(at: now) else { continue }
            taken += OutgoingMessages.cost(of: next.body)
            batch.append(next.body)
            if next.isVital { vital.append(next) }
        }
        due = now + UInt64(taken) * 1_000_000_000 / OutgoingMessages.bytesPerSecond
        return batch
    }

    /// What is vital, however much it is: nothing is sent after it.
    mutating func takeVital() -> [[UInt8]] {
        let bodies = waiting.filter(\.isVital).map(\.body)
        waiting = []
        bytes = 0
        return bodies
    }

    /// What was taken last could not be sent. What is vital of it goes first again; it may exceed the limit.
    mutating func putBack() {
        waiting = vital + waiting
        bytes += vital.reduce(0) { $0 + OutgoingMessages.cost(of: $1.body) }
        vital = []
    }

    /// How long until something may be sent; nil when nothing waits.
    func delay(now: UInt64) -> UInt64? {
        waiting.isEmpty ? nil : max(due, now) - now
    }

    private mutating func drop() {
        bytes -= OutgoingMessages.cost(of: waiting.removeFirst().body)
    }

    /// A notification costs something even if it is short.
    private static func cost(of body: [UInt8]) -> Int { body.count + 128 }
}
