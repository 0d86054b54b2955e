import APIModel
public import Domain
import Encoding

/// `POST /transactions/apple`: a transaction that StoreKit gave an app, and what it says of the next period,
/// `{"signedTransaction", "signedRenewalInfo"?, "finish"?}`, whose signatures are Apple's. Or, from the backend alone, the id of
/// one, `{"transactionId", "app"?}`: Apple is asked.
struct PostedAppleTransaction: PostedPurchase {
    private enum Content {
        case signed(String, renewalInfo: String?)
        case id(String, app: String?)
    }

    static let refusal: StaticString = "transaction refused"

    private let content: Content
    private let finish: Bool

    /// Whoever has seen a receipt knows its transaction's id.
    var isVouchedOnly: Bool { if case .id = content { true } else { false } }

    func asks(_ store: OpenAppleStore) -> Bool { isVouchedOnly }

    init(_ body: JSONNode, bytes: [UInt8]) throws(RefusedBody) {
        finish = try RefusedBody.flag("finish", of: body)
        let transaction = try RefusedBody.string("signedTransaction", of: body)
        let id = try RefusedBody.string("transactionId", of: body)
        switch (transaction, id) {
        case (let text?, nil):
            content = .signed(text, renewalInfo: try RefusedBody.string("signedRenewalInfo", of: body))
        case (nil, let id?):
            guard AppleServerAPI.isTransactionID(id) else {
                throw RefusedBody.mistyped("transactionId", expected: "a transaction's id, 6 to 25 digits")
            }
            content = .id(id, app: try RefusedBody.name("app", of: body))
        case (nil, nil), (.some, .some):
            throw RefusedBody(
                "missing_signed_transaction",
                message: "Send {\"signedTransaction\":JWS}, or as the backend {\"transactionId\":ID}."
            )
        }
    }

    func read(with store: OpenAppleStore, now: Instant) throws(RefusedPurchase) -> PurchaseReading {
        switch content {
        case .signed(let transaction, let renewalInfo):
            var event: Event
            do throws(VerificationError) {
                event = try store.apple.verify(transaction: transaction, renewalInfo: renewalInfo, now: now)
            } catch {
                throw .unproven(error)
            }
            if finish { event.jobs = event.finishJobs }
            return PurchaseReading(source: .receipt, events: [event])
        case .id(let id, let app):
            var events = try store.purchase(id, of: app, now: now)
            if finish { events[0].jobs = events[0].finishJobs }
            return PurchaseReading(source: .store, events: events)
        }
    }
}

extension Event {
    fileprivate var finishJobs: [Job] {
        guard let id = observation?.transaction?.id else { return [] }
        return [Job(kind: .finish, provider: .apple, environment: environment, app: app, subject: id)]
    }
}

extension OpenAppleStore {
    /// What Apple says of one purchase, found by the id of any of its transactions: first its status, and then each charge, the
    /// newest first, so that pages hear once. The buyer's other purchases have ids of their own. Never empty.
    fileprivate func purchase(_ id: String, of app: String?, now: Instant) throws(RefusedPurchase) -> [Event] {
        guard let api = serverAPI else { throw .withoutKey("PAYCAST_APPLE_API_KEY") }
        guard app.map(apps.contains) ?? true else { throw .unproven(.wrongApp) }
        var trouble: StoreAPIError?
        for app in app.map({ [$0] }) ?? apps {
            do throws(StoreAPIError) {
                let events = try api.of(app).statements(of: id, in: nil, now: now)
                let named = events.first { $0.observation?.transaction?.id == id }
                let key = (named ?? events.first { $0.observation?.contract.lineage == id })?.observation?.contract
                let found = events.filter { key != nil && $0.observation?.contract == key }
                if !found.isEmpty { return found }
            } catch {
                switch error {
                // It may be the next app's: Apple refuses the key for one that is not released, and knows none by a wrong id.
                case .unauthorized, .refused: trouble = error.isUnknownPurchase ? trouble : error
                case .unavailable, .unreadable, .notYetKnown: throw .unanswered(error, at: now)
                }
            }
        }
        if let trouble { throw .unanswered(trouble, at: now) }
        throw .unproven(.untrusted(.unknownPurchase))
    }
}

extension AppleVerifier {
    /// Verifies a transaction that an app posted. The event's body holds the signed texts only, not the request's key.
    public func verify(transaction: String, renewalInfo: String?, now: Instant) throws(VerificationError) -> Event {
        let renewal = renewalInfo.map { #","signedRenewalInfo":\#(JSONLiteral.literal($0))"# } ?? ""
        let body = #"{"signedTransaction":\#(JSONLiteral.literal(transaction))\#(renewal)}"#
        return try verifier(ofPosted: transaction)
            .verify(transaction: transaction, renewalInfo: renewalInfo, body: Array(body.utf8), now: now)
    }
}
