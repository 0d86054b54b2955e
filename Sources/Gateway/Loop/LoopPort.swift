internal import Concurrency
internal import Domain
internal import Hub
internal import Synchronization

/// The only door into a loop, for any thread.
final class LoopPort: Sendable {
    enum Mail: Sendable {
        case reply(ConnectionID, Response)
        case missed(SubscriptionID, MissedMessages)
        case publish([Publication])
        /// Transient: no entry of the ledger stands for them.
        case broadcast([Message])
        case refreshPages
        /// What has been rendered is out of date.
        case forgetRecentMessages
        case forgetRecentMessagesOn(StreamName)
        /// New connections are shown this one.
        case identity(ServerIdentity)
        /// Answered in its turn: the loop turns.
        case echo(Promise<Void>)
        case drain(Promise<Void>)
        case stop
    }

    private let bell: LoopBell
    private let mailbox: Mailbox<Mail>
    /// The streams that somebody of this loop follows, and how many do: for the other loops.
    private let followed = Mutex<[StreamName: Int]>([:])

    /// Nil when the process has no descriptor left.
    init?() {
        guard let bell = LoopBell() else { return nil }
        self.bell = bell
        // Unbounded on purpose: what arrives was admitted by bounded queues before it, and a reply must never be lost.
        mailbox = Mailbox(capacity: .max) { bell.ring() }
    }

    var alarm: Int32 { bell.descriptor }

    func send(_ mail: Mail) {
        mailbox.send(mail)
    }

    /// Has the loop come round once more, though nothing was sent.
    func wake() {
        bell.force()
    }

    // MARK: On the loop's thread

    /// The alarm was heard.
    func clear() { bell.clear() }

    /// From now on the loop looks for messages before it sleeps.
    func awaken() { bell.awaken() }

    /// False: something has come, and the loop stays awake.
    func fallAsleep() -> Bool {
        bell.fallAsleep()
        guard !isEmpty else { return true }
        bell.awaken()
        return false
    }

    /// What waits.
    func take() -> [Mail] { mailbox.drain() }

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
