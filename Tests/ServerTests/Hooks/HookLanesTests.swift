import Domain
import Support
import Testing

@testable import Server

@Suite struct HookLanesTests {
    private static let second: UInt64 = 1_000_000_000
    private static let accepted = HookAnswer(status: 200)

    @Test func oneMessageOfAUserAtATime() {
        var lanes = HookLanes()
        let first = lanes.begin(["42", "42", "43"], to: "a", now: 0)
        #expect(first == [[0], [2]])
        let again = [lanes.begin(["42"], to: "a", now: 0), lanes.begin(["42"], to: "b", now: 0)]
        #expect(again == [[], [[0]]])
        lanes.end(["42"], to: "a", answers: [HookLanesTests.accepted], now: 0)
        // What is due was asked before that, so the answer may still have it.
        let tooEarly = lanes.begin(["42"], to: "a", now: 0)
        _ = lanes.look(at: "a", now: 0)
        let later = lanes.begin(["42"], to: "a", now: 0)
        #expect(tooEarly.isEmpty && later == [[0]])
    }

    /// Many share the lanes; none waits for another while there is a lane for each.
    @Test func manyMessagesShareTheLanes() {
        var lanes = HookLanes()
        let limit = lanes.look(at: "a", now: 0)
        #expect(limit == HookLanes.most * HookLanes.together)
        let users = (0..<20).map { UserID("u\($0)") }
        let lists = lanes.begin(users, to: "a", now: 0)
        #expect(lists.count <= HookLanes.most && lists.flatMap { $0 } == Array(0..<20))
        #expect(lists.allSatisfy { $0.count <= 3 })
    }

    /// An address that is down costs one attempt, and then another, less and less often; others go on.
    @Test func anAddressThatFailsIsLeftAlone() {
        var lanes = HookLanes()
        var now: MonotonicTime = 0
        for pause in [1, 2, 4, 8, 16, 32, 60, 60] as [UInt64] {
            let isFirst = now == 0
            let limits = ["a", "b"].map { lanes.look(at: $0, now: now) }
            #expect(limits == [isFirst ? 128 : 1, 128])
            let lists = [lanes.begin(["42"], to: "a", now: now), lanes.begin(["43"], to: "b", now: now)]
            #expect(lists == [[[0]], [[0]]])
            lanes.end(["43"], to: "b", answers: [HookLanesTests.accepted], now: now)
            lanes.end(["42"], to: "a", answers: [HookAnswer(problem: "down")], now: now)
            let during = lanes.look(at: "a", now: now + (pause * HookLanesTests.second - 1))
            #expect(during == 0)
            now += pause * HookLanesTests.second
            let isDown = ["a", "b"].map { lanes.isDown($0) }
            #expect(isDown == [pause > 2, false])
        }
        _ = lanes.look(at: "a", now: now)
        let one = lanes.begin(["42", "43"], to: "a", now: now)
        #expect(one == [[0]])
        lanes.end(["42"], to: "a", answers: [HookLanesTests.accepted], now: now)
        let after = lanes.look(at: "a", now: now)
        #expect(after == HookLanes.most * HookLanes.together)
    }

    /// With another secret or address, every message would be refused.
    @Test(arguments: [401, 403, 404, 405]) func anAddressThatRefusesAllIsLeftAlone(_ status: Int) {
        var lanes = HookLanes()
        _ = lanes.begin(["42"], to: "a", now: 0)
        lanes.end(["42"], to: "a", answers: [HookAnswer(status: status)], now: 0)
        let limit = lanes.look(at: "a", now: 0)
        #expect(limit == 0)
    }

    /// It refuses this message, and may accept the next one.
    @Test func aMessageThatIsRefusedHoldsUpNoOther() {
        var lanes = HookLanes()
        _ = lanes.begin(["42"], to: "a", now: 0)
        lanes.end(["42"], to: "a", answers: [HookAnswer(status: 422)], now: 0)
        let limit = lanes.look(at: "a", now: 0)
        #expect(limit == HookLanes.most * HookLanes.together)
    }
}
