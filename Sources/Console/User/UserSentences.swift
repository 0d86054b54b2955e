import API
import APIModel
import Domain

/// The first lines of a user's page.
struct UserSentences: Equatable {
    let what: String
    /// What to tell a caller at once.
    let access: String
    let next: String
    let cause: FeedItem?
    /// Who has the user's purchase, or what the user asked for; nil for a reader who may not know.
    let newOwner: UserID?

    /// `entitlements` are the names of the user's, the main one first. `events` are the newest ones, newest first. `namesOthers` is false for a reader who may see this user alone;
    /// `movesBack` says whether a purchase follows who restores it.
    init(
        _ record: UserAnswer,
        entitlements: [String],
        events: [FeedItem],
        now: Instant,
        namesOthers: Bool = true,
        movesBack: Bool = true
    ) {
        access = UserSentences.access(record, entitlements)
        // Those that speak for the user come first.
        if let contract = record.contracts.first {
            let sentence = ContractSentence(contract, events: events, now: now)
            let twice = record.paidTwice.map { DoublePaymentSentence(payment: $0) }
            (what, next, cause) = (twice?.what ?? sentence.what, twice?.next ?? sentence.next, sentence.cause)
            newOwner = nil
            return
        }
        let contradiction = events.first { $0.outcome == Outcome.quarantined.rawValue }
        if contradiction == nil, let move = events.first(where: { $0.isMove && $0.user != record.user }) {
            cause = move
            newOwner = namesOthers ? move.user : nil
            (what, next) = UserSentences.moved(by: move, to: newOwner, movesBack: movesBack)
            return
        }
        if contradiction == nil, let refusal = record.refusals.first(where: { $0.owner != nil }) {
            (cause, newOwner) = (nil, namesOthers ? refusal.owner : nil)
            (what, next) = UserSentences.refused(refusal, to: newOwner)
            return
        }
        (cause, newOwner) = (contradiction ?? events.first { $0.outcome != nil }, nil)
        (what, next) = UserSentences.withoutContract(record, events: events)
    }

    private static func refused(_ refusal: RefusalItem, to owner: UserID?) -> (String, String) {
        let day = refusal.at.instant.map { " on \($0.longDate)" } ?? ""
        return (
            "No purchase: the one that the user asked for\(day) is \(owner.map { "\($0.text)’s" } ?? "another user’s"), and stayed there.",
            "The buyer's store account is in use by two accounts of your app, and by PAYCAST_TRANSFERS the purchase does not move. "
                + "Let the buyer sign in as its owner."
        )
    }

    private static func moved(by event: FeedItem, to owner: UserID?, movesBack: Bool) -> (String, String) {
        let day = Instant(iso8601: event.at).map { " on \($0.longDate)" } ?? ""
        let words = EventNames.ownWords(event).map { " (\($0))" } ?? ""
        let ask = "The buyer's store account is in use by two accounts of your app. Ask which one the buyer means"
        // RevenueCat moves by a setting of its own.
        let canReturn = movesBack || event.provider == Provider.revenuecat.rawValue
        return (
            "No purchase: what the user had went to \(owner?.text ?? "another user")\(day)\(words).",
            ask + (canReturn ? "; to move it back, the buyer restores purchases while logged in as this user." : ".")
        )
    }

    /// Only what is certain: a payment that failed, or was called off, is the next sentence's matter.
    private static func access(_ record: UserAnswer, _ names: [String]) -> String {
        guard names.count < 2 else { return accessByName(record, names) }
        guard record.active else { return "Has no access." }
        switch record.contracts.first.flatMap({ ContractState(rawValue: $0.summary.state) }) {
        case .active, .owned: return "Has access; a page shows it as soon as it opens; there is no reason to pay again."
        default: return "Has access; a page shows it as soon as it opens."
        }
    }

    /// Of several entitlements: `Has maps, and not pro; …`.
    private static func accessByName(_ record: UserAnswer, _ names: [String]) -> String {
        let has = names.filter { record.entitlements[$0]?.active == true }
        let lacks = names.filter { !has.contains($0) }
        guard !has.isEmpty else { return "Has no access: neither \(lacks.joined(separator: " nor "))." }
        let rest = lacks.isEmpty ? "" : ", and not \(lacks.joined(separator: ", "))"
        return "Has \(has.joined(separator: ", "))\(rest); a page shows it as soon as it opens."
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
        if !record.orders.isEmpty {
            let open = record.orders.count { $0.state == "open" }
            return (
                "No purchase: \(open == 1 ? "one order is" : "\(open) orders are") open, and no store has named one yet.",
                "If the buyer has paid, the store's message is missing, was refused, or came without the order's token: "
                    + "search for the order ID or number on the buyer's receipt, and look at what needs attention."
            )
        }
        let isUnknown = events.allSatisfy { $0.outcome == nil }
        return (
            isUnknown
                ? "Nothing is known of this user: no store has named them, or they were erased."
                : "No purchase: no store has named one of this user.",
            "Search for the order ID or number on the buyer's receipt, or the invoice's. The purchase may be under "
                + "another user, or unclaimed: then it carries no order token, or one that is not known here."
                + (isUnknown ? UserSentences.erased : "")
        )
    }

    private static let erased =
        " Does the customer say that they were erased? Let them sign up anew and press Restore purchases: it is theirs "
        + "again. A running subscription goes on at the store."
}

extension FeedItem {
    /// Whether it gave a contract to another user: `user` is who got it.
    var isMove: Bool { kind == EventKind.contractTransferred.rawValue }
}
