import Domain
import Testing

/// One row of payments.md table 9.5 at one store: what it says, and what that leaves.
struct TableCase: Sendable, CustomTestStringConvertible {
    enum End: Sendable, Equatable {
        case none
        /// So many days after the first thing that was said, and some seconds.
        case day(Int, and: Duration = .zero)
        /// So many days after this was said.
        case inDays(Int)
        /// Then, or before.
        case over
    }

    var row: Int
    var provider: Provider
    /// What is sold.
    var sold: ProductKind
    var before: [Said]
    var said: Said
    /// Stripe's API is read too.
    var asksStore: Bool
    var kind: EventKind
    /// The word beside it, where the table has one in braces.
    var word: String?
    /// Nil: it says nothing of a contract.
    var state: ContractState?
    /// Whether the user has access after it.
    var isOpen: Bool
    var end: End
    /// `element=template` of what pages get, with the user's name before it when it is not the buyer.
    var fragments: [String]

    var testDescription: String {
        let past = before.isEmpty ? "" : " after " + before.map(\.words).joined(separator: ", ")
        return "row \(row), \(provider.rawValue): \(said.words) of a \(sold.rawValue)\(past)"
    }

    init(
        _ row: Int,
        _ provider: Provider,
        _ said: Said,
        after before: [Said] = [],
        of sold: ProductKind = .subscription,
        asksStore: Bool = false,
        is kind: EventKind,
        word: String? = nil,
        _ state: ContractState?,
        isOpen: Bool? = nil,
        until end: End,
        _ fragments: [String] = []
    ) {
        self.row = row
        self.provider = provider
        self.sold = sold
        self.before = before
        self.said = said
        self.asksStore = asksStore
        self.kind = kind
        self.word = word
        self.state = state
        self.end = end
        self.fragments = fragments
        self.isOpen = isOpen ?? state?.givesAccess ?? false
    }

    static let all =
        startRows + purchaseRows + renewalRows + planRows + autoRenewRows + billingRows + endRows + pauseRows
        + noticeRows + refundRows + familyRows + transferRows + purchaseKitRows + unknownRows
}

extension [String] {
    static let granted = ["paywall=success", "subscription_status=manage"]
    static let manage = both("manage")
    static let ending = both("ending")
    static func both(_ name: String) -> [String] { ["paywall=\(name)", "subscription_status=\(name)"] }
}
