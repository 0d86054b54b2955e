/// Ten pages read as fast as data arrives; one reads 1 KB per second, and one reads nothing at all.
enum SlowPages: Benchmark {
    static let name = "slow"
    private static let fast = 10
    private static let rate: UInt64 = 20
    private static let size = 2048
    private static let duration: UInt64 = 20

    static func run(_ report: inout Report) throws {
        for transport in PagesFixture.Transport.returning {
            let outcome = try withTemporaryFolder { try measure(transport, in: $0) }
            let figure = "slow reader beside \(fast) pages, \(transport.rawValue)"
            report.add("\(figure), later than planned", "ms", outcome.delay, must: .atMost(100))
            report.add("\(figure), server grows by", "KB", outcome.growth)
            report.add("\(figure), reads again → current", "s", outcome.healed)
        }
    }

    private static func measure(
        _ transport: PagesFixture.Transport,
        in folder: String
    ) throws -> (delay: Double, growth: Double, healed: Double) {
        let fixture = try PagesFixture(in: folder, channels: 1)
        for _ in 0..<PageState.targets { try fixture.commit() }
        try fixture.open(fast + 2, over: [transport])
        fixture.pages.slow(fast, bytesPerSecond: 1024)
        fixture.pages.slow(fast + 1, bytesPerSecond: 0)
        let figures = ProcessFigures(id: fixture.target.process.id)
        let memory = figures.residentMemory
        var longest: UInt64 = 0
        fixture.pages.onChange = { [unowned fixture] page, change, now in
            if page < fast { longest = max(longest, now - fixture.sentAt[0][change.new]) }
        }
        let start = nanoseconds()
        for number in 0..<(duration * rate) {
            let due = start + number * second / rate
            try fixture.pages.turn(until: "the next message") { nanoseconds() >= due }
            try fixture.commit(size: size)
        }
        try fixture.finish()
        try fixture.waitUntilCurrent(Array(0..<fast))
        let growth = figures.residentMemory - memory
        let again = nanoseconds()
        fixture.pages.slow(fast, bytesPerSecond: nil)
        fixture.pages.slow(fast + 1, bytesPerSecond: nil)
        try fixture.waitUntilCurrent()
        return (Double(longest) / 1e6, growth, Double(nanoseconds() - again) / 1e9)
    }
}
