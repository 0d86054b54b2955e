import Support

/// Messages to the other nodes, bounded in bytes, in age and in bytes a second, because notifications slow everyone on
/// that server.
struct OutgoingMessages {
    /// The age at which a transient broadcast is dropped.
    static let memory: UInt64 = 5_000_000_000
    /// Some 4,000 fragments of 1 KB.
    static let bytesPerSecond: UInt64 = 4 << 20
    static let byteLimit = 2 << 20
    /// The size of a batch. A single message may be larger.
    static let batchBytes = 64 << 10

    private struct Waiting {
        let body: [UInt8]
        let since: MonotonicTime
        let isVital: Bool

        func isOld(at now: MonotonicTime) -> Bool { !isVital && now > since + OutgoingMessages.memory }
    }

    private var waiting: ArraySlice<Waiting> = []
    private var bytes = 0
    /// The vital messages in the batch that was taken last.
    private var vital: [Waiting] = []
    /// The earliest time for the next batch.
    private var due: MonotonicTime = 0

    /// Returns false if there is no room. Vital messages never get too old, and have as much room again when the rest
    /// is full.
    mutating func add(_ body: [UInt8], isVital: Bool, now: MonotonicTime) -> Bool {
        while let first = waiting.first, first.isOld(at: now) { drop() }
        let limit = OutgoingMessages.byteLimit * (isVital ? 2 : 1)
        guard body.count <= NotifyPieces.bodyLimit, bytes + OutgoingMessages.cost(of: body) <= limit else {
            return false
        }
        waiting.append(Waiting(body: body, since: now, isVital: isVital))
        bytes += OutgoingMessages.cost(of: body)
        return true
    }

    /// The messages that may be sent now.
    mutating func take(now: MonotonicTime) -> [[UInt8]] {
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

    /// All messages that must arrive, whatever their size; nothing is sent after them.
    mutating func takeVital() -> [[UInt8]] {
        let bodies = waiting.filter(\.isVital).map(\.body)
        waiting = []
        bytes = 0
        return bodies
    }

    /// Call this if the last batch could not be sent. Its vital messages go first next time; they may exceed the limit.
    mutating func putBack() {
        waiting = vital + waiting
        bytes += vital.reduce(0) { $0 + OutgoingMessages.cost(of: $1.body) }
        vital = []
    }

    /// The time until a message may be sent; nil if none is waiting.
    func delay(now: MonotonicTime) -> UInt64? { waiting.isEmpty ? nil : due - now }

    private mutating func drop() {
        guard let first = waiting.first else { return }
        bytes -= OutgoingMessages.cost(of: first.body)
        // A slice keeps what was before it until it grows, so the body goes now.
        waiting[waiting.startIndex] = Waiting(body: [], since: first.since, isVital: false)
        waiting.removeFirst()
    }

    /// A notification costs something even if it is short.
    private static func cost(of body: [UInt8]) -> Int { body.count + 128 }
}
