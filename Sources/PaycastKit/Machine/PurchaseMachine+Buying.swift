internal import Foundation

/// From the tap to the store's answer.
extension PurchaseMachine {
    /// A second tap buys nothing twice: it waits for the answer to the first, for as long as a sheet may cover the button. Another
    /// user's tap waits for nothing of theirs.
    mutating func tap(
        _ product: String,
        order: Order?,
        offer: PurchaseOffer?,
        ticket: Ticket,
        at now: Date
    ) -> [PurchaseAction] {
        let owner = (order?.stream ?? session)?.owner
        let earlier = attempts[product]
        let isJoined = earlier.map { $0.owner == owner } ?? true
        if let earlier, !earlier.isStuck(at: now) {
            guard isJoined else { return [.reply(ticket, .failure(.store("another user's purchase is under way")))] }
            attempts[product]?.tickets.append(ticket)
            return order?.stream.map { logIn($0, isByPage: true) } ?? []
        }
        let others = isJoined ? [] : end(product, with: .failure(.store("no answer")))
        let tickets = (attempts[product]?.tickets ?? []) + [ticket]
        attempts[product] = Attempt(stage: .ordering, owner: owner, offer: offer, tickets: tickets, beganAt: now)
        guard let order else { return others + [.order(product: product)] }
        return others + begin(product, order: order, at: now)
    }

    /// The order says who the user is, and is on disk before the store's sheet is up: an approval may come after many
    /// restarts.
    mutating func begin(_ product: String, order: Order, at now: Date) -> [PurchaseAction] {
        guard let attempt = attempts[product], attempt.stage == .ordering else { return [] }
        attempts[product]?.stage = .buying
        attempts[product]?.order = order
        attempts[product]?.owner = order.stream?.owner ?? attempt.owner
        let welcome = attempt.mayLogIn ? order.stream.map { logIn($0, isByPage: true) } ?? [] : []
        book.place(order, product: product, at: now)
        return welcome + [.purchase(product: product, order, offer: attempt.offer)]
    }

    /// `token`: of the purchase that the store answers. An attempt may have ended without it, and another one begun.
    mutating func take(_ outcome: StoreOutcome, of product: String, token: UUID?, at now: Date) -> [PurchaseAction] {
        guard isUnderWay(product, token: token) else {
            switch outcome {
            case .bought(let transaction), .owned(let transaction): return receive(transaction, at: now)
            case .cancelled, .unverified, .pending: return []
            }
        }
        switch outcome {
        case .cancelled: return end(product, with: .success(.cancelled))
        case .unverified: return [.report(.unverified(product: product))] + end(product, with: .failure(.unverified))
        case .pending:
            book.setPending(true, token: attempts[product]?.order?.token, product: product)
            return end(product, with: .success(.pending))
        case .bought(let transaction):
            let attempt = attempts.removeValue(forKey: product)
            // What carries the token of another order was bought before, by whomever.
            let isOlder = transaction.token.map { $0 != attempt?.order?.token } ?? false
            return receive(transaction, of: attempt, product: product, isOwnedBefore: isOlder, at: now)
        case .owned(let transaction):
            let attempt = attempts.removeValue(forKey: product)
            return receive(transaction, of: attempt, product: product, isOwnedBefore: true, at: now)
        }
    }

    /// What was bought before is nobody's tap: it stays with whom it belongs to.
    private mutating func receive(
        _ transaction: SignedTransaction,
        of attempt: Attempt?,
        product: String,
        isOwnedBefore: Bool,
        at now: Date
    ) -> [PurchaseAction] {
        let claim = isOwnedBefore ? nil : Claim(stream: attempt?.order?.stream ?? session)
        for ticket in attempt?.tickets ?? [] {
            watch(transaction, ticket, of: attempt?.owner, product: product, isOwnedBefore: isOwnedBefore, at: now)
        }
        return receive(transaction, order: attempt?.order, claim: claim, at: now)
    }

    func isUnderWay(_ product: String, token: UUID?) -> Bool {
        token == nil || attempts[product]?.order?.token == token
    }

    /// A call to the store may never return. What brings its token is its answer all the same, and the next tap buys again.
    mutating func endAttempt(by transaction: SignedTransaction, at now: Date) -> Claim? {
        let product = transaction.product
        guard let token = transaction.token, let attempt = attempts[product], attempt.order?.token == token else {
            return nil
        }
        attempts[product] = nil
        for ticket in attempt.tickets { watch(transaction, ticket, of: attempt.owner, product: product, at: now) }
        return Claim(stream: attempt.order?.stream ?? session)
    }

