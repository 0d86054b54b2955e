public import Domain
public import Support
import Synchronization

/// The thread that answers questions: what a page has missed, what a user holds, and what was committed. What can be asked
/// are the functions of `LedgerQueries`.
///
/// Open it after the writer, which creates the ledger.
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
    private let waker = Waker()
    /// Pages that wait to catch up, in the mailbox and behind it.
    private let pagesWaiting = Atomic<Int>(0)
    private let thread = OwnedThread()

    public init(
        engine: any LedgerEngine,
        clock: Clock,
        policy: AccessPolicy,
        streams: StreamPattern,
        states: RecentStates? = nil
    ) throws(LedgerError) {
        mailbox = Mailbox(capacity: LedgerReader.capacity) { [waker] in waker.wake() }
        try thread.start("ledger-reader") { [self] opened throws(LedgerError) in
            var queries = try engine.openQueries(policy: policy, streams: streams)
            queries.clock = clock
            queries.states = states
            opened(())
            run(&queries)
        }
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

    /// Never blocks. Returns false, and runs nothing, when the reader is full or closing. Both closures run on the reader's
    /// thread, where the completion must not block and the question may run more than once. `stream` is nil unless a page
    /// asks what it missed: streams take turns.
    public func ask<Answer>(
        on stream: StreamName? = nil,
        _ question: @escaping @Sendable (inout LedgerQueries) throws -> Answer,
        _ completion: @escaping LedgerAnswer<Answer>
    ) -> Bool {
        mailbox.send(
            Waiting(stream: stream) { queries in
                let answer = Result { () throws(LedgerError) in try queries.snapshot(question) }
                return QuestionAnswer(isFailure: answer.success == nil) { completion(answer) }
            }
        )
    }

    /// Waits for the answer, so it must not be called from a completion. Throws `busy` when the reader is full or closing, or
    /// when it takes longer than `limit`: whoever answers a request has one, since a disk may never answer.
    public func answer<Answer: Sendable>(
        within limit: Duration? = nil,
        _ question: @escaping @Sendable (inout LedgerQueries) throws -> Answer
    ) throws(LedgerError) -> Answer {
        let promise = Promise<Result<Answer, LedgerError>>()
        guard ask(question, promise.fulfil) else { throw .busy }
        guard let limit else { return try promise.wait().get() }
        guard let answer = promise.wait(timeout: limit) else { throw .busy }
        return try answer.get()
    }

    /// Answers the waiting questions and ends the thread. Must not be called from a completion.
    public func close() {
        mailbox.close()
        thread.join()
    }

    private func run(_ queries: inout LedgerQueries) {
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
                for answer in queries.answer(Array(rest.prefix(LedgerReader.together))) { answer.deliver() }
                rest = rest.dropFirst(LedgerReader.together)
            }
            let turn = pages.take(LedgerReader.turns)
            pagesWaiting.subtract(turn.count, ordering: .relaxed)
            for answer in queries.answer(turn) { answer.deliver() }
            guard pages.isEmpty, mailbox.count == 0 else { continue }
            if isClosing { return }
            waker.wait()
        }
    }
}

extension LedgerReader {
    /// Answers the fragments on `stream` that are newer than `since`. When they are more than `limit` fragments, or
    /// when the cursor is missing or not this ledger's, only the newest fragment of each target.
    public func missed(
        on stream: StreamName,
        since: MissedSince,
        limit: Int = 100,
        completion: @escaping LedgerAnswer<MissedFragments>
    ) -> Bool {
        catchUp(on: stream, completion) { queries in try queries.missed(on: stream, since: since, limit: limit) }
    }

    /// Answers for a page that follows these `members` over one connection, as at one moment. It waits for the turn of
    /// their `union`.
    public func missed(
        on members: [StreamName],
        of union: StreamName,
        since: MissedSince,
        limit: Int = 100,
        completion: @escaping LedgerAnswer<[MissedFragments]>
    ) -> Bool {
        catchUp(on: union, completion) { queries in
            try members.map { try queries.missed(on: $0, since: since, limit: limit) }
        }
    }

    private func catchUp<Answer>(
        on stream: StreamName,
        _ completion: @escaping LedgerAnswer<Answer>,
        question: @escaping @Sendable (inout LedgerQueries) throws -> Answer
    ) -> Bool {
        let mayWait = pagesWaiting.add(1, ordering: .relaxed).newValue <= LedgerReader.capacity
        let isTaken = mayWait && ask(on: stream, question, completion)
        if !isTaken { pagesWaiting.subtract(1, ordering: .relaxed) }
        return isTaken
    }
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
