import Domain
import Testing

@testable import Redis

@Suite struct LinkTests {
    private let timing = RedisTiming(
        heartbeat: .seconds(2),
        patience: .seconds(5),
        pause: .milliseconds(100) ... .seconds(5)
    )

    /// Subscribed, with heartbeat 1 on its way since second 0.
    private func subscribed() -> Link {
        var link = Link(timing: timing, now: .zero)
        #expect(link.act(at: .zero) == .connect)
        link.subscribed(at: .zero)
        #expect(link.act(at: .zero) == .beat(1))
        return link
    }

    private func live() -> Link {
        var link = subscribed()
        #expect(link.heard(1, at: .zero) == .connected)
        return link
    }

    @Test func subscriptionAloneProvesNothing() {
        var link = subscribed()
        #expect(link.problem == .starting)
        #expect(link.heard(1, at: .milliseconds(1)) == .connected)
        #expect(link.problem == nil)
    }

    @Test func beatsAgainAfterTheInterval() {
        var link = live()
        #expect(link.act(at: .milliseconds(1999)) == nil)
        #expect(link.next == .seconds(2))
        #expect(link.act(at: .seconds(2)) == .beat(2))
        #expect(link.heard(2, at: .seconds(2)) == nil)
        #expect(link.act(at: .seconds(4)) == .beat(3))
    }

    @Test func heartbeatThatStaysAwayEndsTheConnection() {
        var link = live()
        #expect(link.act(at: .seconds(2)) == .beat(2))
        #expect(link.heard(1, at: .seconds(3)) == nil, "an old one proves nothing")
        #expect(link.act(at: .milliseconds(6999)) == nil)
        #expect(link.act(at: .seconds(7)) == .giveUp(.silent))
    }

    @Test func connectionThatNeverOpensIsGivenUp() {
        var link = Link(timing: timing, now: .zero)
        #expect(link.act(at: .zero) == .connect)
        #expect(link.act(at: .seconds(4)) == nil)
        #expect(link.act(at: .seconds(5)) == .giveUp(.silent))
    }

    @Test func outageBeginsAndEndsOnce() {
        var link = live()
        #expect(link.lost(.closed, at: .seconds(1), random: 1) == true)
        #expect(link.act(at: .seconds(2)) == .connect)
        #expect(link.lost(.unreachable("Connection refused"), at: .seconds(2), random: 1) == false, "the same outage")
        #expect(link.problem == .unreachable("Connection refused"))
        #expect(link.act(at: .seconds(3)) == .connect)
        link.subscribed(at: .seconds(3))
        #expect(link.act(at: .seconds(3)) == .beat(2))
        #expect(link.heard(2, at: .seconds(4)) == .recovered(after: .seconds(3)))
        #expect(link.act(at: .seconds(5)) == .beat(3))
        #expect(link.heard(3, at: .seconds(5)) == nil)
        #expect(link.lost(.closed, at: .seconds(6), random: 1) == true, "another outage")
    }

    @Test func pausesGrowToTheLimitAndStartAgain() {
        var link = live()
        var now = Duration.zero
        var pauses: [Int64] = []
        for _ in 0..<9 {
            _ = link.lost(.closed, at: now, random: 1)
            pauses.append((link.next - now).milliseconds)
            now = link.next
            #expect(link.act(at: now) == .connect)
        }
        #expect(pauses == [100, 200, 400, 800, 1600, 3200, 5000, 5000, 5000])
        link.subscribed(at: now)
        #expect(link.act(at: now) == .beat(2))
        #expect(link.heard(2, at: now) != nil)
        _ = link.lost(.closed, at: now, random: 0)
        #expect(link.next - now == .milliseconds(50), "half of it is chance")
    }

    @Test func whileNobodyReadsNoHeartbeatIsMissed() {
        var link = live()
        #expect(link.act(at: .seconds(2)) == .beat(2))
        link.paused(at: .seconds(6))
        #expect(link.act(at: .seconds(7)) == nil)
        #expect(link.act(at: .seconds(11)) == .giveUp(.silent))
    }
}
