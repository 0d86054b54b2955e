import Domain

/// Rows 20 to 22: a pause is announced, begins, and is over.
extension TableCase {
    private static let pausing = Said("customer.subscription.paused")

    static let pauseRows = [
        TableCase(20, .google, "11", after: ["4"], is: .pauseScheduled, .active, until: .day(30), .ending),
        TableCase(
            20,
            .revenuecat,
            "SUBSCRIPTION_PAUSED",
            after: [initial],
            is: .pauseScheduled,
            .active,
            until: .day(30),
            .ending
        ),
        paused(.google, .late("10"), after: ["4"], until: .over),
        paused(.stripe, pausing, after: [created], until: .none),
        paused(.stripe, "customer.subscription.updated/paused", after: [created], until: .none),
        paused(.revenuecat, .late("EXPIRATION/SUBSCRIPTION_PAUSED"), after: [initial], until: .over),
        resumed(.google, "1", after: ["4", .late("10")]),
        resumed(.google, "2", after: ["4", .late("10")]),
        resumed(.stripe, "customer.subscription.resumed", after: [created, pausing]),
        resumed(.revenuecat, "RENEWAL", after: [initial, .late("EXPIRATION/SUBSCRIPTION_PAUSED")]),
    ]

    private static func paused(_ provider: Provider, _ said: Said, after before: [Said], until end: End) -> TableCase {
        TableCase(21, provider, said, after: before, is: .paused, .paused, until: end, .both("paused"))
    }

    private static func resumed(_ provider: Provider, _ said: Said, after before: [Said]) -> TableCase {
        TableCase(22, provider, said, after: before, is: .resumed, .active, until: .inDays(30), .granted)
    }
}
