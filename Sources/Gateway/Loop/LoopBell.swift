internal import Concurrency
internal import Synchronization

/// Wakes a loop that sleeps, and spares one that will look at its mailbox anyway: while two loops are busy, what they
/// hand to each other costs neither a `write` nor a `read`.
final class LoopBell: Sendable {
    private let event: EventDescriptor
    private let isAwake = Atomic(false)

    /// Nil when the process has no descriptor left.
    init?() {
        guard let event = EventDescriptor() else { return nil }
        self.event = event
    }

    /// Readable when the loop was woken; the loop watches it. So nothing of lws is called from a thread other than its own.
    var descriptor: Int32 { event.descriptor }

    /// Something waits in the mailbox. Any thread, behind the mailbox's lock: either this sees that the loop is about to
    /// sleep, or the loop sees what waits.
    func ring() {
        if !isAwake.load(ordering: .sequentiallyConsistent) { event.wake() }
    }

    /// Has the loop come round once more, awake or not.
    func force() { event.wake() }

    /// On the loop's thread: it looks into the mailbox before it sleeps.
    func awaken() { isAwake.store(true, ordering: .sequentiallyConsistent) }

    /// On the loop's thread, before its last look into the mailbox.
    func fallAsleep() { isAwake.store(false, ordering: .sequentiallyConsistent) }

    /// On the loop's thread: it was heard.
    func clear() { event.clear() }
}
