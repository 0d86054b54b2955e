internal import Domain
internal import Hub
internal import Runtime
internal import Synchronization

/// The only door into a loop, for any thread.
final class LoopPort: Sendable {
    enum Message: Sendable {
        case reply(ConnectionID, Response)
        case missed(SubscriptionID, MissedMessages)
        case publish([Publication])
        case refreshPages
        /// What has been rendered is out of date.
        case forgetRecentMessages
        /// New connections are shown this one.
        case identity(ServerIdentity)
        case drain(Promise<Void>)
        case stop
    }

    /// Its descriptor is readable when something waits; the loop watches it. So nothing of lws is called from a thread
    /// other than its own.
    private let waker = Waker()
    private let mailbox: Mailbox<Message>
    /// The streams that somebody of this loop follows, and how many do: for the other loops.
    private let followed = Mutex<[StreamName: Int]>([:])

    init() {
        let waker = waker
        // Unbounded on purpose: what arrives was admitted by bounded queues before it, and a reply must never be lost.
        mailbox = Mailbox(capacity: .max) { waker.wake() }
    }

    var alarm: Int32 { waker.descriptor }

    func send(_ message: Message) {
        mailbox.send(message)
    }

    /// Has the loop come round once more, though nothing was sent.
    func wake() {
        waker.wake()
    }

    /// On the loop's thread: the alarm is heard, and what waits is taken.
    func take() -> [Message] {
        waker.clear()
        return mailbox.drain()
    }

    /// A hand-over to another thread costs more than the whole fan-out to one page: ask before a transient broadcast.
    func follows(_ stream: StreamName) -> Bool {
        followed.withLock { $0[stream] != nil }
    }

    /// On the loop's thread: one follower more or less.
    func count(_ change: Int, followersOf stream: StreamName) {
        followed.withLock { followed in
            let count = followed[stream, default: 0] + change
            followed[stream] = count > 0 ? count : nil
        }
    }

    var isEmpty: Bool { mailbox.count == 0 }
}
