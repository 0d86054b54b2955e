import TestSupport
import Testing

@testable import Gateway

@Suite struct TimerWheelTests {
    @Test(arguments: [1, 2, 7, 60]) func isDueOnceATurn(_ period: Int) {
        var wheel = TimerWheel<Int>(period: period)
        var generator = SeededGenerator(seed: 7)
        for id in 0..<100 { _ = wheel.add(id, after: Int.random(in: 1...wheel.period, using: &generator)) }
        for _ in 0..<3 {
            let due = (0..<period).flatMap { _ in wheel.tick() }
            #expect(due.sorted() == Array(0..<100))
        }
    }

    struct Deadline: Sendable {
        let ticks: Int
        let isDueAfter: Int
    }

    @Test(arguments: [
        Deadline(ticks: 1, isDueAfter: 1), Deadline(ticks: 5, isDueAfter: 5), Deadline(ticks: 10, isDueAfter: 10),
        Deadline(ticks: 0, isDueAfter: 1), Deadline(ticks: 99, isDueAfter: 10),
    ])
    func isFirstDueAfterItsTicks(_ deadline: Deadline) {
        var wheel = TimerWheel<Int>(period: 10)
        for _ in 0..<7 { _ = wheel.tick() }
        _ = wheel.add(1, after: deadline.ticks)
        let due = (1...10).filter { _ in !wheel.tick().isEmpty }
        #expect(due == [deadline.isDueAfter])
    }

    @Test func forgetsWhatIsRemovedAndIgnoresStaleHandles() {
        var wheel = TimerWheel<Int>(period: 4)
        let handles = (0..<1000).map { wheel.add($0, after: $0 % 4) }
        for handle in handles.filter({ _ in Bool.random() }) { wheel.remove(handle) }
        for (id, handle) in handles.enumerated() where id % 3 != 0 { wheel.remove(handle) }
        for handle in handles { wheel.remove(handle) }
        #expect(wheel.count == 0)
        let fresh = wheel.add(7, after: 1)
        handles.forEach { wheel.remove($0) }
        #expect(wheel.count == 1)
        #expect(wheel.tick() == [7])
        wheel.remove(fresh)
        #expect((0..<4).flatMap { _ in wheel.tick() }.isEmpty)
    }

    @Test func keepsTheOthersWhereTheyAre() {
        var wheel = TimerWheel<Int>(period: 3)
        let handles = (0..<30).map { wheel.add($0, after: $0 % 3 + 1) }
        for id in stride(from: 0, to: 30, by: 2) { wheel.remove(handles[id]) }
        for phase in 0..<3 {
            #expect(wheel.tick().sorted() == (0..<30).filter { $0 % 2 == 1 && $0 % 3 == phase })
        }
    }
}
