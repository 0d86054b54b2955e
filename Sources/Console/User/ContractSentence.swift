import API
import APIModel
import Domain

/// A contract in words: what the user has, why, and what would change it.
struct ContractSentence {
    /// The event that decided, as far as it is among those given.
    let cause: FeedItem?
    private let item: ContractItem
    private let details: ContractDetail.Details
    private let store: String
    private let isGrant: Bool
    private let end: Instant?
    private let hasPassed: Bool
    /// What it was before the cause, here or as the contract that this one replaced.
    private let formerProduct: String?

    /// `events` are the user's, newest first.
    init(_ contract: ContractDetail, events: [FeedItem], now: Instant) {
        item = contract.summary
        details = contract.details
        store = StoreWords.store(item.provider)
        isGrant = item.provider == Provider.paycast.rawValue
        end = item.accessUntil?.instant
        hasPassed = end.map { $0 <= now } ?? false
        let own = events.firstIndex { $0.hasChanged(contract.summary) }
        let names = [contract.summary.contract, contract.details.replaces].compactMap { $0 }
        cause = own.map { events[$0] }
        formerProduct =
            own.flatMap { own in
                events[(own + 1)...].first { event in
                    event.outcome == Outcome.applied.rawValue && event.provider == contract.summary.provider
                        && names.contains { event.contract?.hasSameBytes(as: $0) == true } && event.product != nil
                }
            }?.product
    }

    /// `Active until 3 January 2026 because Apple said so on 3 December 2025 (DID_RENEW).`
    var what: String { "\(standing)\(because)." }

    private var state: ContractState? { ContractState(rawValue: item.state) }
    private var causeDay: String? { cause?.date.map(\.longDate) }
    private var day: String { end.map { $0.longDate } ?? "an unknown day" }

    /// A test store's purchase, which opens nothing here.
    private var isOfTester: Bool {
        state?.givesAccess == true && !item.active && !hasPassed && !item.entitlements.isEmpty
    }

    /// What waits for the catalog: how long a rental lasts that was paid, or what anything else opens.
    private var lack: (words: String, name: String)? {
        let isBoughtForATime = details.kind == ProductKind.nonRenewing.rawValue
        if state == .pending, isBoughtForATime, let paidAt = details.purchasedAt?.instant {
            return ("Not active yet: paid on \(paidAt.longDate), and the catalog has no duration for", "its duration")
        }
        guard state?.givesAccess == true, item.entitlements.isEmpty, !hasPassed else { return nil }
        let state = StoreWords.state(item.state)
        return ("No access, although the purchase is \(state): the catalog opens nothing with", "what it opens")
    }

    private var standing: String {
        if let lack { return "\(lack.words) \(item.product)" }
        if isOfTester {
            return
                "No access, although the purchase is \(StoreWords.state(item.state)): it was made in the \(item.environment)"
        }
        switch state {
        case .active: return end == nil ? "Active without an end" : "Active until \(day)"
        case .cancelled: return isGrant ? "Active until \(day)" : "Active until \(day) and then over"
        case .inGracePeriod: return "Active until \(day) although the payment failed"
        case .inBillingRetry:
            return end == nil ? "Not active: the payment failed" : "Not active since \(day): the payment failed"
        case .pending: return "Not active yet: the payment is not there"
        case .paused: return "Not active: paused"
        case .expired: return end == nil ? "Not active: it ended" : "Not active since \(day): it ended"
        case .revoked:
            return (end == nil ? "Not active: " : "Not active since \(day): ") + loss.words
        case .owned: return isGrant ? "Active for ever" : "Owned for ever"
        case .delivered: return "Delivered\(item.quantity.map { ": \($0)" } ?? "")"
        case nil: return "In the state \(item.state)"
        }
    }

    /// How it was lost, and what would give it back.
    private var loss: (words: String, reversal: String) {
        switch cause.flatMap({ EventKind(rawValue: $0.kind) }) {
        case .refundCompleted: ("it was refunded", "if \(store) reverses the refund")
        case .familyRevoked: ("the family no longer shares it", "if the family shares it again")
        default: ("it was taken back", "if \(store) gives it back")
        }
    }

