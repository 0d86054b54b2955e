import Support
import TestSupport
import Testing

@testable import Rails

extension BroadcastInbox {
    /// A listener that has been started.
    func redisListener(
        _ url: String,
        prefix: String? = nil,
        verification: RedisVerification = .full,
        timing: BroadcastTiming = .quick(),
        pagesKeepUp: @escaping @Sendable () -> Bool = { true }
    ) throws -> BroadcastListener {
        let settings = RedisSettings(url: try RedisURL(url), prefix: prefix, verification: verification)
        let listener = try #require(
            BroadcastListener(redis: settings, timing: timing, log: log, metrics: metrics, submit: submit)
        )
        listener.start(pagesKeepUp: pagesKeepUp, heal: heal)
        return listener
    }
}

extension BroadcastTiming {
    /// So that outages take moments. A stall of the test's machine is none: whoever tests silence asks for less patience.
    static func quick(
        patience: Duration = .seconds(20),
        ledgerPatience: Duration = .seconds(20),
        repetition: Duration = .seconds(60)
    ) -> BroadcastTiming {
        BroadcastTiming(
            heartbeat: .milliseconds(50),
            interval: .milliseconds(10),
            patience: patience,
            ledgerPatience: ledgerPatience,
            repetition: repetition,
            backoff: Backoff(first: .milliseconds(10), most: .milliseconds(50))
        )
    }
}
