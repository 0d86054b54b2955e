import Domain
import Pages
import Support
import Synchronization

/// The only door into a loop, for any thread.
final class LoopPort: Sendable {
    /// What is frequent has a case of its own, which costs no closure.
    enum Mail: Sendable {
        case reply(ConnectionID, Response)
        case catchUp(SubscriptionID, CatchUpBatch)
        case publish([Publication])
        /// Transient messages: the ledger has no entry for them.
        case broadcast([Message])
        /// Anything else that is done on the loop's thread.
        case run(@Sendable (SocketLoop) -> Void)
    }

    /// Makes the loop take another turn.
    let waker: LoopWaker
    private let mailbox: Mailbox<Mail>
    /// The streams that this loop's connections follow, and how many follow each: for the other loops.
    private let followed = Mutex<[StreamName: Int]>([:])

    /// Called with a stream that nobody followed at this loop before.
    private let onFollow: (@Sendable (StreamName) -> Void)?

    /// Nil if the process has no descriptor left.
    init?(onFollow: (@Sendable (StreamName) -> Void)? = nil) {
        self.onFollow = onFollow
        guard let waker = LoopWaker() else { return nil }
        self.waker = waker
        // Unbounded on purpose: bounded queues have already admitted what arrives, and a reply must never be lost.
        mailbox = Mailbox(capacity: .max) { waker.wakeIfAsleep() }
    }

    func send(_ mail: Mail) {
        mailbox.send(mail)
    }

    // MARK: On the loop's thread

    /// Returns false if something has arrived and the loop stays awake.
    func fallAsleep() -> Bool {
        waker.fallAsleep()
        guard !isEmpty else { return true }
        waker.awaken()
        return false
    }

    /// Takes everything that waits.
    func take() -> [Mail] { mailbox.drain() }

    /// Called by any loop. Handing a message to another thread costs more than the whole fan-out to one page, so ask
    /// this before a transient broadcast.
    func follows(_ stream: StreamName) -> Bool {
        followed.withLock { $0[stream] != nil }
    }

    /// On the loop's thread: changes how many follow a stream.
    func count(_ change: Int, followersOf stream: StreamName) {
        let isFirst = followed.withLock { followed in
            let count = LoopPort.add(change, to: &followed[stream, default: 0])
            if count == 0 { followed[stream] = nil }
            return count == 1 && change == 1
        }
        if isFirst, !stream.isFeed { onFollow?(stream) }
    }

    /// One lookup, since each hashes the whole name.
    private static func add(_ change: Int, to count: inout Int) -> Int {
        count += change
        return count
    }

    /// The streams that pages of this loop follow. For any thread.
    var pageStreams: [StreamName] {
        followed.withLock { $0 }.keys.filter { !$0.isFeed }
    }

    var isEmpty: Bool { mailbox.count == 0 }
}
