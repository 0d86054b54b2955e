/// Something to tell a store or a staging server after the commit, however many attempts it takes.
public struct Job: Sendable, Equatable {
    public enum Kind: String, CaseIterable, Sendable {
        /// Google: it refunds a purchase that is not acknowledged within three days.
        case acknowledge
        /// Google: acknowledges a consumable and lets it be bought again.
        case consume
        /// Apple: Finish Transaction.
        case finish
        /// Apple: Set App Account Token, for a purchase that carried none or another one.
        case setToken = "set_token"
        /// Apple: what it says of a purchase that was given for its receipt alone, while Apple did not answer.
        case ask
        /// Apple asks what a customer has used of a purchase, before it gives the money back. Nobody does this job: it waits for
        /// somebody of the app's to answer, which makes it a `consumption`, and is due when it is too late.
        case refundRequest = "refund_request"
        /// Apple: Send Consumption Information, the answer to that.
        case consumption
        /// The event's body goes to a staging server, unchanged.
        case forward
    }

    /// The recipient. Jobs with the same destination wait for each other, but never for those of another destination.
    public enum Destination: Sendable, Hashable {
        case store(Provider)
        /// A staging server.
        case address(String)
    }

    public var kind: Kind
    public var provider: Provider
    public var environment: StoreEnvironment
    public var app: String
    /// What the job is about: a transaction id or a purchase token; for `forward`, the address.
    public var subject: String
    /// For Google, `subscriptions/PRODUCT` or `products/PRODUCT`, as in its addresses; for `setToken`, the token; for
    /// `refundRequest`, what is known of the purchase; for `consumption`, that and the answer.
    public var detail: String?
    /// After this time the job is pointless; an operator is warned before it.
    public var deadline: Instant?

    public var destination: Destination { kind == .forward ? .address(subject) : .store(provider) }
}

extension Job {
    public init(kind: Kind, provider: Provider, environment: StoreEnvironment, app: String, subject: String) {
        self.kind = kind
        self.provider = provider
        self.environment = environment
        self.app = app
        self.subject = subject
    }
}
