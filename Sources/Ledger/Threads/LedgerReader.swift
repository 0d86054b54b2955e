public import Domain
public import Support
import Synchronization

/// The thread that answers questions: what a page has missed, what a user holds, and what was committed.
///
/// Calls never block and answer false when the reader is full or closing; completions run on the reader's thread and
/// must not block. Open it after the writer, which creates the ledger.
public final class LedgerReader: Sendable {
    private static let capacity = 10_000

    /// How many questions are answered from one snapshot: those behind them wait only milliseconds.
    private static let together = 256
    /// How many pages catch up between two looks at the mailbox: each may read 256 KiB.
    private static let turns = 32

    private struct Waiting {
        /// Nil unless a page asks what it missed.
        var stream: StreamName?
        var question: LedgerQueries.Question
    }

    private let mailbox: Mailbox<Waiting>
    /// Pages that wait to catch up, in the mailbox and behind it.
    private let pagesWaiting: PageCount
    private let thread = OwnedThread()
    private let clock: Clock
    private let states: RecentStates?

    public init(
        engine: any LedgerEngine,
        clock: Clock,
        policy: AccessPolicy,
        streams: StreamPattern,
        states: RecentStates? = nil
    ) throws(LedgerError) {
        let waker = Waker()
        let mailbox = Mailbox<Waiting>(capacity: LedgerReader.capacity) { waker.wake() }
        let pagesWaiting = PageCount()
        let opened = Promise<LedgerError?>()
        thread.start("ledger-reader") {
            do throws(LedgerError) {
                var queries = try engine.openQueries(policy: policy, streams: streams)
                opened.fulfil(nil)
                LedgerReader.run(&queries, mailbox: mailbox, pagesWaiting: pagesWaiting, waker: waker)
            } catch {
                opened.fulfil(error)
            }
        }
        if let error = opened.wait() {
            thread.join()
            throw error
        }
        self.mailbox = mailbox
        self.pagesWaiting = pagesWaiting
        self.clock = clock
        self.states = states
    }

    /// Questions from now on are answered by this policy.
    public func adopt(_ policy: AccessPolicy) -> Bool {
        mailbox.send(
            Waiting { queries in
                queries.adopt(policy)
                return QuestionAnswer(isFailure: false) {}
            }
        )
    }

    private func ask<Answer>(
        on stream: StreamName? = nil,
        _ completion: @escaping LedgerAnswer<Answer>,
        question: @escaping @Sendable (inout LedgerQueries) throws(LedgerError) -> Answer
    ) -> Bool {
        mailbox.send(
            Waiting(stream: stream) { queries in
                let answer = Result { () throws(LedgerError) in try question(&queries) }
                return QuestionAnswer(isFailure: answer.success == nil) { completion(answer) }
            }
        )
    }

    /// Answers the waiting questions and ends the thread. Must not be called from a completion.
    public func close() {
        mailbox.close()
        thread.join()
    }

    private static func run(
        _ queries: inout LedgerQueries,
        mailbox: Mailbox<Waiting>,
        pagesWaiting: PageCount,
        waker: Waker
    ) {
        var pages = CatchUpTurns()
        while true {
            // The order matters: once the closing is seen, everything that was sent before it is still drained.
            let isClosing = mailbox.isClosed
            var rest: ArraySlice<LedgerQueries.Question> = []
            for waiting in mailbox.drain() {
                if let stream = waiting.stream {
                    pages.append(waiting.question, on: stream)
                } else {
                    rest.append(waiting.question)
                }
            }
            while !rest.isEmpty {
                for answer in queries.answer(Array(rest.prefix(together))) { answer.deliver() }
                rest = rest.dropFirst(together)
            }
            let turn = pages.take(turns)
            pagesWaiting.give(turn.count)
            for answer in queries.answer(turn) { answer.deliver() }
            guard pages.isEmpty, mailbox.count == 0 else { continue }
            if isClosing { return }
            waker.wait()
        }
    }
}

/// Questions about what was committed.
extension LedgerReader {
    /// Answers the fragments on `stream` that are newer than `since`. When they are more than `limit` fragments, or
    /// when the cursor is missing or not this ledger's, only the newest fragment of each target.
    public func missed(
        on stream: StreamName,
        since: MissedSince,
        limit: Int = 100,
        completion: @escaping LedgerAnswer<MissedFragments>
    ) -> Bool {
        guard pagesWaiting.take(upTo: LedgerReader.capacity) else { return false }
        let isTaken = ask(on: stream, completion) { queries throws(LedgerError) in
            try queries.missed(on: stream, since: since, limit: limit)
        }
        if !isTaken { pagesWaiting.give(1) }
        return isTaken
    }

    /// At most `limit` entries after `position`, with their fragments. The next page begins at `through`.
    public func entries(
        _ selection: EntrySelection = .all,
        after position: Int64,
        limit: Int,
        completion: @escaping LedgerAnswer<EntryPage>
    ) -> Bool {
        ask(completion) { queries throws(LedgerError) in
            try queries.entries(selection, after: position, limit: limit)
        }
    }

