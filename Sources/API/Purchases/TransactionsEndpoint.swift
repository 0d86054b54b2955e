import APIModel
import Domain
import Pages
import Stores
import Support

/// `POST /transactions/{store}`: a purchase that a store's library gave an app, posted by the app or its page. It may
/// arrive before the store's webhook.
///
/// Both take the same path: the one that arrives first is shown, the other changes nothing. Pages of allowed origins
/// may read the answers. The claim that a user owns the purchase is checked before the purchase itself.
struct TransactionsEndpoint {
    let services: Services
    let provider: Provider

    func answer(_ request: Request) -> Answer {
        services.storeTypes[provider]?.transactions.map { answer(request, as: $0) } ?? .respond(.notFound)
    }

    private func answer<Purchase: PostedPurchase>(_ request: Request, as _: Purchase.Type) -> Answer {
        let origin = CORSAnswer(request, authorization: services.authorization)
        if request.method == "OPTIONS" { return .respond(origin.preflight(allowing: request.route.methods)) }
        return .later { [services] reply in
            let answer: @Sendable (Response) -> Void = { reply.send(origin.shown($0)) }
            let isTaken = services.blockingPools.submit(.strangers) {
                take(request, as: Purchase.self, origin: origin, answer: answer)
            } orElse: {
                answer(.busy)
            }
            if !isTaken { answer(.busy) }
            return true
        }
    }

    private func take<Purchase: PostedPurchase>(
        _ request: Request,
        as _: Purchase.Type,
        origin: CORSAnswer,
        answer: @escaping @Sendable (Response) -> Void
    ) {
        let (post, claim): (Post<Purchase>, Claim?)
        do throws(RefusedBody) {
            post = try Post(request.body)
            let refusal = services.authorization.refusal(of: request)
            let user = try post.claimant.resolve(services, refusal: refusal, origin: origin)
            claim = user.map { Claim(user: $0, order: post.order, isVouched: refusal == nil, trace: request.trace) }
        } catch {
            return answer(error.response)
        }
        let act = claim.flatMap { claim in
            claim.isVouched ? services.act(.claim, of: request, user: claim.user) : nil
        }
        let commit = EventCommit(
            services: services,
            receivedAt: request.receivedAt,
            step: "purchase committed",
            act: act,
            trace: request.trace
        )
        if !begin(post, claim: claim, commit: commit, answer: answer) { answer(.busy) }
    }

    /// Returns false if too much is waiting. `answer` may be called on any thread.
    private func begin<Purchase: PostedPurchase>(
        _ post: Post<Purchase>,
        claim: Claim?,
        commit: EventCommit,
        answer: @escaping @Sendable (Response) -> Void
    ) -> Bool {
        let services = services
        return PostedPurchaseReader(services: services, provider: provider).read(post.purchase) { reading in
            if reading.events.contains(where: { $0.environment == .xcode }) {
                services.log.warning("xcode transaction taken", fields: ["why": "only a server with --dev takes it"])
            }
            commit.commit(reading.events[...], claim: claim) { verdicts in
                answer(verdicts.last?.response ?? .uncommitted)
            }
        } refuse: { response in
            answer(response)
        }
    }
}

/// The body of a post, parsed strictly: the members that its store reads, and `"stream"?, "user"?, "order"?`.
private struct Post<Purchase: PostedPurchase>: Sendable {
    let purchase: Purchase
    let claimant: Claimant
    /// The claimant's order, for a purchase that carries no token of its own, such as one with an offer code.
    let order: OrderToken?

    init(_ bytes: [UInt8]) throws(RefusedBody) {
        let node = try RefusedBody.object(bytes)
        purchase = try Purchase(node, bytes: bytes)
        claimant = try Claimant(of: node)
        order = try RefusedBody.order(of: node)
    }
}

/// Lets the store read a posted purchase, on a thread that may wait for it. The stores' own code is in their folders.
struct PostedPurchaseReader<Purchase: PostedPurchase> {
    let services: Services
    let provider: Provider

    /// Calls one of the two, on any thread. Returns false if too much is waiting; then it calls neither.
    func read(
        _ purchase: Purchase,
        commit: @escaping @Sendable (PurchaseReading) -> Void,
        refuse: @escaping @Sendable (Response) -> Void
    ) -> Bool {
        guard let store = services.opened[provider] as? Purchase.Opened else {
            refuse(refusal(.unproven(.notConfigured)))
            return true
        }
        return services.submit(waitingFor: Purchase.asks(store) ? .app(provider) : nil) {
            do throws(RefusedPurchase) {
                commit(try purchase.read(with: store, now: services.clock.now()))
            } catch {
                refuse(refusal(error))
            }
        } orElse: {
            refuse(.busy)
        }
    }

    private func refusal(_ error: RefusedPurchase) -> Response {
        services.refusals.post(Purchase.refusal, from: provider, reason: error.code, detail: error.detail)
        return .refused(error)
    }
}
