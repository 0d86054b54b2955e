internal import Foundation

/// From the tap to the store's answer.
extension PurchaseMachine {
    /// A second tap buys nothing twice: it waits for the answer to the first, for as long as a sheet may cover the button.
    mutating func tap(
        _ product: String,
        order: Order?,
        offer: PurchaseOffer?,
        ticket: Ticket,
        at now: Date
    ) -> [PurchaseAction] {
        let earlier = attempts[product]
        if let earlier, !earlier.isStuck(at: now) {
            attempts[product]?.tickets.append(ticket)
            return order?.stream.map { logIn($0, isByPage: true) } ?? []
        }
        let tickets = (earlier?.tickets ?? []) + [ticket]
        attempts[product] = Attempt(stage: .ordering, offer: offer, tickets: tickets, beganAt: now)
        guard let order else { return [.order(product: product)] }
        return begin(product, order: order, at: now)
    }

    /// The order says who the user is, and is on disk before the store's sheet is up: an approval may come after many
    /// restarts.
    mutating func begin(_ product: String, order: Order, at now: Date) -> [PurchaseAction] {
        guard let attempt = attempts[product], attempt.stage == .ordering else { return [] }
        attempts[product]?.stage = .buying
        attempts[product]?.order = order
        let welcome = attempt.mayLogIn ? order.stream.map { logIn($0, isByPage: true) } ?? [] : []
        book.place(order, product: product, at: now)
        return welcome + [.purchase(product: product, order, offer: attempt.offer)]
    }

    /// `token`: of the purchase that the store answers. An attempt may have ended without it, and another one begun.
    mutating func take(_ outcome: StoreOutcome, of product: String, token: UUID?, at now: Date) -> [PurchaseAction] {
        guard isUnderWay(product, token: token) else {
            if case .bought(let transaction) = outcome { return receive(transaction, at: now) }
            return []
        }
        switch outcome {
        case .cancelled: return end(product, with: .success(.cancelled))
        case .unverified: return [.report(.unverified(product: product))] + end(product, with: .failure(.unverified))
        case .pending:
            book.setPending(true, token: attempts[product]?.order?.token)
            return end(product, with: .success(.pending))
        case .bought(let transaction):
            let attempt = attempts.removeValue(forKey: product)
            watch(transaction, attempt: attempt, at: now)
            return receive(transaction, order: attempt?.order, at: now)
        }
    }

    func isUnderWay(_ product: String, token: UUID?) -> Bool {
        token == nil || attempts[product]?.order?.token == token
    }

    /// A call to the store may never return. What brings its token is its answer all the same, and the next tap buys again.
    mutating func endAttempt(by transaction: SignedTransaction, at now: Date) {
        let product = transaction.product
        guard let token = transaction.token, let attempt = attempts[product], attempt.order?.token == token else {
            return
        }
        attempts[product] = nil
        watch(transaction, attempt: attempt, at: now)
    }

    private mutating func watch(_ transaction: SignedTransaction, attempt: Attempt?, at now: Date) {
        let owner = attempt?.order?.stream?.owner ?? session?.owner
        for ticket in attempt?.tickets ?? [] { watch(transaction, ticket: ticket, for: owner, at: now) }
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
        watch(transaction, ticket: ticket, for: claimant?.owner, at: now)
        return receive(transaction, claim: Claim(stream: claimant), at: now)
    }

    private mutating func watch(_ transaction: SignedTransaction, ticket: Ticket, for owner: String?, at now: Date) {
        let deadline = now.addingTimeInterval(PurchaseMachine.patience)
        let watcher = Watcher(ticket: ticket, owner: owner, product: transaction.product, deadline: deadline)
        watchers[transaction.id, default: []].append(watcher)
    }

    /// Answers everybody who waits for the transaction. What is another user's is never called theirs.
    mutating func reply(_ acknowledgement: Acknowledgement) -> [PurchaseAction] {
        (watchers.removeValue(forKey: acknowledgement.version.id) ?? []).map {
            $0.reply(acknowledgement.outcome(of: $0.product), owner: acknowledgement.owner)
        }
    }

    mutating func reply(_ reason: KeptReason, about id: UInt64) -> [PurchaseAction] {
        let owner = deliveries[id]?.memo.owner
        return (watchers.removeValue(forKey: id) ?? []).map { $0.reply(.kept(reason), owner: owner) }
    }

    /// A slow server holds no page: whoever has waited long enough hears that the purchase is kept. And whoever waits for what
    /// is held, and not about to get a stream, hears it at once.
    mutating func releaseWatchers(at now: Date) -> [PurchaseAction] {
        var actions: [PurchaseAction] = []
        let isRenewing = renewal.isUnderWay || (needsRenewal && renewal.backoff.isDue(at: now))
        for (id, waiting) in watchers.sorted(by: { $0.key < $1.key }) {
            let newest = deliveries[id]
            let isHeld = newest.map { $0.isHeld && !(isRenewing && $0.memo.condition == .needsStream) } ?? false
            let rest = isHeld ? [] : waiting.filter { $0.deadline > now }
            guard rest.count < waiting.count else { continue }
            watchers[id] = rest.isEmpty ? nil : rest
            let tired = waiting.filter { !rest.contains($0) }
            actions += tired.map { $0.reply(.kept(newest?.keptReason ?? .offline), owner: newest?.memo.owner) }
        }
        return actions
    }
}
