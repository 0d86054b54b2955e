import Testing

@testable import Gateway

@Suite struct StaggeredQueueTests {
    struct Case: Sendable {
        let items: Int
        /// How many are due at each tick.
        let due: [Int]
    }

    @Test(arguments: [
        Case(items: 0, due: [0]),
        Case(items: 1, due: [1, 0]),
        Case(items: 99, due: [99, 0]),
        Case(items: 100, due: [51, 49, 0]),
        Case(items: 1000, due: Array(repeating: 101, count: 9) + [91, 0]),
        // Never more ticks than ten, however many there are.
        Case(items: 100_000, due: Array(repeating: 10_001, count: 9) + [9991, 0]),
    ]) func spreadsWhatIsThere(_ example: Case) {
        var queue = StaggeredQueue(Array(0..<example.items), ticks: 10)
        var taken: [Int] = []
        for count in example.due {
            let due = queue.next()
            #expect(due.count == count)
            taken += due
        }
        #expect(taken.sorted() == Array(0..<example.items))
    }

    @Test func whatIsPutBackIsDueLast() {
        var queue = StaggeredQueue(Array(0..<300), ticks: 10)
        let first = queue.next()[0]
        queue.putBack(first)
        for _ in 0..<4 { #expect(!queue.next().contains(first)) }
        #expect(queue.next().contains(first))
    }
}
