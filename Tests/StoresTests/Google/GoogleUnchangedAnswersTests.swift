import Domain
import Testing

@testable import Stores

@Suite struct GoogleUnchangedAnswersTests {
    private let answers = GoogleUnchangedAnswers()

    private func firstReading(of name: Int, at milliseconds: Int) -> Int64 {
        let readAt = Instant(milliseconds: Int64(milliseconds))
        return answers.firstReading(of: String(name), body: [1], readAt: readAt).milliseconds
    }

    /// One purchase too many must not make every other one's next answer news.
    @Test func forgetsTheOldestAndNotAll() {
        for name in 0...GoogleUnchangedAnswers.capacity { _ = firstReading(of: name, at: name) }
        for name in 9000..<10_000 { #expect(firstReading(of: name, at: 20_000) == name) }
    }

    @Test func whatIsReadAgainAndAgainStays() {
        _ = firstReading(of: -1, at: 5)
        for name in 0..<30_000 {
            _ = firstReading(of: name, at: name)
            if name.isMultiple(of: 1000) { #expect(firstReading(of: -1, at: 10 + name) == 5) }
        }
    }
}
