public import Domain
public import Rails
public import Support
import Synchronization

/// Stands where the ledger does, and remembers what it is given, when it was healed, and what was logged.
public final class BroadcastInbox: Sendable {
    public struct Content: Sendable {
        public var texts: [String] = []
        public var heals = 0
        public var starts = 0
        public var lines: [String] = []
        var refusals: [BroadcastCommit?] = []
    }

    private let content = Mutex(Content())
    private let waker = Waker()
    public let metrics = Metrics()

    /// The next batches fare so, before all others are committed; nil is a ledger without room.
    public init(refusals: [BroadcastCommit?] = []) {
        content.withLock { $0.refusals = refusals }
    }

    public var log: Log {
        Log(level: .info, format: .text) { line in self.change { $0.lines.append(line) } }
    }

    public var now: Content { content.withLock { $0 } }

    /// False after 20 seconds.
    public func wait(until condition: (Content) -> Bool) -> Bool {
        let deadline = Deadline(.seconds(60))
        while !condition(now) {
            guard !deadline.hasPassed else { return false }
            waker.wait(timeout: .milliseconds(50))
        }
        return true
    }

    public func metric(_ series: String) -> Int? {
        let line = metrics.page().split(separator: "\n").first { $0.hasPrefix(series + " ") }
        return line.flatMap { Int($0.dropFirst(series.count + 1)) }
    }

    @Sendable public func heal(_ gap: BroadcastGap) {
        change { if gap == .outage { $0.heals += 1 } else { $0.starts += 1 } }
    }

    @Sendable public func submit(
        _ fragments: [Fragment],
        completion: @escaping @Sendable (BroadcastCommit) -> Void
    ) -> Bool {
        let fate = content.withLock { content in
            content.refusals.isEmpty ? .committed : content.refusals.removeFirst()
        }
        guard let fate else { return false }
        if case .committed = fate {
            change { $0.texts += fragments.map { "\($0.stream) \($0.content)" } }
        }
        completion(fate)
        return true
    }

    private func change(_ body: (inout Content) -> Void) {
        content.withLock { body(&$0) }
        waker.wake()
    }
}
