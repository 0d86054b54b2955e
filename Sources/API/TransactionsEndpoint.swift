internal import Domain
internal import HTTPMessages
internal import StoreInterface

/// `POST /transactions/{store}`: a purchase that a store's library gave an app, posted by the app or its page. It may
/// arrive before the store's webhook.
///
/// Both take the same path: the one that arrives first is shown, the other changes nothing. Pages of allowed origins may
/// read the answers. The claim that a user owns the purchase is checked before the purchase itself.
struct TransactionsEndpoint<Purchase: PostedPurchase> {
    private let services: Services

    init(_ services: Services) {
        self.services = services
    }

    func answer(_ request: Request) -> Answer {
        let origin = PageOrigin(request, access: services.access)
        if request.method == "OPTIONS" { return .respond(origin.preflight(allowing: request.route.methods)) }
        do throws(RefusedBody) {
            let purchase = try Purchase(request.body)
            let isTrusted = services.access.isTrusted(request.credentials)
            let user = try purchase.claimant.resolve(services, isTrusted: isTrusted, origin: origin)
            return .later { reply in
                let answer: @Sendable (Response) -> Void = { reply.send(origin.shown($0)) }
                if !begin(purchase, for: user, posted: request, answer: answer) { answer(.busy) }
                return true
            }
        } catch {
            return .respond(origin.shown(error.response))
        }
    }

    /// Returns false if too much is waiting. `answer` may be called on any thread.
    private func begin(
        _ purchase: Purchase,
        for user: UserID?,
        posted request: Request,
        answer: @escaping @Sendable (Response) -> Void
    ) -> Bool {
        guard let reader = Purchase.reader(services) else {
            answer(refusal(.notConfigured))
            return true
        }
        return services.submit(waitingFor: Purchase.asksStore ? .app(Purchase.provider) : nil) {
            do throws(VerificationError) {
                let event = try reader(purchase)
                Commitment(services, receivedAt: request.receivedAt)
                    .commit(event, for: user, with: purchase.order) { answer($0.response) }
            } catch {
                answer(refusal(error))
            }
        } orElse: {
            answer(.busy)
        }
    }

    private func refusal(_ error: VerificationError) -> Response {
        services.refusals.post(Purchase.refusal, from: Purchase.provider, reason: error.code)
        return .refused(error)
    }
}

/// The body of a post, parsed strictly, and how its store reads it.
protocol PostedPurchase: Sendable {
    static var provider: Provider { get }
    /// Whether reading it waits for the store's API.
    static var asksStore: Bool { get }
    /// The log line of a refusal.
    static var refusal: StaticString { get }
    /// Proves a purchase and turns it into an event. Nil if the store is not configured.
    static func reader(_ services: Services) -> (@Sendable (Self) throws(VerificationError) -> Event)?

    var claimant: Claimant { get }
    /// The claimant's order, for a purchase that carries no token of its own, such as one with an offer code.
    var order: OrderToken? { get }

    init(_ bytes: [UInt8]) throws(RefusedBody)
}
