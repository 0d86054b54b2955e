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
        let stream = order?.stream ?? session
        let earlier = attempts[product]
        let isJoined = earlier.map { $0.stream?.owner == stream?.owner } ?? true
        if let earlier, !earlier.isStuck(at: now) {
            guard isJoined else { return [.reply(ticket, .failure(.store("another user's purchase is under way")))] }
            attempts[product]?.tickets.append(ticket)
            return order?.stream.map { logIn($0, isByPage: true) } ?? []
        }
        let others = isJoined ? [] : end(product, with: .failure(.store("no answer")))
        let tickets = (attempts[product]?.tickets ?? []) + [ticket]
        attempts[product] = Attempt(stream: stream, offer: offer, tickets: tickets, beganAt: now)
        guard let order else { return others + [.order(product: product)] }
        return others + begin(product, order: order, at: now)
    }

    /// The order says who the user is, and is on disk before the sheet is up: an approval may come many restarts later.
    mutating func begin(_ product: String, order: Order, at now: Date) -> [PurchaseAction] {
        guard var attempt = attempts[product], attempt.order == nil else { return [] }
        attempt.order = order
        attempt.stream = order.stream ?? attempt.stream
        attempts[product] = attempt
        let welcome = attempt.mayLogIn ? order.stream.map { logIn($0, isByPage: true) } ?? [] : []
        book.place(order, product: product, at: now)
        return welcome + [.purchase(product: product, order, offer: attempt.offer)]
    }

    /// `token`: of the purchase that the store answers. An attempt may have ended without it, and another one begun.
    mutating func take(_ outcome: StoreOutcome, of product: String, token: UUID?, at now: Date) -> [PurchaseAction] {
        let attempt = isUnderWay(product, token: token) ? attempts[product] : nil
        switch outcome {
        case .bought(let transaction), .owned(let transaction):
            guard let attempt else { return receive(transaction, at: now) }
            attempts[product] = nil
            var tap = attempt.tap(on: product, or: session, at: now)
            // What carries the token of another order was bought before, by whomever.
            let isOlder = transaction.token.map { $0 != attempt.order?.token } ?? false
            tap.isOwnedBefore = isOlder || outcome == .owned(transaction)
            return receive(transaction, by: tap, at: now)
        case _ where attempt == nil: return []
        case .cancelled: return end(product, with: .success(.cancelled))
        case .unverified: return [.report(.unverified(product: product))] + end(product, with: .failure(.unverified))
        case .pending:
            book.setPending(true, token: attempt?.order?.token, product: product)
            return end(product, with: .success(.pending))
        }
    }

    func isUnderWay(_ product: String, token: UUID?) -> Bool {
        token == nil || attempts[product]?.order?.token == token
    }

    /// A call to the store may never return. What brings its token is its answer all the same, and the next tap buys again.
    mutating func endAttempt(by transaction: SignedTransaction, at now: Date) -> Tap? {
        let product = transaction.product
        guard let token = transaction.token, let attempt = attempts[product], attempt.order?.token == token else {
            return nil
        }
        attempts[product] = nil
        return attempt.tap(on: product, or: session, at: now)
    }

    /// Of an order that nobody waits for any more, nothing.
    mutating func failOrder(of product: String, with error: PurchaseError) -> [PurchaseAction] {
        attempts[product]?.order == nil ? end(product, with: .failure(error)) : []
    }

    mutating func end(_ product: String, with result: Result<PurchaseOutcome, PurchaseError>) -> [PurchaseAction] {
        (attempts.removeValue(forKey: product)?.tickets ?? []).map { .reply($0, result) }
    }
}

/// A purchase from the tap to the store's answer.
struct Attempt: Equatable, Sendable {
    /// A call to the store may never return. Whoever can tap again after a minute sees no sheet over the button.
    static let patience: TimeInterval = 60

    /// Of the order's user, or of whoever tapped, if that is known.
    var stream: SignedStream?
    /// Nil until it is made.
    var order: Order?
    var offer: PurchaseOffer?
    /// Whenever this user tapped meanwhile: all get the one answer.
    var tickets: [Ticket]
    var beganAt: Date
    /// Not after another log-in or a log-out since the tap: that is the newer word on who the user is.
    var mayLogIn = true

    func isStuck(at now: Date) -> Bool { now.timeIntervalSince(beganAt) >= Attempt.patience || now < beganAt }

    /// The store has answered. `session`: who is there now, if nobody was known at the tap.
    func tap(on product: String, or session: SignedStream?, at now: Date) -> Tap {
        Tap(stream: stream ?? session, product: product, order: order?.token, tickets: tickets, since: now)
    }
}

/// The sheet for codes.
extension PurchaseMachine {
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
    mutating func redeemed(_ transaction: SignedTransaction, at now: Date) -> Tap? {
        guard let redemption, now < redemption.until, transaction.token == nil, transaction.renewalInfo == nil,
            transaction.id == transaction.originalID, !transaction.isRevoked, !transaction.isUpgraded,
            !transaction.isFamilyShared
        else { return nil }
        self.redemption = nil
        return Tap(stream: redemption.stream, product: transaction.product, since: now)
    }
}