    /// `: changed from pro.monthly to pro.annual, 79.99 USD,`; empty for any other cause.
    private var change: String {
        guard let cause, cause.kind == EventKind.planChanged.rawValue, state?.givesAccess == true, !isOfTester else {
            return ""
        }
        let from = formerProduct.flatMap { $0.hasSameBytes(as: item.product) ? nil : " from \($0)" } ?? ""
        return ": changed\(from) to \(item.product)" + (charged(by: cause).map { ", \($0)," } ?? "")
    }

    /// The newest charge may be an older one.
    private func charged(by event: FeedItem) -> String? {
        guard let at = event.date,
            let charge = details.purchasedAt?.instant, charge + .seconds(86_400) > at
        else { return nil }
        return StoreWords.price(details.price, currency: details.currency)
    }

    private var because: String {
        guard lack == nil else { return "" }
        guard !isGrant else {
            return causeDay.map { ", by what somebody of yours did on \($0)" } ?? ", by a grant"
        }
        guard let cause, let day = causeDay else {
            return details.statedAt?.instant.map { said(on: $0.longDate) } ?? " by \(store)"
        }
        let words = EventNames.ownWords(cause).map { " (\($0))" } ?? ""
        // Nobody said that it ended: the end that was said has passed.
        if state == .expired, cause.state != item.state, end != nil {
            return ", because \(store) said on \(day) that it lasts until then\(words), and has said nothing since"
        }
        return change + said(on: day) + words
    }

    private func said(on day: String) -> String {
        isOfTester ? ", as \(store) said on \(day)" : " because \(store) said so on \(day)"
    }

    /// One sentence.
    var next: String {
        if isOfTester { return nextOfTester }
        if let lack {
            return "Name \(item.product) with \(lack.name) in PAYCAST_CATALOG, and send SIGHUP: that opens it, without "
                + "another message of \(store)."
        }
        if isGrant { return nextOfGrant }
        switch state {
        case .active where end == nil: return "It goes on until \(store) says something else."
        case .active:
            return "\(store) charges again by then, and its message moves the end. Without one, access ends soon after."
        case .cancelled: return "It ends by itself on that day, unless the buyer turns renewal on again at \(store)."
        case .inGracePeriod:
            return "The buyer has to correct the payment at \(store) by then. A message of \(store) ends the grace."
        case .inBillingRetry: return "\(store) still tries. Access comes back with its message that the buyer has paid."
        case .pending: return "\(store) says so once the buyer has paid; some payments take days."
        case .paused: return "\(store) resumes it on the day that the buyer has chosen, or when the buyer asks for it."
        case .expired: return "A new purchase at \(store), or a grant of yours, gives access again."
        case .revoked: return "Access comes back with a new purchase, a grant of yours, or \(loss.reversal)."
        case .owned: return "Only a refund at \(store) would take it away."
        case .delivered: return "It was handed over once. A refund does not take it back by itself."
        case nil: return "A newer message of \(store) would change it."
        }
    }

    private var nextOfTester: String {
        let source = (item.provider == Provider.apple.rawValue ? "TestFlight or " : "") + "a test account"
        let shop =
            [Provider.apple.rawValue: "the App Store", Provider.google.rawValue: "Google Play"][item.provider]
            ?? "the store"
        return
            "No money was taken: it was bought with \(source). Let the customer install the app from \(shop) and buy "
            + "there; a tester gets access by PAYCAST_SANDBOX_USERS."
    }

    var renewal: String {
        let isOver = state == .expired || state == .revoked || state == .cancelled
        let isBoughtOnce = isGrant || details.kind != ProductKind.subscription.rawValue
        let renews: Bool? = isOver || isBoughtOnce ? false : item.autoRenew
        switch (renews, state) {
        case (false?, _): return "does not renew"
        case (nil, _): return ""
        case (true?, .active):
            let product = item.pendingProduct.map { " as \($0)" } ?? ""
            return "renews\(product)" + (end == nil || hasPassed ? "" : " on \(day)")
        case (true?, .inGracePeriod), (true?, .inBillingRetry): return "\(store) still tries to charge"
        case (true?, _): return "renews"
        }
    }

    private var nextOfGrant: String {
        switch state {
        case .cancelled: "It ends by itself on that day. Revoking it ends it now."
        case .owned: "Revoking it ends it."
        default: "A new grant, or a purchase, gives access again."
        }
    }
}
