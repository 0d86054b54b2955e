internal import Foundation

/// Whose purchases they are.
extension PurchaseMachine {
    /// What waits for this user goes on. What waits for the user before stays theirs.
    mutating func logIn(_ stream: SignedStream, isByPage: Bool = false) -> [PurchaseAction] {
        if session?.owner != stream.owner || !isByPage { isSessionOfPage = isByPage }
        guard session != stream, !isStale(stream) else { return [] }
        // Between pages nobody has logged out: what a guest has paid for is posted, though the guest is a user now.
        if session?.owner != stream.owner, !isByPage { leave() }
        session = stream
        isLoggedOut = false
        renewal.product = nil
        renewal.backoff.reset()
        adopt(stream)
        return [.switchUser(stream)]
    }

    /// A name that ends earlier than the user's present one, or that the server has refused, is a page's of yesterday.
    private func isStale(_ stream: SignedStream) -> Bool {
        guard let session, session.owner == stream.owner, session != refused else { return false }
        return stream == refused || stream.isOlder(than: session)
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
        leave()
        session = nil
        isLoggedOut = true
        return [.switchUser(nil)]
    }

    /// Holds everything unposted whose owner is known until that owner is back.
    private mutating func leave() {
        settled.removeAll()
        for product in attempts.keys { attempts[product]?.mayLogIn = false }
        guard let session else { return }
        for (id, delivery) in deliveries where delivery.memo.owner == session.owner && delivery.keptReason != .refused {
            deliveries[id]?.memo.condition = .loggedOut
        }
    }

    /// Gives the stream to every transaction of its owner, and to those that nobody owns yet.
    private mutating func adopt(_ stream: SignedStream, takesUnowned: Bool = true) {
        book.adopt(stream)
        for (id, delivery) in deliveries {
            if delivery.memo.owner == nil, delivery.memo.condition == .needsStream {
                guard takesUnowned else { continue }
                let isTheirs = book.mayBelong(delivery.transaction, to: stream)
                if !isTheirs { deliveries[id]?.memo.condition = .unknownOwner }
            }
            deliveries[id]?.memo.adopt(stream)
        }
    }

    var needsRenewal: Bool {
        renewal.isPossible && !renewal.isUnderWay && !isLoggedOut
            && (renewal.product != nil
                || deliveries.values.contains { $0.memo.condition == .needsStream })
    }

    mutating func startRenewal(at now: Date) -> [PurchaseAction] {
        guard needsRenewal, renewal.backoff.isDue(at: now) else { return [] }
        let waiting = deliveries.values.filter { $0.memo.condition == .needsStream }.min { $0.version < $1.version }
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
        if mayLogIn(stream) { return logIn(stream, isByPage: isSessionOfPage) }
        adopt(stream, takesUnowned: !isLoggedOut)
        return []
    }

    /// The entitlements of the user who is logged in, or was in the process before, cannot be read with this stream.
    mutating func refuse(_ stream: SignedStream, code: String, product: String?) -> [PurchaseAction] {
        guard !isLoggedOut, session == nil || session == stream else { return [] }
        refused = stream
        renewal.product = book.orders.last?.product ?? product
        return [.report(.streamRefused(code: code))]
    }
}