    /// Of an order that nobody waits for any more, nothing.
    mutating func failOrder(of product: String, with error: PurchaseError) -> [PurchaseAction] {
        attempts[product]?.stage == .ordering ? end(product, with: .failure(error)) : []
    }

    mutating func end(_ product: String, with result: Result<PurchaseOutcome, PurchaseError>) -> [PurchaseAction] {
        (attempts.removeValue(forKey: product)?.tickets ?? []).map { .reply($0, result) }
    }

    /// A restore is an act of the user who began it, so the claim is that user's, whoever has logged in since. The server
    /// decides what it is worth.
    mutating func restore(
        _ transaction: SignedTransaction,
        for claimant: SignedStream?,
        ticket: Ticket,
        at now: Date
    ) -> [PurchaseAction] {
        watch(transaction, ticket, of: claimant?.owner, product: transaction.product, at: now)
        return receive(transaction, claim: Claim(stream: claimant), at: now)
    }

    private mutating func watch(
        _ transaction: SignedTransaction,
        _ ticket: Ticket,
        of owner: String?,
        product: String,
        isOwnedBefore: Bool = false,
        at now: Date
    ) {
        let watcher = Watcher(
            ticket: ticket,
            owner: owner,
            product: product,
            isOwnedBefore: isOwnedBefore,
            deadline: now.addingTimeInterval(PurchaseMachine.patience)
        )
        watchers[transaction.id, default: []].append(watcher)
    }

    /// A code brings a transaction that names nobody: it is the user's who has entered it.
    mutating func redeem(at now: Date) -> [PurchaseAction] {
        redemption = session.map { Redemption(stream: $0, until: now.addingTimeInterval(Redemption.patience)) }
        return []
    }

    /// The sheet is closed, with a code or without one. What it has brought may still be on its way.
    mutating func endRedeeming(at now: Date) -> [PurchaseAction] {
        if let until = redemption?.until { redemption?.until = min(until, now.addingTimeInterval(Redemption.grace)) }
        return []
    }

    /// One sheet brings one transaction. What comes with a renewal info, renews, or is taken back, is old.
    mutating func redeemed(_ transaction: SignedTransaction, at now: Date) -> Claim? {
        guard let redemption, now < redemption.until, transaction.token == nil, transaction.renewalInfo == nil,
            transaction.id == transaction.originalID, !transaction.isRevoked, !transaction.isUpgraded,
            !transaction.isFamilyShared
        else { return nil }
        self.redemption = nil
        return Claim(stream: redemption.stream)
    }

    /// Answers everybody who waits for the transaction. What is another user's is never called theirs.
    mutating func reply(_ acknowledgement: Acknowledgement) -> [PurchaseAction] {
        (watchers.removeValue(forKey: acknowledgement.version.id) ?? []).map {
            $0.reply(acknowledgement.outcome(for: $0), owner: acknowledgement.owner)
        }
    }

    mutating func reply(_ outcome: PurchaseOutcome, about id: UInt64) -> [PurchaseAction] {
        let owner = deliveries[id]?.memo.stream?.owner
        return (watchers.removeValue(forKey: id) ?? []).map { $0.reply(outcome, owner: owner) }
    }

    /// A slow server holds no page: whoever has waited long enough hears that the purchase is kept. And whoever waits for what
    /// is held, and not about to get a stream, hears it at once.
    mutating func releaseWatchers(at now: Date) -> [PurchaseAction] {
        var actions: [PurchaseAction] = []
        let isRenewing = renewal.isUnderWay || (needsRenewal && renewal.backoff.isDue(at: now))
        for (id, waiting) in watchers.sorted(by: { $0.key < $1.key }) {
            let delivery = deliveries[id]
            let isHeld = delivery.map { $0.memo.refusal != nil || (needsStream($0) && !isRenewing) } ?? false
            let rest = isHeld ? [] : waiting.filter { $0.deadline > now }
            guard rest.count < waiting.count else { continue }
            watchers[id] = rest.isEmpty ? nil : rest
            let tired = waiting.filter { !rest.contains($0) }
            actions += tired.map { $0.reply(standing(of: delivery), owner: delivery?.memo.stream?.owner) }
        }
        return actions
    }
}
