public import Domain
internal import Encoding

extension AppleServerAPI {
    /// A page has 20 transactions, so this is more than any buyer has. It also stops a server whose pages never end.
    static let pageLimit = 50

    /// Everything that Apple knows about one id, as events to commit: each subscription's status, and every transaction
    /// of that buyer. `id` is that of any transaction, original or not, or of an app transaction.
    ///
    /// Without an environment, asks Production first, and Sandbox if Production does not know the id.
    public func statements(
        of id: String,
        in environment: StoreEnvironment?,
        now: Instant
    ) throws(StoreAPIError) -> [Event] {
        try asking(environment) { (place) throws(StoreAPIError) in
            try statuses(of: id, at: place, expecting: environment, now: now)
                + history(of: id, at: place, expecting: environment, now: now)
        }
    }

    /// Get All Subscription Statuses: returns one event with a snapshot for each of the buyer's subscriptions.
    public func statuses(
        of id: String,
        in environment: StoreEnvironment?,
        now: Instant
    ) throws(StoreAPIError) -> [Event] {
        try asking(environment) { (place) throws(StoreAPIError) in
            try statuses(of: id, at: place, expecting: environment, now: now)
        }
    }

    /// Get Transaction History: returns only transactions, newest first, 1,000 at most.
    public func history(
        of id: String,
        in environment: StoreEnvironment?,
        now: Instant
    ) throws(StoreAPIError) -> [Event] {
        try asking(environment) { (place) throws(StoreAPIError) in
            try history(of: id, at: place, expecting: environment, now: now)
        }
    }

    /// Get Transaction Info.
    public func transaction(
        _ id: String,
        in environment: StoreEnvironment?,
        now: Instant
    ) throws(StoreAPIError) -> Event {
        try asking(environment) { (place) throws(StoreAPIError) in
            let text = try ask(.transaction(id), in: place, now: now) { (answer) throws(VerificationError) in
                try answer.statedString("signedTransactionInfo")
            }
            return try event(of: text, expecting: environment, now: now)
        }
    }

    /// Set App Account Token, for any purchase except a family-shared one. `id` is the original transaction's.
    public func setAccountToken(
        _ token: OrderToken,
        of id: String,
        in environment: StoreEnvironment,
        now: Instant
    ) throws(StoreAPIError) {
        _ = try line.send(.setAccountToken(token, of: id), for: app, in: environment, now: now)
    }

    /// Finish Transaction: StoreKit no longer delivers it to the app. Call it only after our commit.
    public func finish(_ id: String, in environment: StoreEnvironment, now: Instant) throws(StoreAPIError) {
        _ = try line.send(.finish(id), for: app, in: environment, now: now)
    }

    private func statuses(
        of id: String,
        at place: StoreEnvironment,
        expecting environment: StoreEnvironment?,
        now: Instant
    ) throws(StoreAPIError) -> [Event] {
        let items = try ask(.statuses(of: id), in: place, now: now) {
            (answer) throws(VerificationError) -> [(statement: AppleStatementBody, lineage: String?)] in
            var items: [(statement: AppleStatementBody, lineage: String?)] = []
            for group in try answer.parts("data") {
                for item in try group.parts("lastTransactions") {
                    items.append((try AppleStatementBody(item), try item.string("originalTransactionId")))
                }
            }
            return items
        }
        var events: [Event] = []
        for item in items {
            let event = try proven(environment) { () throws(VerificationError) in
                try verifier.verify(item.statement, now: now)
            }
            // The status is not signed, so it only counts for the subscription that it is listed with.
            guard item.lineage == nil || item.lineage == event.lineage else {
                throw .unreadable(reason: "a status is listed with another subscription's transaction")
            }
            events.append(event)
        }
        return events
    }

    private func history(
        of id: String,
        at place: StoreEnvironment,
        expecting environment: StoreEnvironment?,
        now: Instant
    ) throws(StoreAPIError) -> [Event] {
        var events: [Event] = []
        var revision: String?
        for _ in 0..<AppleServerAPI.pageLimit {
            let (texts, hasMore, next) = try ask(.history(of: id, revision: revision), in: place, now: now) {
                (page) throws(VerificationError) -> ([String]?, Bool?, String?) in
                (try page.strings("signedTransactions"), try page.boolean("hasMore"), try page.string("revision"))
            }
            for text in texts ?? [] { events.append(try event(of: text, expecting: environment, now: now)) }
            guard hasMore == true else { return events }
            guard let next, next != revision else {
                throw .unreadable(reason: "the history says that there is more, but names no next page")
            }
            revision = next
        }
        return events
    }

    /// Makes the same event as if the app had posted it: same transaction and signing date, same event.
    private func event(
        of text: String,
        expecting environment: StoreEnvironment?,
        now: Instant
    ) throws(StoreAPIError) -> Event {
        let body = #"{"signedTransaction":\#(JSONLiteral.literal(text))}"#
        return try proven(environment) { () throws(VerificationError) in
            try verifier.verify(transaction: text, body: Array(body.utf8), now: now)
        }
    }
}

extension Event {
    fileprivate var lineage: String? { observation?.contract.lineage }
}
