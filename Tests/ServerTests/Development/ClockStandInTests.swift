import Domain
import Simulator
import Support
import Synchronization
import Testing

@testable import Server

@Suite struct ClockStandInTests {
    private final class Changes: Sendable {
        let count = Atomic(0)
    }

    private func ask(_ clock: Clock, method: String, body: String, changes: Changes) -> StandInAnswer? {
        let standIn = ClockStandIn(clock) { changes.count.add(1, ordering: .relaxed) }
        return standIn.answer(StandInRequest(method: method, path: "", body: Array(body.utf8)))
    }

    struct Wrong: Sendable, CustomTestStringConvertible {
        var body: String

        var testDescription: String { body }
    }

    @Test(arguments: [
        Wrong(body: ""), Wrong(body: "{}"), Wrong(body: "[]"), Wrong(body: #"{"advance":"5"}"#),
        Wrong(body: #"{"advance":1e30}"#), Wrong(body: #"{"advance":9223372036854775807}"#),
        Wrong(body: #"{"advance":-9223372036854775808}"#), Wrong(body: #"{"now":"tomorrow"}"#),
        Wrong(body: #"{"now":"2100-01-02T00:00:00Z"}"#), Wrong(body: #"{"now":"1969-12-31T23:59:59Z"}"#),
    ]) func wrongOnesChangeNothing(_ wrong: Wrong) {
        let (clock, changes) = (Clock(), Changes())
        #expect(ask(clock, method: "PUT", body: wrong.body, changes: changes)?.status == 400)
        #expect(clock.offset == .zero && changes.count.load(ordering: .relaxed) == 0)
    }

    @Test func isMovedOnAndSet() throws {
        let (clock, changes) = (Clock(), Changes())
        let before = clock.now()
        #expect(ask(clock, method: "PUT", body: #"{"advance":86400}"#, changes: changes)?.status == 200)
        #expect(clock.now() >= before + .seconds(86_400))
        let answer = try #require(ask(clock, method: "PUT", body: #"{"now":"2031-01-31T12:00:00Z"}"#, changes: changes))
        #expect(String(decoding: answer.body, as: UTF8.self) == #"{"now":"2031-01-31T12:00:00.000Z"}"#)
        #expect(clock.now().iso8601.hasPrefix("2031-01-31T12:0"))
        #expect(changes.count.load(ordering: .relaxed) == 2)
        #expect(ask(clock, method: "GET", body: "", changes: changes)?.status == 200)
        #expect(ask(clock, method: "POST", body: "", changes: changes) == nil)
        #expect(changes.count.load(ordering: .relaxed) == 2)
    }
}
