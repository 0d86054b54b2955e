import Foundation
import Testing

@testable import PaycastKit

@Suite("Back-off")
struct BackoffTests {
    private let now = Fixture.start

    @Test("Waits 1 s, then twice as long each time, and five minutes at most")
    func doubles() {
        var backoff = Backoff()
        let waits = (0..<12).map { _ in
            backoff.fail(at: now, random: 0)
            return backoff.due?.timeIntervalSince(now)
        }
        #expect(waits == [1, 2, 4, 8, 16, 32, 64, 128, 256, 300, 300, 300])
    }

    @Test("Chance only adds, up to half")
    func jitter() {
        var backoff = Backoff()
        backoff.fail(at: now, random: 0.999)
        #expect(backoff.due ?? now > now.addingTimeInterval(1.49))
        #expect(backoff.due ?? now < now.addingTimeInterval(1.5))
    }

    @Test(
        "Retry-After wins over the doubling, and nothing hastens it",
        arguments: [(0.0, 1.0), (30, 30), (1e9, 86_400)]
    )
    func ordered(seconds: TimeInterval, wait: TimeInterval) {
        var backoff = Backoff()
        for _ in 0..<5 { backoff.fail(at: now, random: 0) }
        backoff.fail(at: now, retryAfter: seconds, random: 0)
        backoff.hasten()
        #expect(backoff.due == now.addingTimeInterval(wait))
    }

    @Test("A return to the foreground shortens the wait to a second after the failure")
    func hastens() {
        var backoff = Backoff()
        for _ in 0..<8 { backoff.fail(at: now, random: 0.5) }
        backoff.hasten()
        #expect(!backoff.isDue(at: now))
        #expect(backoff.isDue(at: now.addingTimeInterval(1)))
    }

    @Test("A clock that is set back by a year does not make it wait for a year")
    func clockSetBack() {
        var backoff = Backoff()
        backoff.fail(at: now, random: 0)
        #expect(backoff.isDue(at: now.addingTimeInterval(-31_536_000)))
    }
}
