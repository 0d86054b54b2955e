import APIModel
import Domain
import Encoding

/// `POST /transactions/stripe`: a subscription that the backend knows by its id, `{"subscription", "account"?}`. Stripe is asked
/// for its present state.
struct PostedStripeSubscription: PostedPurchase {
    static let refusal: StaticString = "subscription refused"

    private let id: String
    /// A connected account; nil for the one that the key belongs to.
    private let account: String?

    static let isForBackendAlone = true

    func asks(_ store: StripeVerifier) -> Bool { true }

    init(_ body: JSONNode, bytes: [UInt8]) throws(RefusedBody) {
        guard let id = try RefusedBody.string("subscription", of: body), id.utf8.starts(with: "sub_".utf8),
            (5...255).contains(id.utf8.count), id.utf8.allSatisfy({ $0.isLetterOrDigit || $0 == UInt8(ascii: "_") })
        else { throw RefusedBody.mistyped("subscription", expected: "the id of a subscription, sub_…") }
        self.id = id
        account = try RefusedBody.name("account", of: body)
    }

    /// A key that is of one mode knows its subscriptions alone; any other is asked in both.
    func read(with store: StripeVerifier, now: Instant) throws(RefusedPurchase) -> PurchaseReading {
        guard let api = store.stripeAPI else { throw .withoutKey("PAYCAST_STRIPE_API_KEY") }
        guard account.map(store.accounts.contains) ?? true else { throw .unproven(.wrongApp) }
        var trouble: StoreAPIError?
        for environment in StoreEnvironment.ofStores where api.reads(environment) {
            let app = account ?? StripeEnvelope.ownAccount
            let contract = ContractKey(provider: .stripe, environment: environment, app: app, lineage: id)
            do throws(StoreAPIError) {
                if let event = try api.statement(of: contract, now: now) {
                    return PurchaseReading(source: .store, events: [event])
                }
            } catch {
                // It may be the other mode's.
                guard case .unreadable = error else { throw .unanswered(error, at: now) }
                trouble = error
            }
        }
        if let trouble { throw .unanswered(trouble, at: now) }
        throw .unproven(.untrusted(.unknownPurchase))
    }
}
