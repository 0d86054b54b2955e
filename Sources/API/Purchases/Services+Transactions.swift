import APIModel
import Domain
import Pages
import Stores
import Support

extension Services {
    /// `POST /transactions/{store}`: a purchase that a store's library gave an app, posted by the app or its page. It may
    /// arrive before the store's webhook.
    ///
    /// Both take the same path: the one that arrives first is shown, the other changes nothing. Pages of allowed origins
    /// may read the answers. The claim that a user owns the purchase is checked before the purchase itself.
    func transaction(_ provider: Provider, _ request: Request) -> Answer {
        guard let purchase = storeTypes[provider]?.transactions else { return .respond(.notFound) }
        let origin = CORSAnswer(request, authorization: authorization)
        if request.method == "OPTIONS" { return .respond(origin.preflight(allowing: request.route.methods)) }
        return .later { [self] reply in
            let answer: @Sendable (Response) -> Void = { reply.send(origin.shown($0)) }
            let isTaken = blockingPools.submit(.strangers) { [self] in
                take(request, as: purchase, of: provider, origin: origin, answer: answer)
            } orElse: {
                answer(.busy)
            }
            if !isTaken { answer(.busy) }
            return true
        }
    }

    /// `answer` may be called on any thread.
    private func take<Purchase: PostedPurchase>(
        _ request: Request,
        as _: Purchase.Type,
        of provider: Provider,
        origin: CORSAnswer,
        answer: @escaping @Sendable (Response) -> Void
    ) {
        let (purchase, claim): (Purchase, Claim?)
        do throws(RefusedBody) {
            let node = try RefusedBody.object(request.body)
            purchase = try Purchase(node, bytes: request.body)
            let claimant = try Claimant(of: node)
            // For a purchase that carries no token of its own, such as one with an offer code.
            let order = try RefusedBody.order(of: node)
            let refusal = authorization.refusal(of: request)
            let user = try user(of: claimant, refusal: refusal, origin: origin)
            claim = user.map { Claim(user: $0, order: order, isVouched: refusal == nil, trace: request.trace) }
        } catch {
            return answer(error.response)
        }
        let commit = EventCommit(
            services: self,
            receivedAt: request.receivedAt,
            step: "purchase committed",
            act: claim.flatMap { $0.isVouched ? act(.claim, of: request, user: $0.user) : nil },
            trace: request.trace
        )
        let isTaken = read(purchase, of: provider, refuse: answer) { [log] reading in
            if reading.events.contains(where: { $0.environment == .xcode }) {
                log.warning("xcode transaction taken", fields: ["why": "only a server with --dev takes it"])
            }
            commit.commit(reading.events[...], claim: claim) { verdicts in
                answer(verdicts.last?.response ?? .uncommitted)
            }
        }
        if !isTaken { answer(.busy) }
    }

    /// Lets the store read a posted purchase, on a thread that may wait for it. Calls one of the two, on any thread. Returns
    /// false if too much is waiting; then it calls neither. The stores' own code is in their folders.
    func read<Purchase: PostedPurchase>(
        _ purchase: Purchase,
        of provider: Provider,
        refuse: @escaping @Sendable (Response) -> Void,
        commit: @escaping @Sendable (PurchaseReading) -> Void
    ) -> Bool {
        let refused = { @Sendable [refusals] (error: RefusedPurchase) in
            refusals.post(Purchase.refusal, from: provider, reason: error.code, detail: error.detail)
            refuse(.refused(error))
        }
        guard let store = opened[provider] as? Purchase.Opened else {
            refused(.unproven(.notConfigured))
            return true
        }
        return submit(waitingFor: Purchase.asks(store) ? .app(provider) : nil) { [clock] in
            do throws(RefusedPurchase) {
                commit(try purchase.read(with: store, now: clock.now()))
            } catch {
                refused(error)
            }
        } orElse: {
            refuse(.busy)
        }
    }
}
