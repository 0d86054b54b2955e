/// Events are committed after a page is rendered and before it subscribes.
enum EventsBeforeSubscribing: Benchmark {
    static let name = "stale"
    private static let pages = 5000
    private static let channels = 50

    static func run(_ report: inout Report) throws {
        for transport in PagesFixture.Transport.allCases {
            let (share, time) = try withTemporaryFolder { try measure(transport, in: $0) }
            let figure = "born stale: \(pages) pages, \(transport.rawValue)"
            report.add("\(figure), show the newest", "%", share, must: .atLeast(100))
            report.add("\(figure), all of them after", "s", time)
        }
    }

    private static func measure(_ transport: PagesFixture.Transport, in folder: String) throws -> (Double, Double) {
        let fixture = try PagesFixture(in: folder, channels: channels)
        for channel in 0..<channels { for _ in 0..<PageState.targets { try fixture.commit(channel: channel) } }
        let cursors = try (0..<channels).map { try fixture.cursor(channel: $0) }
        let start = nanoseconds()
        for page in 0..<pages {
            // Two thousand pages open per second; the first ones open while events are being committed.
            let time = start + UInt64(page) * millisecond / 2
            fixture.add(transport, channel: page % channels, cursor: cursors[page % channels], at: time)
        }
        for _ in 0..<3 { for channel in 0..<channels { try fixture.commit(channel: channel) } }
        try fixture.finish()
        try fixture.waitUntilCurrent()
        return (100 * Double(fixture.current) / Double(pages), Double(nanoseconds() - start) / 1e9)
    }
}
