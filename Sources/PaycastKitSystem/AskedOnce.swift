/// An answer as soon as it is known. It is asked for once, and nobody waits for it.
package actor AskedOnce<Answer: Sendable> {
    private let question: @Sendable () async -> Answer?
    private var isAsked = false
    package private(set) var known: Answer?

    package init(_ question: @escaping @Sendable () async -> Answer?) {
        self.question = question
    }

    package func ask() {
        guard !isAsked else { return }
        isAsked = true
        Task { known = await question() }
    }
}
