import TestSupport
import Testing

@testable import Domain

@Suite struct TransferTargetTests {
    @Test func transfersStayInTheirOrder() {
        var targets: [TransferTarget] = []
        let areNew = [5, 1, 9, 5, 3].map {
            targets.insert(TransferTarget(at: Instant(milliseconds: $0), user: "42"))
        }
        #expect(areNew == [true, true, true, false, true])
        #expect(targets.map(\.at.milliseconds) == [1, 3, 5, 9])
        #expect(targets.first(since: Instant(milliseconds: 4))?.at.milliseconds == 5)
        #expect(targets.first(since: Instant(milliseconds: 5))?.at.milliseconds == 5)
        #expect(targets.first(since: Instant(milliseconds: 10)) == nil)
    }
}
