import APIModel
import Domain

/// The first lines of a user's page.
struct UserSentences: Equatable {
    let what: String
    /// What to tell a caller at once.
    let access: String
    let next: String
    let cause: FeedItem?

    /// `events` are the newest ones, newest first.
    init(_ record: UserAnswer, events: [FeedItem], now: Instant) {
        access = UserSentences.access(record)
        // Those that speak for the user come first.
        if let contract = record.contracts.first {
            let sentence = ContractSentence(contract, events: events, now: now)
            (what, next, cause) = (sentence.what, sentence.next, sentence.cause)
            return
        }
        cause = events.first { $0.outcome != nil }
        (what, next) = UserSentences.withoutContract(record, events: events)
    }

    /// Only what is certain: a payment that failed, or was called off, is the next sentence's matter.
    private static func access(_ record: UserAnswer) -> String {
        guard record.active else { return "Has no access." }
        switch record.contracts.first.flatMap({ ContractState(rawValue: $0.entitlement.state) }) {
        case .active, .owned: return "Has access; a page shows it as soon as it opens; there is no reason to pay again."
        default: return "Has access; a page shows it as soon as it opens."
        }
    }

    /// What is missing.
    private static func withoutContract(_ record: UserAnswer, events: [FeedItem]) -> (String, String) {
        if let event = events.first(where: { $0.outcome == Outcome.quarantined.rawValue }) {
            let store = StoreWords.store(event.provider ?? "the store")
            return (
                "No purchase: one came, and contradicts the order that its token names.",
                "Compare the order with what \(store) sold: another product, another store, or another user's token."
            )
        }
        if let event = events.first(where: { $0.kind == EventKind.contractTransferred.rawValue }) {
            return (
                "No purchase: what the user had is another user's now, by event \(event.event ?? event.cursor).",
                "The buyer's store account is in use by a second account of your app. Ask which of the two the buyer means."
            )
        }
        if !record.orders.isEmpty {
            let open = record.orders.count { $0.state == "open" }
            return (
                "No purchase: \(open == 1 ? "one order is" : "\(open) orders are") open, and no store has named one yet.",
                "If the buyer has paid, the store's message is missing, was refused, or came without the order's token: "
                    + "look for the original transaction id, and at what needs attention."
            )
        }
        return (
            "No store has ever named this user.",
            "Search for the order, the original transaction id or the purchase token that the buyer can show. The purchase may be under "
                + "another user, or unclaimed: then it carries no order token, or one that is not known here."
        )
    }
}
