import Domain
import Support
import Synchronization
import TestSupport
import Testing

@testable import Ledger

@Suite(.blocking) struct CatchUpTurnsTests {
    /// One user's hundreds of questions wait for themselves only: others are answered within a turn or two.
    @Test func streamsTakeTurns() throws {
        let ledger = try TemporaryLedger()
        defer { ledger.remove() }
        let order = Mutex<[String]>([])
        let isBlocked = Promise<Void>()
        let release = Promise<Void>()
        let done = Promise<Void>()
        let reader = ledger.reader
        #expect(
            reader.ask({ try $0.head() }) { _ in
                isBlocked.fulfil(())
                release.wait()
            }
        )
        isBlocked.wait()
        func ask(_ user: UserID, then: @escaping @Sendable () -> Void = {}) throws {
            let stream = try #require(StreamPattern.standard.stream(for: user))
            #expect(
                reader.missed(on: stream, since: .nothing) { _ in
                    order.withLock { $0.append(user.text) }
                    then()
                }
            )
        }
        for number in 0..<500 { try ask("greedy") { if number == 499 { done.fulfil(()) } } }
        try ask("other")
        #expect(reader.ask({ try $0.head() }) { _ in order.withLock { $0.append("head") } })
        release.fulfil(())
        done.wait()
        let answered = order.withLock { $0 }
        #expect(answered.first == "head" && answered[1...2].contains("other"))
        #expect(answered.count == 502)
    }
}
