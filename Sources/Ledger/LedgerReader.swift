public import Concurrency
public import Domain
internal import Synchronization

/// The thread that answers questions: what a page has missed, what a user holds, what was committed.
///
/// Calls never block and answer false when the reader is full or closing; completions run on the reader's thread and
/// must not block. Open it after the writer, which makes the file.
public final class LedgerReader: Sendable {
    private static let capacity = 10_000

    typealias Question = @Sendable (borrowing LedgerQueries) -> Void

    let mailbox: Mailbox<Question>
    private let thread: Mutex<WorkerThread?>
    let clock: Clock

    public init(path: String, clock: Clock, policy: AccessPolicy, streams: StreamPattern) throws(LedgerError) {
        let waker = Waker()
        let mailbox = Mailbox<Question>(capacity: LedgerReader.capacity) { waker.wake() }
        let opened = Promise<LedgerError?>()
        let thread = WorkerThread(name: "ledger-reader") {
            do throws(LedgerError) {
                let queries = try LedgerQueries(path: path, policy: policy, streams: streams)
                opened.fulfil(nil)
                LedgerReader.run(queries, mailbox, waker)
            } catch {
                opened.fulfil(error)
            }
        }
        if let error = opened.wait() {
            thread.join()
            throw error
        }
        self.mailbox = mailbox
        self.thread = Mutex(thread)
        self.clock = clock
    }

    /// What is asked from now on is answered by these rules.
    public func adopt(_ policy: AccessPolicy) -> Bool {
        mailbox.send { queries in queries.adopt(policy) }
    }

    /// What is newer than `since` on `stream`. Beyond `limit` fragments, without a cursor, and with one that is not
    /// this ledger's: the newest fragment of each target.
    public func missed(
        on stream: StreamName,
        since: MissedSince,
        limit: Int = 100,
        completion: @escaping @Sendable (Result<MissedFragments, LedgerError>) -> Void
    ) -> Bool {
        mailbox.send { queries in
            completion(Result { () throws(LedgerError) in try queries.missed(on: stream, since: since, limit: limit) })
        }
    }

    /// At most `limit` entries after `position`, with their fragments; page on with `through`.
    public func entries(
        _ selection: EntrySelection = .all,
        after position: Int64,
        limit: Int,
        completion: @escaping @Sendable (Result<EntryPage, LedgerError>) -> Void
    ) -> Bool {
        mailbox.send { queries in
            completion(
                Result { () throws(LedgerError) in try queries.entries(selection, after: position, limit: limit) }
            )
        }
    }

    /// The newest position.
    public func head(completion: @escaping @Sendable (Result<Cursor, LedgerError>) -> Void) -> Bool {
        mailbox.send { queries in
            completion(Result { () throws(LedgerError) in try queries.head() })
        }
    }

    /// Everything after this position was committed at `instant` or later.
    public func position(
        before instant: Instant,
        completion: @escaping @Sendable (Result<Int64, LedgerError>) -> Void
    ) -> Bool {
        mailbox.send { queries in
            completion(Result { () throws(LedgerError) in try queries.position(before: instant) })
        }
    }

    /// For whom there are errands whose time has come.
    public func errandDestinations(
        dueAt now: Instant,
        completion: @escaping @Sendable (Result<[Errand.Destination], LedgerError>) -> Void
    ) -> Bool {
        mailbox.send { queries in
            completion(Result { () throws(LedgerError) in try queries.errandDestinations(dueAt: now) })
        }
    }

    /// One destination's errands whose time has come, the oldest first.
    public func errands(
        dueAt now: Instant,
        to destination: Errand.Destination,
        limit: Int,
        completion: @escaping @Sendable (Result<[QueuedErrand], LedgerError>) -> Void
    ) -> Bool {
        mailbox.send { queries in
            completion(
                Result { () throws(LedgerError) in try queries.errands(dueAt: now, to: destination, limit: limit) }
            )
        }
    }

    /// `previous`: the last answer, which spares counting again what has not changed.
    public func errandBacklog(
        after previous: ErrandBacklog? = nil,
        completion: @escaping @Sendable (Result<ErrandBacklog, LedgerError>) -> Void
    ) -> Bool {
        mailbox.send { queries in
            completion(Result { () throws(LedgerError) in try queries.errandBacklog(after: previous) })
        }
    }

    /// What `LedgerCommand.mark` remembered.
    public func mark(
        _ name: String,
        completion: @escaping @Sendable (Result<Instant?, LedgerError>) -> Void
    ) -> Bool {
        mailbox.send { queries in
            completion(Result { () throws(LedgerError) in try queries.mark(name) })
        }
    }

    /// A store's contracts whose period has ended and whose access goes on for the leeway, while it is asked. None of a
    /// store that cannot be asked.
    public func expiring(
        of provider: Provider,
        at now: Instant,
        limit: Int,
        completion: @escaping @Sendable (Result<[ContractKey], LedgerError>) -> Void
    ) -> Bool {
        mailbox.send { queries in
            completion(Result { () throws(LedgerError) in try queries.expiring(of: provider, at: now, limit: limit) })
        }
    }

    /// Stored events in the order of their positions; page on with the last one's.
    public func events(
        _ selection: EventSelection,
        limit: Int,
        completion: @escaping @Sendable (Result<[StoredEvent], LedgerError>) -> Void
    ) -> Bool {
        mailbox.send { queries in
            completion(Result { () throws(LedgerError) in try queries.events(selection, limit: limit) })
        }
    }

    /// Nil if there is no such entry; `until` is the last position of interest.
    public func contract(
        _ id: Int64,
        until position: Int64,
        completion: @escaping @Sendable (Result<StoredContract?, LedgerError>) -> Void
    ) -> Bool {
        mailbox.send { queries in
            completion(Result { () throws(LedgerError) in try queries.contract(id, until: position) })
        }
    }

    /// Answers what waits and ends the thread. Not from a completion.
    public func close() {
        mailbox.close()
        let running = thread.withLock { thread in
            defer { thread = nil }
            return thread
        }
        running?.join()
    }

    private static func run(_ queries: borrowing LedgerQueries, _ mailbox: Mailbox<Question>, _ waker: Waker) {
        while true {
            // In this order: what was sent before the closing is drained after it is seen.
            let isClosing = mailbox.isClosed
            let waiting = mailbox.drain()
            for question in waiting { question(queries) }
            guard waiting.isEmpty else { continue }
            if isClosing { return }
            waker.wait()
        }
    }
}
