import Domain

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
