import Concurrency
import Domain
import Observability
import Redis
import Synchronization
import TestSupport
import Testing

/// Stands where the ledger does, and remembers what it is given, when it was healed, and what was logged.
final class Inbox: Sendable {
    struct Content: Sendable {
        var texts: [String] = []
        var heals = 0
        var starts = 0
        var lines: [String] = []
        var refusals: [RedisListener.PurchaseCommit?] = []
        var attempts = 0
    }

    private let content = Mutex(Content())
    private let waker = Waker()
    let metrics = Metrics()

    /// The next batches fare so, before all others are committed; nil is a ledger without room.
    init(refusals: [RedisListener.PurchaseCommit?] = []) {
        content.withLock { $0.refusals = refusals }
    }

    /// A listener that has been started.
    func listener(_ url: String, prefix: String? = nil, timing: RedisTiming = .quick()) throws -> RedisListener {
        let settings = RedisSettings(url: try RedisURL(url), prefix: prefix)
        let log = Log(level: .info, format: .text) { line in self.change { $0.lines.append(line) } }
        let listener = try #require(
            RedisListener(settings, timing: timing, log: log, metrics: metrics, submit: submit)
        )
        listener.start { gap in
            self.change { if gap == .outage { $0.heals += 1 } else { $0.starts += 1 } }
        }
        return listener
    }

    var now: Content { content.withLock { $0 } }

    /// False after 20 seconds.
    func wait(until condition: (Content) -> Bool) -> Bool {
        let deadline = Deadline(.seconds(20))
        while !condition(now) {
            guard !deadline.hasPassed else { return false }
            waker.wait(timeout: .milliseconds(50))
        }
        return true
    }

    func metric(_ series: String) -> Int? {
        let line = metrics.page().split(separator: "\n").first { $0.hasPrefix(series + " ") }
        return line.flatMap { Int($0.dropFirst(series.count + 1)) }
    }

    @Sendable private func submit(
        _ fragments: [Fragment],
        completion: @escaping @Sendable (RedisListener.PurchaseCommit) -> Void
    ) -> Bool {
        let fate = content.withLock { content in
            content.attempts += 1
            return content.refusals.isEmpty ? .committed : content.refusals.removeFirst()
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

extension RedisTiming {
    /// So that outages take moments. A stall of the test's machine is none: whoever tests silence asks for less patience.
    static func quick(patience: Duration = .seconds(20), ledgerPatience: Duration = .seconds(20)) -> RedisTiming {
        RedisTiming(
            heartbeat: .milliseconds(50),
            patience: patience,
            ledgerPatience: ledgerPatience,
            pause: .milliseconds(10) ... .milliseconds(100)
        )
    }
}
