import Testing

@testable import Support

@Suite struct MetricsTests {
    @Test func familyIsAnnouncedOnce() {
        let metrics = Metrics()
        metrics.counter(.connectionsRefused, labels: ["answer": "none"]).add(2)
        metrics.counter(.connectionsRefused, labels: ["answer": "retry"]).add()
        #expect(
            metrics.page() == """
                # HELP paycast_connections_refused_total Connections beyond a limit, by how they ended.
                # TYPE paycast_connections_refused_total counter
                paycast_connections_refused_total{answer="none"} 2
                paycast_connections_refused_total{answer="retry"} 1

                """
        )
    }

    @Test func bucketsOfAHistogramCountEverythingBelow() {
        let metrics = Metrics()
        let delays = metrics.histogram(.webhookDelay, labels: ["provider": "apple"])
        for seconds in [0, 1, 90, 100_000] { delays.record(.seconds(seconds)) }
        delays.record(.seconds(-5))
        let lines = metrics.page().split(separator: "\n")
        let bucket = { (bound: String) in "paycast_webhook_delay_seconds_bucket{provider=\"apple\",le=\"\(bound)\"}" }
        #expect(lines.contains { $0 == "\(bucket("1.0")) 3" })
        #expect(lines.contains { $0 == "\(bucket("60.0")) 3" })
        #expect(lines.contains { $0 == "\(bucket("120.0")) 4" })
        #expect(lines.contains { $0 == "\(bucket("+Inf")) 5" })
        #expect(lines.contains("paycast_webhook_delay_seconds_sum{provider=\"apple\"} 100091.0"))
        #expect(lines.contains("paycast_webhook_delay_seconds_count{provider=\"apple\"} 5"))
    }
}
