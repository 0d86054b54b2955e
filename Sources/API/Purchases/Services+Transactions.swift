import APIModel
import Domain
import Encoding
import Pages
import Stores
import Support

/// The two routes differ in what stores read, and in what they answer.
extension Services {
    /// `POST /transactions/{store}`: a purchase that a store's library gave an app, posted by the app or its page. It may
    /// arrive before the store's webhook.
    ///
    /// Both take the same path: the one that arrives first is shown, the other changes nothing.
    func transaction(_ provider: Provider, _ request: Request) -> Answer {
        take(storeTypes[provider]?.transactions, of: provider, request) { verdicts, _, _ in
            // Of one purchase that a store has told several things of: whether any of them was news.
            guard case .committed? = verdicts.last else { return verdicts.last?.response ?? .uncommitted }
            return (verdicts.first(where: \.isApplied) ?? verdicts.first)?.response ?? .uncommitted
        }
    }

    /// Pages of allowed origins may read the answers. The claim that a user owns the purchase is checked before the purchase
    /// itself.
    func take(
        _ purchase: (any PostedPurchase.Type)?,
        of provider: Provider,
        _ request: Request,
        respond: @escaping PostedCommit.Responding
    ) -> Answer {
        guard let purchase else { return .respond(.notFound) }
        let origin = CORSAnswer(request, authorization: authorization)
        if request.method == "OPTIONS" { return .respond(origin.preflight(allowing: request.route.methods)) }
        if purchase.isForBackendAlone, let refusal = authorization.refusal(of: request) {
            return .respond(origin.shown(refusal.response))
        }
        return .later { [self] reply in
            let answer: @Sendable (Response) -> Void = { reply.send(origin.shown($0)) }
            let isTaken = blockingPools.submit(.strangers) { [self] in
                take(request, as: purchase, of: provider, origin: origin, respond: respond, answer: answer)
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
        respond: @escaping PostedCommit.Responding,
        answer: @escaping @Sendable (Response) -> Void
    ) {
        let (purchase, claim): (Purchase, Claim?)
        do throws(RefusedBody) {
            let node = try RefusedBody.object(request.body)
            purchase = try Purchase(node, bytes: request.body)
            claim = try self.claim(on: purchase, node, request, origin: origin)
        } catch {
            return answer(error.response)
        }
        let commit = PostedCommit(services: self, request: request, claim: claim)
        let isTaken = read(purchase, of: provider, for: claim, refuse: answer) { [log, refusals] reading in
            if reading.events.contains(where: { $0.environment == .xcode }) {
                log.warning("xcode transaction taken", fields: ["why": "only a server with --dev takes it"])
            }
            commit.commit(reading) { verdicts in
                if case .committed? = verdicts.last { refusals.acceptedPost(of: provider) }
                answer(respond(verdicts, reading, claim))
            }
        }
        if !isTaken { answer(.busy) }
    }

    /// The claim of the user for whom the purchase is posted; nil if it names none.
    private func claim(
        on purchase: some PostedPurchase,
        _ node: JSONNode,
        _ request: Request,
        origin: CORSAnswer
    ) throws(RefusedBody) -> Claim? {
        let claimant = try Claimant(of: node)
        let isAsked = try RefusedBody.flag("asked", of: node)
        var order: OrderToken?
        // For a purchase that carries no token of its own, such as one with an offer code.
        if case .transactions = request.route { order = try RefusedBody.order(of: node) }
        let refusal = authorization.refusal(of: request)
        var isImported = false
        if case .transactions = request.route { isImported = try RefusedBody.flag("import", of: node) }
        if purchase.isVouchedOnly || isImported, let refusal { throw refusal }
        guard !isImported || claimant.user != nil else { throw RefusedBody.invalidUser }
        return try user(of: claimant, refusal: refusal, origin: origin).map {
            Claim(
                user: $0,
                order: order,
                isVouched: refusal == nil,
                isAsked: isAsked,
                isImported: isImported,
                trace: request.trace
            )
        }
    }

    /// Lets the store read a posted purchase, on a thread that may wait for it. Calls one of the two, on any thread. Returns
    /// false if too much is waiting; then it calls neither. The stores' own code is in their folders.
    private func read<Purchase: PostedPurchase>(
        _ purchase: Purchase,
        of provider: Provider,
        for claim: Claim?,
        refuse: @escaping @Sendable (Response) -> Void,
        commit: @escaping @Sendable (PurchaseReading) -> Void
    ) -> Bool {
        let isImported = claim?.isImported == true
        let refused = { @Sendable [refusals, refusedOfUsers, clock] (error: RefusedPurchase) in
            defer { refuse(.refused(error)) }
            // A list from elsewhere has purchases that the store no longer knows: no app is at fault.
            guard !isImported else { return }
            refusals.post(Purchase.refusal, from: provider, reason: error.code, detail: error.detail)
            guard let user = claim?.user else { return }
            let (reason, now) = (error.code, clock.now())
            refusedOfUsers.add(.init(provider: provider, reason: reason, message: error.message, at: now), of: user)
        }
        guard let store = opened[provider] as? Purchase.Opened else {
            refused(.unproven(.notConfigured))
            return true
        }
        let lane = isImported ? BlockingPools.Purpose.imports : .app(provider)
        return submit(waitingFor: purchase.asks(store) ? lane : nil) { [clock] in
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

/// Commits what was posted, for the user who is said to own it.
struct PostedCommit: Sendable {
    /// Makes the answer of what became of the events, one after the other.
    typealias Responding = @Sendable ([EventCommit.Verdict], PurchaseReading, Claim?) -> Response

    let services: Services
    let request: Request
    let claim: Claim?

    func commit(_ reading: PurchaseReading, done: @escaping @Sendable ([EventCommit.Verdict]) -> Void) {
        let claim = reading.isProof ? claim : nil
        // The user of a stored answer had asked by then. What nobody asked for comes first or not, and that is now.
        let isOld = reading.source == .verifyReceipt && claim?.isAsked == true
        EventCommit(
            services: services,
            receivedAt: request.receivedAt,
            step: "purchase committed",
            act: claim.flatMap { $0.isVouched ? services.act(.claim, of: request, user: $0.user) : nil },
            trace: request.trace
        ).commit(
            reading.events[...],
            claim: claim,
            since: isOld ? reading.events.first?.signedAt : nil,
            done: done
        )
    }
}
