import Support
import Testing

@testable import Ledger

/// When a node finds out whether notifications come through, and what it makes of the answer.
@Suite struct NotifyProbeTests {
    @Test func firstAnswerProvesTheConnection() {
        var probe = NotifyProbe()
        #expect(probe.isDue(at: 0) && !probe.isProven)
        probe.sent("a", at: 0)
        #expect(!probe.isDue(at: 0) && !probe.heard("b") && !probe.isProven)
        let (first, again) = (probe.heard("a"), probe.heard("a"))
        #expect(first && !again && probe.isProven)
        #expect(!probe.isUnanswered(at: .max))
    }

    @Test func asksAgainAfterTheInterval() {
        var probe = NotifyProbe()
        probe.sent("a", at: 0)
        _ = probe.heard("a")
        #expect(!probe.isDue(at: 0 + (NotifyProbe.interval - 1)) && probe.isDue(at: 0 + NotifyProbe.interval))
        probe.sent("b", at: 0 + NotifyProbe.interval)
        let isNews = probe.heard("b")
        #expect(!isNews && probe.isProven)
    }

    @Test func noAnswerIsDeafness() {
        var probe = NotifyProbe()
        probe.sent("a", at: 7)
        #expect(!probe.isUnanswered(at: 6 + NotifyProbe.patience))
        #expect(probe.isUnanswered(at: 7 + NotifyProbe.patience))
        #expect(!probe.isDue(at: .max), "one at a time")
    }

    @Test func whatCouldNotBeSentSaysNothing() {
        var probe = NotifyProbe()
        probe.sent(nil, at: 0)
        #expect(!probe.isUnanswered(at: .max) && !probe.isProven)
        #expect(probe.isDue(at: 0 + NotifyProbe.interval))
    }
}
