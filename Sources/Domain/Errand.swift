/// Something that a store, or a staging server, is to be told after the commit, however many attempts it takes.
public struct Errand: Sendable, Equatable {
    public enum Kind: String, CaseIterable, Sendable {
        /// Google: else it refunds after three days.
        case acknowledge
        /// Google: acknowledges a consumable and lets it be bought again.
        case consume
        /// Apple: Finish Transaction.
        case finish
        /// Apple: Set App Account Token, for a purchase that carried none or another one.
        case setToken = "set_token"
        /// The event's body goes to a staging server, unchanged.
        case forward
    }

    /// Who is told. Errands of one destination wait for each other, and for nobody else's.
    public enum Destination: Sendable, Hashable {
        case store(Provider)
        /// A staging server.
        case address(String)
    }

    public var kind: Kind
    public var provider: Provider
    public var environment: StoreEnvironment
    public var app: String
    /// What it is about: a transaction id, a purchase token; for `forward` the address.
    public var subject: String
    /// Google: `subscriptions/PRODUCT` or `products/PRODUCT`, as its addresses go on; `setToken`: the token.
    public var detail: String?
    /// After it the errand makes no sense any more; an operator is warned before.
    public var deadline: Instant?

    public init(
        kind: Kind,
        provider: Provider,
        environment: StoreEnvironment,
        app: String,
        subject: String,
        detail: String? = nil,
        deadline: Instant? = nil
    ) {
        self.kind = kind
        self.provider = provider
        self.environment = environment
        self.app = app
        self.subject = subject
        self.detail = detail
        self.deadline = deadline
    }

    public var destination: Destination { kind == .forward ? .address(subject) : .store(provider) }
}
