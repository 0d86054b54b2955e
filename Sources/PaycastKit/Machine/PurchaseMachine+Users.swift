internal import Foundation

/// Whose purchases they are.
extension PurchaseMachine {
    /// What waits for this user goes on. What waits for the user before stays theirs.
    mutating func logIn(_ stream: SignedStream, isByPage: Bool = false) -> [PurchaseAction] {
        if session?.owner != stream.owner || !isByPage { isSessionOfPage = isByPage }
        guard session != stream, !isStale(stream) else { return [] }
        // Between pages nobody has logged out: what a guest has paid for is posted, though the guest is a user now.
        let held = session?.owner == stream.owner || isByPage ? [] : leave()
        session = stream
        isLoggedOut = false
        renewal.product = nil
        renewal.backoff.reset()
        return held + [.switchUser(stream)] + adopt(stream)
    }

    /// A name that ends earlier than the user's present one, or that the server has refused, is a page's of yesterday.
    private func isStale(_ stream: SignedStream) -> Bool {
        guard let session, session.owner == stream.owner, session != refused else { return false }
        return stream == refused || stream.isOlder(than: session)
    }

    mutating func accept(_ stream: SignedStream) -> [PurchaseAction] {
        accepted = stream
        if refused == stream { refused = nil }
        return reportUnexpected(nil)
    }

    /// Goes back to the last stream of the same user that the server has taken.
    mutating func fallBack(from stream: SignedStream) -> [PurchaseAction] {
        refused = stream
        if accepted == stream { accepted = nil }
        guard session == stream, let accepted, accepted.owner == stream.owner else { return [] }
        session = accepted
        return [.switchUser(accepted)] + adopt(accepted)
    }

    /// The page in front says who is meant, unless the app has.
    func mayAppear(_ stream: SignedStream) -> Bool {
        mayLogIn(stream) || (isSessionOfPage && !isLoggedOut)
    }

    /// Whether a renewal may log its user in: never over another user, and never after a log-out.
    func mayLogIn(_ stream: SignedStream) -> Bool {
        !isLoggedOut && (session == nil || session?.owner == stream.owner)
    }

    mutating func logOut() -> [PurchaseAction] {
        let held = leave()
        session = nil
        isLoggedOut = true
        return held + [.switchUser(nil)]
    }

    /// Holds everything unposted whose owner is known until that owner is back.
    private mutating func leave() -> [PurchaseAction] {
        settled.removeAll()
        for product in attempts.keys { attempts[product]?.mayLogIn = false }
        guard let session else { return [] }
        return change { if $0.owner == session.owner, !$0.isRefused { $0.condition = .loggedOut } }
    }

    /// Gives the stream to every transaction of its owner, and to those that nobody owns yet.
    private mutating func adopt(_ stream: SignedStream, takesUnowned: Bool = true) -> [PurchaseAction] {
        let known: [PurchaseAction] = orders.adopt(stream) ? [.saveOrders(orders.orders)] : []
        return known
            + change { [orders] delivery in
                if delivery.owner == nil, delivery.condition == .needsStream {
                    guard takesUnowned else { return }
                    if !orders.mayBelong(delivery.transaction, to: stream) { delivery.condition = .unknownOwner }
                }
                delivery.adopt(stream)
            }
    }

    private mutating func change(_ body: (inout Delivery) -> Void) -> [PurchaseAction] {
        var actions: [PurchaseAction] = []
        for version in deliveries.keys.sorted() {
            guard var delivery = deliveries[version], delivery.acknowledgement == nil else { continue }
            let before = delivery
            body(&delivery)
            guard delivery != before else { continue }
            deliveries[version] = delivery
            actions.append(.keep(delivery))
        }
        return actions
    }

    var needsRenewal: Bool {
        renewal.isPossible && !renewal.isUnderWay && !isLoggedOut
            && (renewal.product != nil
                || deliveries.values.contains { $0.condition == .needsStream && $0.acknowledgement == nil })
    }

    mutating func startRenewal(at now: Date) -> [PurchaseAction] {
        guard needsRenewal, renewal.backoff.isDue(at: now) else { return [] }
        let waiting = deliveries.values.filter { $0.condition == .needsStream }.min { $0.version < $1.version }
        guard let product = waiting?.transaction.product ?? renewal.product else { return [] }
        renewal.isUnderWay = true
        return [.renewStream(product: product)]
    }

    /// `stream` is nil when nobody could be asked. Each renewal counts as a failure until the server has taken a stream: a
    /// backend whose streams the server refuses is asked less and less.
    mutating func renew(_ stream: SignedStream?, at moment: Moment) -> [PurchaseAction] {
        var backoff = renewal.backoff
        backoff.fail(at: moment.now, random: moment.chance)
        renewal.isUnderWay = false
        defer { renewal.backoff = backoff }
        guard let stream else { return [] }
        return mayLogIn(stream) ? logIn(stream) : adopt(stream, takesUnowned: !isLoggedOut)
    }

    /// The entitlements of the user who is logged in, or was in the process before, cannot be read with this stream.
    mutating func refuse(_ stream: SignedStream, code: String, product: String?) -> [PurchaseAction] {
        guard !isLoggedOut, session == nil || session == stream else { return [] }
        let actions = fallBack(from: stream)
        guard actions.isEmpty else { return actions }
        renewal.product = orders.orders.last?.product ?? product
        return [.report(.streamRefused(code: code))]
    }
}
