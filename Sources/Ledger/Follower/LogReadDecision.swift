import Domain
import Support

/// Decides when the log is read, and what this node's pages get, in which order. Pure: the follower performs it.
///
/// This node's commits come out at once, unless another node has committed something before them that is not read yet.
/// Another node's message comes out after the entries that its sender knew.
struct LogReadDecision {
    /// How long another node's commit stays unseen when no notification of it arrives.
    static let interval: UInt64 = 1_000_000_000
    /// After a question that failed.
    static let pause: UInt64 = 500_000_000
    /// How long a message waits for entries that cannot be read.
    static let patience: UInt64 = 1_000_000_000
    /// Bytes of messages that wait. Beyond it, the oldest wait no longer.
    static let byteLimit = 4 << 20

    enum Action: Equatable {
        case pass([UInt8])
        case read(after: Int64)
    }

    private struct Waiting {
        let message: NodeMessage
        let since: MonotonicTime
    }

    private var sequence: CommitSequence
    private var isReading = false
    /// Somebody has committed what is not here.
    private var isBehind = true
    private var readAt: MonotonicTime = 0
    /// No question before this.
    private var resumeAt: MonotonicTime = 0
    private var waiting: [Waiting] = []
    private var bytes = 0

    init(after position: Int64) { sequence = CommitSequence(after: position) }

    /// Takes what this node has committed, and returns what comes out. Batches arrive in order.
    mutating func committed(_ entries: [Entry]) -> [Entry] { sequence.committed(entries) }

    /// Notes that somebody has committed everything up to this position.
    mutating func heard(_ position: Int64) { if position > sequence.position { isBehind = true } }

    mutating func heard(_ message: NodeMessage, now: MonotonicTime) {
        heard(message.position)
        waiting.append(Waiting(message: message, since: now))
        bytes += message.body.count
    }

    /// Takes the answer to the question that was asked last, nil when it failed, and returns what comes out.
    mutating func read(_ entries: [Entry]?, hasMore: Bool, now: MonotonicTime) -> [Entry] {
        isReading = false
        guard let entries else {
            isBehind = true
            resumeAt = now + LogReadDecision.pause
            return []
        }
        isBehind = isBehind || hasMore
        return sequence.read(entries)
    }

    /// The actions that are due.
    mutating func due(at now: MonotonicTime) -> [Action] {
        var actions = released(at: now).map { Action.pass($0) }
        if !isReading, now >= nextRead {
            isReading = true
            isBehind = false
            readAt = now
            actions.append(.read(after: sequence.position))
        }
        return actions
    }

    /// When something is due again, unless something arrives before.
    var dueAt: MonotonicTime {
        let release = waiting.map { $0.since + LogReadDecision.patience }.min() ?? .max
        return min(release, isReading ? .max : nextRead)
    }

    private var nextRead: MonotonicTime {
        isBehind || sequence.hasGap ? resumeAt : max(resumeAt, readAt + LogReadDecision.interval)
    }

    /// A sender's messages stay in order, because what it knows only grows.
    private mutating func released(at now: MonotonicTime) -> [[UInt8]] {
        var released: [[UInt8]] = []
        var held: [Waiting] = []
        for next in waiting {
            let isReady = next.message.position <= sequence.position || now >= next.since + LogReadDecision.patience
            guard isReady || bytes > LogReadDecision.byteLimit else {
                held.append(next)
                continue
            }
            bytes -= next.message.body.count
            released.append(next.message.body)
        }
        waiting = held
        return released
    }
}

extension Entry {
    /// An erasure that was read, whose entry names nobody. One of this node names the stream itself.
    var isNamelessErasure: Bool { notice.kind == .userErased && fragments.isEmpty }
}