    /// At most `limit` entries, newest first, between two positions that are left out themselves. The next page ends
    /// after `through`.
    public func newest(
        _ selection: EntrySelection,
        after oldest: Int64 = 0,
        before newest: Int64? = nil,
        limit: Int,
        completion: @escaping LedgerAnswer<EntryPage>
    ) -> Bool {
        ask(completion) { queries throws(LedgerError) in
            try queries.newest(selection, after: oldest, before: newest, limit: limit)
        }
    }

    /// The newest position.
    public func head(completion: @escaping LedgerAnswer<Cursor>) -> Bool {
        ask(completion) { queries throws(LedgerError) in try queries.head() }
    }

    /// Answers a position after which everything was committed at `instant` or later.
    public func position(before instant: Instant, completion: @escaping LedgerAnswer<Int64>) -> Bool {
        ask(completion) { queries throws(LedgerError) in try queries.position(before: instant) }
    }

    /// Nil for a name that nothing has.
    public func event(_ name: EventName, completion: @escaping LedgerAnswer<EventRecord?>) -> Bool {
        ask(completion) { queries throws(LedgerError) in try queries.event(name) }
    }

    /// Stored events in the order of their positions. The next page begins after the last one's.
    public func events(
        _ selection: EventSelection,
        limit: Int,
        completion: @escaping LedgerAnswer<[StoredEvent]>
    ) -> Bool {
        ask(completion) { queries throws(LedgerError) in try queries.events(selection, limit: limit) }
    }

    /// A contract, to be rebuilt; nil if there is none. Its newest event is looked for up to position `until`.
    public func contract(
        _ id: Int64,
        until position: Int64,
        completion: @escaping LedgerAnswer<ContractRebuild?>
    ) -> Bool {
        ask(completion) { queries throws(LedgerError) in try queries.contract(id, until: position) }
    }
}

/// Questions of operators.
extension LedgerReader {
    /// What has such a name: a user, an order, a contract, an account at a store, or an event.
    public func search(_ name: String, completion: @escaping LedgerAnswer<[SearchHit]>) -> Bool {
        ask(completion) { queries throws(LedgerError) in try queries.search(name) }
    }

    /// What somebody should look at. `addresses` are the backend's.
    public func attention(of addresses: [String], completion: @escaping LedgerAnswer<Attention>) -> Bool {
        ask(completion) { [clock] queries throws(LedgerError) in
            try queries.attention(of: addresses, now: clock.now())
        }
    }

    /// Whether a request with this key was made once, at any node.
    public func hasKey(_ key: IdempotencyKey, completion: @escaping LedgerAnswer<Bool>) -> Bool {
        ask(completion) { queries throws(LedgerError) in try queries.hasKey(key) }
    }

    /// Entries of the audit, newest first.
    public func audit(_ selection: AuditSelection, limit: Int, completion: @escaping LedgerAnswer<AuditPage>) -> Bool {
        ask(completion) { queries throws(LedgerError) in try queries.audit(selection, limit: limit) }
    }
}

/// Questions about jobs, and about the readings of the stores.
extension LedgerReader {
    /// The destinations that have jobs due.
    public func jobDestinations(dueAt now: Instant, completion: @escaping LedgerAnswer<[Job.Destination]>) -> Bool {
        ask(completion) { queries throws(LedgerError) in try queries.jobDestinations(dueAt: now) }
    }

    /// One destination's jobs that are due, earliest first.
    public func jobs(
        dueAt now: Instant,
        to destination: Job.Destination,
        limit: Int,
        completion: @escaping LedgerAnswer<[QueuedJob]>
    ) -> Bool {
        ask(completion) { queries throws(LedgerError) in
            try queries.jobs(dueAt: now, to: destination, limit: limit)
        }
    }

    /// `previous` is the last answer, which saves counting again what has not changed.
    public func jobBacklog(after previous: JobBacklog? = nil, completion: @escaping LedgerAnswer<JobBacklog>) -> Bool {
        ask(completion) { queries throws(LedgerError) in try queries.jobBacklog(after: previous) }
    }

    /// The instant that `LedgerCommand.mark` remembered.
    public func checkpoint(_ name: String, completion: @escaping LedgerAnswer<Instant?>) -> Bool {
        ask(completion) { queries throws(LedgerError) in try queries.checkpoint(name) }
    }

    /// A store's contracts whose period has ended and whose access continues for the leeway while the store is asked.
    /// Empty for a store that cannot be asked.
    public func expiring(
        of provider: Provider,
        at now: Instant,
        limit: Int,
        completion: @escaping LedgerAnswer<[ContractKey]>
    ) -> Bool {
        ask(completion) { queries throws(LedgerError) in
            try queries.expiring(of: provider, at: now, limit: limit)
        }
    }
}

/// Questions about one user, and one order.
extension LedgerReader {
    public func entitlements(of user: UserID, completion: @escaping LedgerAnswer<UserEntitlements>) -> Bool {
        ask(completion) { [clock] queries throws(LedgerError) in
            try queries.entitlements(of: user, now: clock.now())
        }
    }

