import Domain
import Pages
import Support
import Synchronization

/// The only door into a loop, for any thread.
final class LoopPort: Sendable {
    /// What is frequent has a case of its own, which costs no closure. `owed` is what the loop owes its pages until the last of
    /// the messages is written.
    enum Mail: Sendable {
        case catchUp(SubscriptionID, CatchUpBatch)
        case publish(ArraySlice<Publication>, owed: Int)
        /// Transient messages: the ledger has no entry for them.
        case broadcast(ArraySlice<Message>, owed: Int)
        /// Anything else that is done on the loop's thread.
        case run(@Sendable (SocketLoop) -> Void)
    }

    /// A response to a request that waits for it.
    struct Answered: Sendable {
        let id: ConnectionID
        let response: Response
    }

    /// What a loop writes in less than a tenth of a second. Publishers that can wait do not exceed it.
    static let owedLimit = 16 << 20
    /// What a write costs beside its bytes, at the most: joined messages share one.
    private static let write = 1 << 10
    /// What a publication takes in memory besides its messages.
    private static let publication = 256

    /// Makes the loop take another turn.
    let waker: LoopWaker
    private let mailbox: Mailbox<Mail>
    /// They overtake the mail: whoever asked does not wait for a burst of messages.
    private let answers: Mailbox<Answered>
    /// Bytes that were handed over and are not written yet, counted for each page.
    private let bytes = Atomic(0)
    /// The streams that this loop's connections follow, and how many follow each: for the other loops.
    private let followed = Mutex<[StreamName: Int]>([:])

    /// Called with a stream that nobody followed at this loop before.
    private let onFollow: (@Sendable (StreamName) -> Void)?

    /// Nil if the process has no descriptor left.
    init?(onFollow: (@Sendable (StreamName) -> Void)? = nil) {
        self.onFollow = onFollow
        guard let waker = LoopWaker() else { return nil }
        self.waker = waker
        // Unbounded on purpose: what is committed and a reply must never be lost. Publishers wait for `hasRoom` instead, and
        // bounded queues have admitted the rest.
        mailbox = Mailbox(capacity: .max) { waker.wakeIfAsleep() }
        answers = Mailbox(capacity: .max) { waker.wakeIfAsleep() }
    }

    func send(_ mail: Mail) {
        mailbox.send(mail)
    }

    func answer(_ response: Response, to id: ConnectionID) {
        answers.send(Answered(id: id, response: response))
    }

    /// Hands over publications, whether anybody follows their streams or not.
    func publish(_ publications: [Publication]) {
        let owed = followed.withLock { followed in
            publications.reduce(0) { sum, publication in
                publication.messages.reduce(sum + LoopPort.publication) { sum, message in
                    sum + message.cost + LoopPort.owed(for: message, to: followed[message.stream])
                }
            }
        }
        bytes.add(owed, ordering: .relaxed)
        mailbox.send(.publish(publications[...], owed: owed))
    }

    /// Hands over transient messages if anybody follows their streams: handing one to another thread costs more than the
    /// whole fan-out to one page.
    func broadcast(_ messages: ArraySlice<Message>) {
        let owed = followed.withLock { followed in
            messages.reduce(0) { $0 + LoopPort.owed(for: $1, to: followed[$1.stream]) }
        }
        guard owed > 0 else { return }
        bytes.add(owed, ordering: .relaxed)
        mailbox.send(.broadcast(messages, owed: owed))
    }

    /// Runs `work` on this port's loop after the mail that waits now, also that of the `others`.
    func run(after others: ArraySlice<LoopPort>, _ work: @escaping @Sendable (SocketLoop) -> Void) {
        guard let other = others.first else { return send(.run(work)) }
        other.send(.run { [self] _ in run(after: others.dropFirst(), work) })
    }

    private static func owed(for message: Message, to pages: Int?) -> Int {
        pages.map { $0 * (message.cost + write) } ?? 0
    }

    // MARK: For any thread

    /// Bytes that were handed over and are not written yet, counted for each page.
    var owed: Int { bytes.load(ordering: .relaxed) }

    /// False while the loop is behind: publishers that can wait do.
    var hasRoom: Bool { owed < LoopPort.owedLimit }

    /// The streams that pages of this loop follow.
    var pageStreams: [StreamName] {
        followed.withLock { $0 }.keys.filter { !$0.isInternal }
    }

    func follows(_ stream: StreamName) -> Bool {
        followed.withLock { $0[stream] != nil }
    }

    // MARK: On the loop's thread

    /// Returns false if something has arrived and the loop stays awake.
    func fallAsleep() -> Bool {
        waker.fallAsleep()
        guard !hasMail, answers.count == 0 else {
            waker.awaken()
            return false
        }
        return true
    }

    var hasMail: Bool { mailbox.count > 0 }

    /// Takes everything that waits.
    func takeMail() -> [Mail] { hasMail ? mailbox.drain() : [] }

    /// Takes all answers that wait.
    func takeAnswers() -> [Answered] { answers.count > 0 ? answers.drain() : [] }

    /// What was handed over is written.
    func wrote(_ owed: Int) { bytes.subtract(owed, ordering: .relaxed) }

    /// Changes how many follow a stream.
    func count(_ change: Int, followersOf stream: StreamName) {
        let isFirst = followed.withLock { followed in
            let count = LoopPort.add(change, to: &followed[stream, default: 0])
            if count == 0 { followed[stream] = nil }
            return count == 1 && change == 1
        }
        if isFirst, !stream.isInternal { onFollow?(stream) }
    }

    /// One lookup, since each hashes the whole name.
    private static func add(_ change: Int, to count: inout Int) -> Int {
        count += change
        return count
    }
}
