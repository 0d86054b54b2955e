import Domain
import Support
import TestSupport
import Testing

@testable import Rails

@Suite struct ListenedStreamsTests {
    private func names(_ numbers: Range<Int>) -> [StreamName] {
        numbers.compactMap { StreamName("s\($0)") }
    }

    @Test func streamIsListenedToOnce() {
        var streams = ListenedStreams(limit: 10, repetition: .seconds(60))
        let first = streams.follow(names(0..<2), at: .zero)
        #expect(first.listen == names(0..<2))
        let second = streams.follow(names(0..<3), at: .seconds(1))
        #expect(second.listen == names(2..<3))
        #expect(streams.count == 3)
    }

    @Test func streamWithoutPagesStaysAsLongAsThereIsRoom() {
        var streams = ListenedStreams(limit: 10, repetition: .seconds(60))
        _ = streams.follow(names(0..<9), at: .zero)
        let change = streams.follow(names(9..<10), at: .seconds(86_400))
        #expect(change.giveUp.isEmpty)
        #expect(streams.count == 10)
    }

    @Test func oldestWithoutPagesMakeRoomTogether() {
        var streams = ListenedStreams(limit: 20, repetition: .seconds(60))
        _ = streams.follow(names(0..<10), at: .zero)
        _ = streams.follow(names(10..<20), at: .seconds(1))
        let change = streams.follow(names(20..<21), at: .seconds(200))
        #expect(change.listen == names(20..<21))
        #expect(change.giveUp.count == 2)
        #expect(Set(change.giveUp).isSubset(of: names(0..<10)))
        #expect(!streams.isOverfull)
    }

    @Test func streamThatAPageFollowsIsNotGivenUp() {
        var streams = ListenedStreams(limit: 2, repetition: .seconds(60))
        for minute in 0...5 { _ = streams.follow(names(0..<2), at: .seconds(60 * minute)) }
        let change = streams.follow(names(2..<3), at: .seconds(310))
        #expect(change == ListenedStreams.Change())
        #expect(streams.isOverfull)
    }

    /// What was broadcast to those that were refused is lost until then.
    @Test func overfullEndsWhenNothingIsRefusedAnyMore() {
        var streams = ListenedStreams(limit: 1, repetition: .seconds(60))
        _ = streams.follow(names(0..<2), at: .zero)
        let atOnce = streams.recover(at: .seconds(149))
        #expect(!atOnce)
        _ = streams.follow(names(1..<2), at: .seconds(149))
        let afterRefusal = streams.recover(at: .seconds(150))
        #expect(!afterRefusal)
        let change = streams.follow(names(1..<2), at: .seconds(160))
        #expect(change == ListenedStreams.Change(listen: names(1..<2), giveUp: names(0..<1)))
        let afterRoom = streams.recover(at: .seconds(299))
        #expect(afterRoom)
        #expect(!streams.isOverfull)
    }
}
