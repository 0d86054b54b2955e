public import Domain
public import StoreInterface

extension AppleServerAPI {
    /// 20 transactions a page: more than any buyer has, and an end for a server that never says that there is one.
    static let pageLimit = 50

    /// Everything that is known behind one id, as events to be committed: each subscription's status, and every
    /// transaction of that buyer. `id` is any transaction's, original or not, or an app transaction's.
    ///
    /// Without an environment, Production is asked first and Sandbox when the id is not known there.
    public func statements(
        of id: String,
        in environment: StoreEnvironment?,
        now: Instant
    ) throws(StoreAPIError) -> [Event] {
        try asking(environment) { (place) throws(StoreAPIError) in
            try statuses(of: id, at: place, expecting: environment, now)
                + history(of: id, at: place, expecting: environment, now)
        }
    }

    /// Get All Subscription Statuses: with snapshots, one for each subscription of the buyer.
    public func statuses(
        of id: String,
        in environment: StoreEnvironment?,
        now: Instant
    ) throws(StoreAPIError) -> [Event] {
        try asking(environment) { (place) throws(StoreAPIError) in
            try statuses(of: id, at: place, expecting: environment, now)
        }
    }

    /// Get Transaction History: transactions alone, 1,000 at the most, newest first.
    public func history(
        of id: String,
        in environment: StoreEnvironment?,
        now: Instant
    ) throws(StoreAPIError) -> [Event] {
        try asking(environment) { (place) throws(StoreAPIError) in
            try history(of: id, at: place, expecting: environment, now)
        }
    }

    /// Get Transaction Info.
    public func transaction(
        _ id: String,
        in environment: StoreEnvironment?,
        now: Instant
    ) throws(StoreAPIError) -> Event {
        try asking(environment) { (place) throws(StoreAPIError) in
            let answer = try ask(AppleTransactionAnswer.self, .transaction(id), place, now)
            return try event(of: answer.signedTransactionInfo, environment, now)
        }
    }

    /// Set App Account Token, of any kind of purchase but a family-shared one; `id` is the original transaction's.
    public func setAccountToken(
        _ token: OrderToken,
        of id: String,
        in environment: StoreEnvironment,
        now: Instant
    ) throws(StoreAPIError) {
        _ = try line.send(.setAccountToken(token, of: id), for: app, in: environment, now: now)
    }

    /// Finish Transaction: StoreKit delivers it to the app no more. Only after our commit.
    public func finish(_ id: String, in environment: StoreEnvironment, now: Instant) throws(StoreAPIError) {
        _ = try line.send(.finish(id), for: app, in: environment, now: now)
    }

    private func statuses(
        of id: String,
        at place: StoreEnvironment,
        expecting environment: StoreEnvironment?,
        _ now: Instant
    ) throws(StoreAPIError) -> [Event] {
        let answer = try ask(AppleStatusesAnswer.self, .statuses(of: id), place, now)
        var events: [Event] = []
        for item in (answer.data ?? []).flatMap({ $0.lastTransactions ?? [] }) {
            let event = try proven(environment) { () throws(VerificationError) in
                try verifier.verify(
                    status: item.status,
                    transaction: item.signedTransactionInfo,
                    renewalInfo: item.signedRenewalInfo,
                    now: now
                )
            }
            // The status is not signed: it counts for the subscription beside which it stands, and for no other.
            guard item.originalTransactionId == nil || item.originalTransactionId == event.lineage else {
                throw .unreadable(reason: "a status stands beside another subscription's transaction")
            }
            events.append(event)
        }
        return events
    }

    private func history(
        of id: String,
        at place: StoreEnvironment,
        expecting environment: StoreEnvironment?,
        _ now: Instant
    ) throws(StoreAPIError) -> [Event] {
        var events: [Event] = []
        var revision: String?
        for _ in 0..<AppleServerAPI.pageLimit {
            let page = try ask(AppleTransactionsAnswer.self, .history(of: id, revision: revision), place, now)
            for text in page.signedTransactions ?? [] { events.append(try event(of: text, environment, now)) }
            guard page.hasMore == true else { return events }
            guard let next = page.revision, next != revision else {
                throw .unreadable(reason: "the history says that there is more, but not where")
            }
            revision = next
        }
        return events
    }

    /// As if the app had posted it: the same transaction, signed at the same instant, is the same event.
    private func event(
        of text: String,
        _ environment: StoreEnvironment?,
        _ now: Instant
    ) throws(StoreAPIError) -> Event {
        try proven(environment) { () throws(VerificationError) in
            try verifier.verify(transaction: text, body: AppleJSON.encode(["signedTransaction": text]), now: now)
        }
    }
}

extension Event {
    fileprivate var lineage: String? { observation?.contract.lineage }
}
