import Support
import Synchronization

/// Wakes a loop that sleeps, and spares one that will look into its mailbox anyway: while two loops are busy, what they
/// send each other costs neither a `write` nor a `read`.
final class LoopWaker: Sendable {
    private let event: EventDescriptor
    private let isAwake = Atomic(false)

    /// Nil when the process has no descriptor left.
    init?() {
        guard let event = EventDescriptor() else { return nil }
        self.event = event
    }

    /// Watched edge-triggered: each write is reported, so nobody has to read it.
    var descriptor: Int32 { event.descriptor }

    /// Call when something waits in the mailbox, from any thread, outside its lock: either this call sees that the loop
    /// is about to sleep, or the loop sees the message.
    func wakeIfAsleep() {
        if !isAwake.load(ordering: .sequentiallyConsistent) { event.wake() }
    }

    /// Makes the loop take another turn, awake or not.
    func wake() { event.wake() }

    /// On the loop's thread: from now on it looks into the mailbox before it sleeps. Only this thread writes the flag,
    /// so a plain read tells whether a costlier write is needed.
    func awaken() {
        if !isAwake.load(ordering: .relaxed) { isAwake.store(true, ordering: .sequentiallyConsistent) }
    }

    /// On the loop's thread, before its last look into the mailbox.
    func fallAsleep() { isAwake.store(false, ordering: .sequentiallyConsistent) }
}
