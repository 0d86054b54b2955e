import Testing

@testable import WebSocketClient

@Suite struct SignsOfLifeTests {
    /// A minute without a network ends the connection, so that another can begin.
    @Test func theOtherSideIsAskedOnceAndThenGivenUp() {
        var life = SignsOfLife()
        let start = ContinuousClock.now
        let verdicts = [10, 16, 20, 40, 46].map { life.tick(at: start + .seconds($0)) }
        #expect(verdicts == [.nothing, .ask, .nothing, .nothing, .giveUp])
    }

    @Test func anAnswerIsASignOfLife() {
        var life = SignsOfLife()
        #expect(life.tick(at: .now + .seconds(16)) == .ask)
        life.heard()
        #expect(life.tick(at: .now + .seconds(14)) == .nothing)
        #expect(life.tick(at: .now + .seconds(16)) == .ask)
    }
}
