/// An answer as soon as it is known. It is asked for once, and nobody waits for it.
actor AskedOnce<Answer: Sendable> {
    private let question: @Sendable () async -> Answer?
    private var isAsked = false
    private(set) var known: Answer?

    init(_ question: @escaping @Sendable () async -> Answer?) { self.question = question }

    func ask() {
        guard !isAsked else { return }
        isAsked = true
        Task { known = await question() }
    }
}
