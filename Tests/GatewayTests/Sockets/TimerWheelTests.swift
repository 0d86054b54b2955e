import Testing

@testable import Gateway

@Suite struct TimerWheelTests {
    @Test(arguments: [1, 2, 7, 60]) func isDueOnceATurnIfItIsAddedAgain(_ period: Int) {
        var wheel = TimerWheel<Int>(period: period)
        for id in 0..<100 { wheel.add(id, within: period) }
        for _ in 0..<3 {
            var due: [Int] = []
            for _ in 0..<period {
                let ids = wheel.tick()
                for id in ids { wheel.add(id, after: period) }
                due += ids
            }
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
    func isDueOnceAfterItsTicks(_ deadline: Deadline) {
        var wheel = TimerWheel<Int>(period: 10)
        for _ in 0..<7 { _ = wheel.tick() }
        wheel.add(1, after: deadline.ticks)
        let due = (1...30).filter { _ in !wheel.tick().isEmpty }
        #expect(due == [deadline.isDueAfter])
    }

    /// Thousands of pages that opened together get their heartbeats one after the other, and within their time.
    @Test(arguments: [1, 30, 150]) func spreadsEvenly(_ ticks: Int) {
        var wheel = TimerWheel<Int>(period: 150)
        for id in 0..<(ticks * 20) { wheel.add(id, within: ticks) }
        for _ in 0..<ticks { #expect((15...25).contains(wheel.tick().count)) }
        for _ in ticks..<150 { #expect(wheel.tick().isEmpty) }
    }
}
