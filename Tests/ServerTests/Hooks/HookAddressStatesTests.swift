import Support
import Testing

@testable import Server

@Suite struct HookAddressStatesTests {
    struct Case {
        let name: String
        let age: Duration
        /// In seconds, after a reading at 10.
        let now: UInt64
        let isRead: Bool
    }

    @Test(arguments: [
        Case(name: "just read", age: .seconds(10), now: 19, isRead: false),
        Case(name: "long ago", age: .seconds(10), now: 20, isRead: true),
        Case(name: "whoever cannot wait", age: .zero, now: 10, isRead: true),
        Case(name: "a thread that read the clock before the other", age: .seconds(10), now: 9, isRead: false),
    ]) func areReadWhenTheyAreOld(_ example: Case) {
        var states = HookAddressStates()
        let isFirst = states.mayBeRead(afterAtLeast: example.age, now: 0 + 10_000_000_000)
        #expect(isFirst)
        let isRead = states.mayBeRead(afterAtLeast: example.age, now: 0 + example.now * 1_000_000_000)
        #expect(isRead == example.isRead, "\(example.name)")
    }
}
