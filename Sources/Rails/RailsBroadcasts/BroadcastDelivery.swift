public import Domain
internal import Support

/// Brings what a listener received to the ledger, as `BroadcastQueue` decides. Confined to the listener's thread.
public final class BroadcastDelivery {
    private let ports: BroadcastPorts
    private let channels: RailsChannels
    private let counts: BroadcastCounts
    private var queue = BroadcastQueue()

    public init(_ ports: BroadcastPorts, channels: RailsChannels, counts: BroadcastCounts) {
        self.ports = ports
        self.channels = channels
        self.counts = counts
    }

    /// If false, leave new messages where they are.
    public var hasRoom: Bool { queue.hasRoom }

    /// When there is something to submit again.
    public var retry: Duration? { queue.retry }

    /// Whether the ledger has taken nothing for longer than `patience`.
    public func isStuck(at now: Duration, patience: Duration) -> Bool {
        queue.refusedSince.map { now - $0 > patience } ?? false
    }

    /// `payload` is nil when it was too long to be read.
    public func take(_ payload: [UInt8]?, from channel: [UInt8]) {
        do throws(RailsBroadcast.Refusal) {
            guard let payload else { throw .size }
            guard let stream = channels.stream(of: channel) else { throw .channel }
            try add(payload, on: stream)
        } catch {
            counts.ignore(error)
        }
    }

    public func take(_ payload: [UInt8], on stream: StreamName) {
        do throws(RailsBroadcast.Refusal) {
            try add(payload, on: stream)
        } catch {
            counts.ignore(error)
        }
    }

    public func reload(_ stream: StreamName) {
        queue.add(Fragment(stream: stream, action: "refresh", content: .none), bytes: 0)
    }

    private func add(_ payload: [UInt8], on stream: StreamName) throws(RailsBroadcast.Refusal) {
        queue.add(try RailsBroadcast.fragment(on: stream, payload: payload), bytes: payload.count)
        counts.messages.add()
    }

    public func submit(at now: Duration) {
        guard let batch = queue.next(at: now) else { return }
        let mailbox = ports.mailbox
        if !ports.submit(batch, { mailbox.send($0) }) { queue.refused(at: now) }
    }

    /// Returns how many broadcasts the ledger will never take, which leaves a gap.
    public func takeCommitments(at now: Duration) -> Int {
        var refused = 0
        for commitment in ports.mailbox.drain() {
            switch commitment {
            case .committed: queue.committed()
            case .busy: queue.refused(at: now)
            case .refused: refused += queue.discard()
            }
        }
        counts.lost.add(refused)
        return refused
    }

    /// Drops what was taken. What is submitted may still be committed, and is not submitted again.
    public func drop() {
        queue.drop()
    }

    /// Call it last.
    public func submitRest() {
        let rest = queue.rest()
        if !rest.isEmpty { _ = ports.submit(rest) { _ in } }
    }
}
