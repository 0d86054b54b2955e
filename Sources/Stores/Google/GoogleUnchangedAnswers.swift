internal import Crypto
internal import Domain
internal import Synchronization

/// Remembers since when Google has given the same answer about a purchase. In memory and bounded: a forgotten answer
/// counts as new.
final class GoogleUnchangedAnswers: Sendable {
    private struct FirstReading {
        var digest: [UInt8]
        var readAt: Instant
    }

    private static let capacity = 10_000

    private let answers = Mutex<[String: FirstReading]>([:])

    /// Call it for every reading, whatever caused it: an answer that returns after a different one counts as new.
    func firstReading(of question: GooglePurchaseQuery, answer: StoredReading.Answer) -> Instant {
        let digest = SHA256.hash(answer.body)
        let name = question.package + "/" + question.path
        return answers.withLock { answers in
            if let known = answers[name], known.digest == digest { return known.readAt }
            if answers.count >= GoogleUnchangedAnswers.capacity { answers = [:] }
            answers[name] = FirstReading(digest: digest, readAt: answer.readAt)
            return answer.readAt
        }
    }
}