    /// The answer is nil when no app has said which language the user reads.
    public func language(of user: UserID, completion: @escaping LedgerAnswer<LanguageTag?>) -> Bool {
        ask(completion) { queries throws(LedgerError) in try queries.language(of: user) }
    }

    /// Fills in the users' languages in fragments that are not in the ledger.
    public func written(_ fragments: [Fragment], completion: @escaping LedgerAnswer<[Fragment]>) -> Bool {
        ask(completion) { queries throws(LedgerError) in try queries.written(fragments) }
    }

    /// `isWhole` asks for every order and consumable instead of the newest 100 of each.
    public func record(of user: UserID, isWhole: Bool = false, completion: @escaping LedgerAnswer<UserRecord>) -> Bool {
        ask(completion) { [clock] queries throws(LedgerError) in
            try queries.record(of: user, isWhole: isWhole, now: clock.now())
        }
    }

    /// At most `limit` events, newest first, all of them before `position`; without a position, from the newest on.
    /// `stream` is what the user's pages follow.
    public func userEvents(
        of user: UserID,
        shownOn stream: StreamName?,
        before position: Int64? = nil,
        limit: Int,
        withBodies: Bool = false,
        completion: @escaping LedgerAnswer<UserEvents>
    ) -> Bool {
        ask(completion) { queries throws(LedgerError) in
            try queries.userEvents(
                of: user,
                shownOn: stream,
                before: position ?? .max,
                limit: limit,
                withBodies: withBodies
            )
        }
    }

    /// The order is nil for a token that no order has; the cursor is the newest position.
    public func order(
        _ token: OrderToken,
        completion: @escaping LedgerAnswer<(order: OrderRecord?, head: Cursor)>
    ) -> Bool {
        ask(completion) { [clock] queries throws(LedgerError) in try queries.order(token, now: clock.now()) }
    }
}

/// Questions about what the app's backend is told.
extension LedgerReader {
    /// At most `limit` messages to an address that are due, those that have waited longest first.
    public func hooks(to address: String, limit: Int, completion: @escaping LedgerAnswer<[DueHook]>) -> Bool {
        ask(completion) { [clock, states] queries throws(LedgerError) in
            try queries.hooks(dueAt: clock.now(), to: address, limit: limit, knowing: states)
        }
    }

    /// How these addresses fare.
    public func hookAddresses(_ addresses: [String], completion: @escaping LedgerAnswer<[HookAddressState]>) -> Bool {
        ask(completion) { queries throws(LedgerError) in try queries.hookAddresses(addresses) }
    }

    /// Nil for an id that no message has.
    public func hookDelivery(_ id: Int64, completion: @escaping LedgerAnswer<HookDelivery?>) -> Bool {
        ask(completion) { queries throws(LedgerError) in try queries.hookDelivery(id) }
    }

    /// At most `limit` messages, the newest rows first, with ids below `id`; nil means all states.
    public func hookDeliveries(
        in state: HookState?,
        before id: Int64,
        limit: Int,
        completion: @escaping LedgerAnswer<[HookDelivery]>
    ) -> Bool {
        ask(completion) { queries throws(LedgerError) in
            try queries.hookDeliveries(in: state, before: id, limit: limit)
        }
    }

    /// All messages about a user: one for each address and type.
    public func hookDeliveries(of user: UserID, completion: @escaping LedgerAnswer<[HookDelivery]>) -> Bool {
        ask(completion) { queries throws(LedgerError) in try queries.hookDeliveries(of: user) }
    }
}

private final class PageCount: Sendable {
    private let count = Atomic<Int>(0)

    /// False if that many are taken.
    func take(upTo limit: Int) -> Bool {
        guard count.add(1, ordering: .relaxed).newValue <= limit else {
            give(1)
            return false
        }
        return true
    }

    func give(_ number: Int) { count.subtract(number, ordering: .relaxed) }
}

/// Questions of pages about what they missed, by stream. Streams take turns: a user with hundreds of pages, or a client that
/// comes back ever again, makes no other user wait.
struct CatchUpTurns {
    private var waiting: [StreamName: ArraySlice<LedgerQueries.Question>] = [:]
    /// The streams that have questions, the next one first.
    private var order: ArraySlice<StreamName> = []

    var isEmpty: Bool { order.isEmpty }

    mutating func append(_ question: @escaping LedgerQueries.Question, on stream: StreamName) {
        if waiting[stream] == nil { order.append(stream) }
        waiting[stream, default: []].append(question)
    }

    /// One of each stream, then the second of each, up to `limit`.
    mutating func take(_ limit: Int) -> [LedgerQueries.Question] {
        var taken: [LedgerQueries.Question] = []
        while taken.count < limit, let stream = order.popFirst() {
            guard var questions = waiting.removeValue(forKey: stream), let next = questions.popFirst() else { continue }
            taken.append(next)
            guard !questions.isEmpty else { continue }
            waiting[stream] = questions
            order.append(stream)
        }
        return taken
    }
}
