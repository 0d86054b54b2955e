import Support
import Synchronization

/// Messages that were not passed on because too much waited: each is counted, and the log tells. Any thread may use it.
final class MessageLoss: Sendable {
    private let count: Counter
    private let log: Log
    private let message: StaticString
    private let repetition = Mutex(Repetition())

    init(_ count: Counter, log: Log, message: StaticString) {
        self.count = count
        self.log = log
        self.message = message
    }

    func add(_ times: Int = 1) {
        count.add(times)
        let now = monotonicNanoseconds()
        guard let due = repetition.withLock({ $0.add(times, now: now) }) else { return }
        log.warning(message, fields: ["count": due, "todo": "publish less at once, or without transient"])
    }
}
