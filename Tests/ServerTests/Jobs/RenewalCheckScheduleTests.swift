import Domain
import Testing

@testable import Server

@Suite struct RenewalCheckScheduleTests {
    private let now = Instant(milliseconds: 1_767_225_600_000)

    private func key(_ lineage: String) -> ContractKey {
        ContractKey(provider: .apple, environment: .production, app: "com.example", lineage: lineage)
    }

    @Test func asksAtOnceThenLessAndLessOften() {
        var state = RenewalCheckSchedule()
        var asked: [Int] = []
        for second in 0..<300 {
            for key in state.due(of: [key("1")], now: now + .seconds(second)) {
                asked.append(second)
                state.asked(key, isAnswered: false, now: now + .seconds(second), jitter: 1)
            }
        }
        #expect(asked == [0, 2, 6, 14, 30, 62, 122, 182, 242])
    }

    @Test func comesBackWhenItIsAskedTo() {
        var state = RenewalCheckSchedule()
        state.asked(key("1"), isAnswered: false, now: now, notBefore: now + .seconds(40), jitter: 1)
        #expect(state.due(of: [key("1"), key("2")], now: now + .seconds(39)) == [key("2")])
        #expect(state.due(of: [key("1")], now: now + .seconds(40)) == [key("1")])
    }

    @Test func unconfirmedIsWhatNobodyAnswered() {
        var state = RenewalCheckSchedule()
        state.asked(key("1"), isAnswered: false, now: now, jitter: 1)
        state.asked(key("2"), isAnswered: false, now: now, jitter: 1)
        state.asked(key("2"), isAnswered: true, now: now, jitter: 1)
        let unconfirmed = ["1", "1", "2", "3"].map { state.ended($0, at: .apple, in: .production) }
        #expect(unconfirmed == [true, false, false, false])
    }

    @Test func otherStoresContractsAreTheirOwn() {
        var state = RenewalCheckSchedule()
        state.asked(key("1"), isAnswered: false, now: now, jitter: 1)
        let others = [state.ended("1", at: .stripe, in: .production), state.ended("1", at: .apple, in: .sandbox)]
        #expect(others == [false, false])
    }
}
