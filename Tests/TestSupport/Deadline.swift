import Domain
import Support

/// A moment of the monotonic clock after which a test gives up.
public struct Deadline: Sendable {
    private let end: MonotonicTime

    public init(_ timeout: Duration) {
        end = monotonicNanoseconds() + UInt64(max(0, timeout.milliseconds)) * 1_000_000
    }

    public var hasPassed: Bool { monotonicNanoseconds() >= end }

    /// For `poll(2)`: 0 when it has passed.
    public var remainingMilliseconds: Int32 {
        Int32(clamping: (end - monotonicNanoseconds() + 999_999) / 1_000_000)
    }
}

extension Deadline {
    public struct Passed: Error {
        /// What was waited for.
        public let what: String
    }

    /// Looks again and again until it is so.
    public func wait(for what: String = "", until isSo: () throws -> Bool) throws {
        let pause = Waker()
        while try !isSo() {
            guard !hasPassed else { throw Passed(what: what) }
            pause.wait(timeout: .milliseconds(5))
        }
    }
}
