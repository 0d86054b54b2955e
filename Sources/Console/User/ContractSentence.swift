import APIModel
import Domain

/// A contract in words: what the user has, why, and what would change it.
struct ContractSentence {
    /// The event that decided, as far as it is among those given.
    let cause: FeedItem?
    private let item: EntitlementItem
    private let details: ContractItem.Details
    private let store: String
    private let isGrant: Bool
    private let end: Instant?
    private let hasPassed: Bool

    /// `events` are the user's, newest first.
    init(_ contract: ContractItem, events: [FeedItem], now: Instant) {
        item = contract.entitlement
        details = contract.details
        store = StoreWords.store(item.provider)
        isGrant = item.provider == Provider.paycast.rawValue
        end = item.accessUntil?.instant
        hasPassed = end.map { $0 <= now } ?? false
        cause = events.first { $0.hasChanged(contract.entitlement) }
    }

    /// `Active until 3 January 2026 because Apple said so on 3 December 2025 (DID_RENEW).`
    var what: String { "\(standing)\(because)." }

    private var state: ContractState? { ContractState(rawValue: item.state) }
    private var causeDay: String? { cause?.date.map(ConsoleTime.day) }
    private var day: String { end.map { ConsoleTime.day($0) } ?? "an unknown day" }

    private var standing: String {
        if state?.givesAccess == true, !item.active, !hasPassed {
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
            return end == nil ? "Not active: it was taken back" : "Not active since \(day): it was taken back"
        case .owned: return isGrant ? "Active for ever" : "Owned for ever"
        case .delivered: return "Delivered\(item.quantity.map { ": \($0)" } ?? "")"
        case nil: return "In the state \(item.state)"
        }
    }

    private var because: String {
        guard !isGrant else {
            return causeDay.map { ", by what somebody of yours did on \($0)" } ?? ", by a grant"
        }
        guard let cause, let day = causeDay else {
            return details.statedAt?.instant
                .map { " because \(store) said so on \(ConsoleTime.day($0))" } ?? " by \(store)"
        }
        let words = EventNames.ownWords(cause).map { " (\($0))" } ?? ""
        // Nobody said that it ended: the end that was said has passed.
        if state == .expired, cause.state != item.state, end != nil {
            return ", because \(store) said on \(day) that it lasts until then\(words), and has said nothing since"
        }
        return " because \(store) said so on \(day)\(words)"
    }

    /// One sentence.
    var next: String {
        if state?.givesAccess == true, !item.active, !hasPassed {
            return
                "A Sandbox purchase gives access to nobody here but the users of PAYCAST_SANDBOX_USERS. A purchase in "
                + "Production would."
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
        case .revoked: return "A new purchase, a grant of yours, or \(store) taking the refund back gives access again."
        case .owned: return "Only a refund at \(store) would take it away."
        case .delivered: return "It was handed over once. A refund does not take it back by itself."
        case nil: return "A newer message of \(store) would change it."
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
