import Domain

/// Rows 20 to 22: a pause is announced, begins and ends.
extension TableCase {
    private static let pausing = StoreStatement("customer.subscription.paused")

    static let pauseRows = [
        TableCase(
            20,
            at: .google,
            says: "11",
            after: ["4"],
            is: .pauseScheduled,
            state: .active,
            until: .day(30),
            shows: .ending
        ),
        TableCase(
            20,
            at: .revenuecat,
            says: "SUBSCRIPTION_PAUSED",
            after: [initial],
            is: .pauseScheduled,
            state: .active,
            until: .day(30),
            shows: .ending
        ),
        paused(.google, says: .late("10"), after: ["4"], until: .over),
        paused(.stripe, says: pausing, after: [created], until: .none),
        paused(.stripe, says: "customer.subscription.updated/paused", after: [created], until: .none),
        paused(.revenuecat, says: .late("EXPIRATION/SUBSCRIPTION_PAUSED"), after: [initial], until: .over),
        resumed(.google, says: "1", after: ["4", .late("10")]),
        resumed(.google, says: "2", after: ["4", .late("10")]),
        resumed(.stripe, says: "customer.subscription.resumed", after: [created, pausing]),
        resumed(.revenuecat, says: "RENEWAL", after: [initial, .late("EXPIRATION/SUBSCRIPTION_PAUSED")]),
    ]

    private static func paused(
        _ provider: Provider,
        says statement: StoreStatement,
        after before: [StoreStatement],
        until end: End
    ) -> TableCase {
        TableCase(
            21,
            at: provider,
            says: statement,
            after: before,
            is: .paused,
            state: .paused,
            until: end,
            shows: .both("paused")
        )
    }

    private static func resumed(_ provider: Provider, says statement: StoreStatement, after before: [StoreStatement])
        -> TableCase
    {
        TableCase(
            22,
            at: provider,
            says: statement,
            after: before,
            is: .resumed,
            state: .active,
            until: .inDays(30),
            shows: .granted
        )
    }
}
