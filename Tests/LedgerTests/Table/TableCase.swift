import Domain
import Testing

/// One row of `TableOfEvents` at one store: what the store says, and what follows from it.
struct TableCase: Sendable, CustomTestStringConvertible {
    enum End: Sendable, Equatable {
        case none
        /// Days after the first statement, and some more time.
        case day(Int, and: Duration = .zero)
        /// Days after this statement.
        case inDays(Int)
        /// At this statement or before it.
        case over
    }

    var row: Int
    var provider: Provider
    /// What the buyer buys.
    var sold: ProductKind
    var before: [StoreStatement]
    var statement: StoreStatement
    /// Whether Stripe's API is read as well.
    var asksStore: Bool
    var kind: EventKind
    /// The reason, which the table gives in braces.
    var word: String?
    /// Nil if the statement is about no contract.
    var state: ContractState?
    var isTrial: Bool
    /// Which product the buyer has afterwards.
    var product: String
    /// Whether the user has access afterwards.
    var isOpen: Bool
    var end: End
    /// `target=template` of each fragment, after the user's name when that is not the buyer.
    var fragments: [String]

    var testDescription: String {
        let past = before.isEmpty ? "" : " after " + before.map(\.words).joined(separator: ", ")
        return "row \(row), \(provider.rawValue): \(statement.words) of a \(sold.rawValue)\(past)"
    }

    init(
        _ row: Int,
        at provider: Provider,
        says statement: StoreStatement,
        after before: [StoreStatement] = [],
        of sold: ProductKind = .subscription,
        asksStore: Bool = false,
        is kind: EventKind,
        word: String? = nil,
        state: ContractState?,
        isTrial: Bool = false,
        product: String? = nil,
        isOpen: Bool? = nil,
        until end: End,
        shows fragments: [String] = []
    ) {
        self.row = row
        self.provider = provider
        self.sold = sold
        self.before = before
        self.statement = statement
        self.asksStore = asksStore
        self.kind = kind
        self.word = word
        self.state = state
        self.isTrial = isTrial
        self.product = product ?? TableScenario.product(sold)
        self.end = end
        self.fragments = fragments
        self.isOpen = isOpen ?? state?.givesAccess ?? false
    }

    static let all =
        startRows + trialRows + purchaseRows + renewalRows + planRows + autoRenewRows + billingRows + endRows
        + pauseRows
        + noticeRows + refundRows + familyRows + transferRows + purchaseKitRows + unknownRows
}

extension [String] {
    static let granted = ["paywall=success", "subscription_status=manage"]
    static let manage = both("manage")
    static let ending = both("ending")
    static func both(_ name: String) -> [String] { ["paywall=\(name)", "subscription_status=\(name)"] }
}
