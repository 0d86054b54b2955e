/// Lets a thread sleep until another one calls `wake`.
public final class Waker: Sendable {
    private let isPending = Monitor(false)

    public init() {}

    public func wake() {
        isPending.change { $0 = true }
    }

    /// Sleeps until woken, or for `timeout` at most. One wait consumes all earlier wakes.
    public func wait(timeout: Duration? = nil) {
        guard let timeout else { return isPending.wait(for: Waker.take) }
        isPending.wait(timeout: timeout, for: Waker.take)
    }

    private static func take(_ isPending: inout Bool) -> Void? {
        guard isPending else { return nil }
        isPending = false
        return ()
    }
}
