import Domain
import Support
import TestSupport
import Testing

@testable import Rails

@Suite struct HeartbeatHealthTests {
    private let timing = BroadcastTiming(
        heartbeat: .seconds(2),
        patience: .seconds(5),
        backoff: Backoff(first: .milliseconds(100), most: .seconds(5))
    )

    /// Subscribed, with heartbeat 1 on its way since second 0.
    private func subscribed() -> HeartbeatHealth {
        var health = HeartbeatHealth(timing: timing, starting: .connecting, silent: .silent)
        #expect(health.act(at: .zero) == .connect)
        health.subscribed(at: .zero)
        #expect(health.act(at: .zero) == .beat(1))
        return health
    }

    private func live() -> HeartbeatHealth {
        var health = subscribed()
        #expect(health.heard(1, at: .zero) == .works)
        return health
    }

    @Test func subscriptionAloneProvesNothing() {
        var health = subscribed()
        #expect(health.problem == BroadcastProblem.connecting.description)
        #expect(health.heard(1, at: .milliseconds(1)) == .works)
        #expect(health.problem == nil)
    }

    @Test func beatsAgainAfterTheInterval() {
        var health = live()
        #expect(health.act(at: .milliseconds(1999)) == nil)
        #expect(health.next == .seconds(2))
        #expect(health.act(at: .seconds(2)) == .beat(2))
        #expect(health.heard(2, at: .seconds(2)) == nil)
        #expect(health.act(at: .seconds(4)) == .beat(3))
    }

    @Test func heartbeatThatStaysAwayEndsTheConnection() {
        var health = live()
        #expect(health.act(at: .seconds(2)) == .beat(2))
        #expect(health.heard(1, at: .seconds(3)) == nil, "an old one proves nothing")
        #expect(health.act(at: .milliseconds(6999)) == nil)
        #expect(health.act(at: .seconds(7)) == .giveUp(.silent))
    }

    @Test func connectionThatNeverOpensIsGivenUp() {
        var health = HeartbeatHealth(timing: timing, starting: .connecting, silent: .silent)
        #expect(health.act(at: .zero) == .connect)
        #expect(health.act(at: .seconds(4)) == nil)
        #expect(health.act(at: .seconds(5)) == .giveUp(.silent))
    }

    @Test func outageBeginsAndEndsOnce() {
        var health = live()
        #expect(health.lost(.closed, at: .seconds(1), jitter: 1) == .began(reason: "\(BroadcastProblem.closed)"))
        #expect(health.act(at: .seconds(2)) == .connect)
        #expect(health.lost(.notRedis, at: .seconds(2), jitter: 1) == nil, "the same outage")
        #expect(health.problem == BroadcastProblem.notRedis.description)
        #expect(health.act(at: .seconds(3)) == .connect)
        health.subscribed(at: .seconds(3))
        #expect(health.act(at: .seconds(3)) == .beat(2))
        #expect(health.heard(2, at: .seconds(4)) == .ended(count: 2, seconds: 3))
        #expect(health.act(at: .seconds(5)) == .beat(3))
        #expect(health.heard(3, at: .seconds(5)) == nil)
        #expect(health.lost(.closed, at: .seconds(6), jitter: 1) != nil, "another outage")
    }

    @Test func pausesGrowToTheLimitAndStartAgain() {
        var health = live()
        var now = MonotonicTime.zero
        var pauses: [Int64] = []
        for _ in 0..<9 {
            _ = health.lost(.closed, at: now, jitter: 1)
            pauses.append(now.duration(to: health.next).milliseconds)
            now = health.next
            #expect(health.act(at: now) == .connect)
        }
        #expect(pauses == [100, 200, 400, 800, 1600, 3200, 5000, 5000, 5000])
        // Who delivers and fails at once is no better; who delivers for a second is.
        for (lasted, beat, pause) in [(999, 2, 2500), (1000, 3, 50)] as [(Int64, Int, Int64)] {
            health.subscribed(at: now)
            #expect(health.act(at: now) == .beat(beat))
            #expect(health.heard(beat, at: now) != nil)
            now = now + .milliseconds(lasted)
            _ = health.lost(.closed, at: now, jitter: 0)
            #expect(now.duration(to: health.next) == .milliseconds(pause), "half of it is chance")
            now = health.next
            #expect(health.act(at: now) == .connect)
        }
    }

    /// A server may confirm a subscription as often as it likes: one heartbeat is on its way at a time.
    @Test func onlyTheFirstConfirmationCounts() {
        var health = subscribed()
        health.subscribed(at: .seconds(1))
        #expect(health.act(at: .seconds(1)) == nil)
        #expect(health.heard(1, at: .seconds(1)) == .works)
    }

    /// Opening a connection may take long by itself.
    @Test func subscriptionHasItsOwnTime() {
        var health = HeartbeatHealth(timing: timing, starting: .connecting, silent: .silent)
        #expect(health.act(at: .zero) == .connect)
        health.connected(at: .seconds(4))
        #expect(health.act(at: .milliseconds(8999)) == nil)
        #expect(health.act(at: .seconds(9)) == .giveUp(.silent))
    }

    /// Ten seconds of broadcasts, one each second, stand before the heartbeat; then Redis falls silent.
    @Test func heartbeatMayWaitBehindABurst() {
        var health = live()
        #expect(health.act(at: .seconds(2)) == .beat(2))
        for second in 3...12 {
            health.postpone(at: .seconds(second))
            #expect(health.act(at: .seconds(second)) == nil)
        }
        #expect(health.act(at: .milliseconds(16_999)) == nil)
        #expect(health.act(at: .seconds(17)) == .giveUp(.silent))
    }

    @Test func broadcastBeforeTheFirstHeartbeatProvesNothing() {
        var health = HeartbeatHealth(timing: timing, starting: .connecting, silent: .silent)
        #expect(health.act(at: .zero) == .connect)
        health.postpone(at: .seconds(4))
        #expect(health.act(at: .seconds(5)) == .giveUp(.silent))
    }

    @Test func whileNobodyReadsNoHeartbeatIsMissed() {
        var health = live()
        #expect(health.act(at: .seconds(2)) == .beat(2))
        health.postpone(at: .seconds(6))
        #expect(health.act(at: .seconds(7)) == nil)
        #expect(health.act(at: .seconds(11)) == .giveUp(.silent))
    }
}
