internal import Foundation

/// Whose purchases they are.
extension PurchaseMachine {
    /// What waits for this user goes on. What waits for another one stays theirs.
    mutating func logIn(_ stream: SignedStream, isByPage: Bool = false) -> [PurchaseAction] {
        if session?.owner != stream.owner || !isByPage { isSessionOfPage = isByPage }
        guard session != stream, !isStale(stream) else { return [] }
        if session?.owner != stream.owner { leave(isByPage: isByPage) }
        session = stream
        isLoggedOut = false
        renewal.product = nil
        adopt(stream)
        return [.switchUser(stream)]
    }

    /// A name that ends earlier than the user's present one, or that the server has refused, is a page's of yesterday.
    private func isStale(_ stream: SignedStream) -> Bool {
        guard let session, session.owner == stream.owner, !isRefused(session) else { return false }
        return isRefused(stream) || stream.isOlder(than: session)
    }

    private func isRefused(_ stream: SignedStream) -> Bool { refused[stream.owner] == stream }

    /// Whether a renewal may log its user in: never over another user, and never after a log-out.
    func mayLogIn(_ stream: SignedStream) -> Bool {
        !isLoggedOut && (session == nil || session?.owner == stream.owner)
    }

    mutating func logOut() -> [PurchaseAction] {
        leave(isByPage: false)
        session = nil
        isLoggedOut = true
        return [.switchUser(nil)]
    }

    /// Whoever comes next is another user. Between pages nobody has logged out.
    private mutating func leave(isByPage: Bool) {
        redemption = nil
        if !isByPage { for product in attempts.keys { attempts[product]?.mayLogIn = false } }
    }

    /// Gives the stream to everything of its owner, and to what named nobody or was asked for by nobody that is known.
    private mutating func adopt(_ stream: SignedStream) {
        book.adopt(stream)
        for (id, delivery) in deliveries {
            if delivery.memo.stream?.owner == stream.owner { deliveries[id]?.memo.stream = stream }
            guard !isLoggedOut, delivery.memo.stream == nil else { continue }
            let isAsked = delivery.taps.contains { $0.stream == nil && !$0.isOwnedBefore }
            if isAsked { deliveries[id]?.memo.claim(for: stream) }
            if delivery.transaction.token == nil { deliveries[id]?.memo.stream = stream }
        }
    }

    /// What it is posted with. What has a token needs no stream of its own: the server knows whose order it is.
    func stream(for delivery: Delivery) -> SignedStream? {
        (delivery.memo.stream ?? session).flatMap { isRefused($0) ? nil : $0 }
    }

    func needsStream(_ delivery: Delivery) -> Bool {
        !delivery.isRefused && delivery.post == nil && stream(for: delivery) == nil
    }

    var needsRenewal: Bool {
        renewal.isPossible && !renewal.isUnderWay && !isLoggedOut
            && (renewal.product != nil || deliveries.values.contains(where: needsStream))
    }

    mutating func startRenewal(at now: Date) -> [PurchaseAction] {
        guard needsRenewal, renewal.backoff.isDue(at: now) else { return [] }
        let waiting = deliveries.values.filter(needsStream).min { $0.version.signedAt < $1.version.signedAt }
        guard let product = waiting?.transaction.product ?? renewal.product else { return [] }
        renewal.isUnderWay = true
        return [.renewStream(product: product)]
    }

    /// `stream` is nil if the backend gave none or could not be asked. Each renewal counts as a failure until the
    /// server has taken a stream: a backend whose streams the server refuses is asked less and less.
    mutating func renew(_ stream: SignedStream?, isUnreached: Bool, at moment: Moment) -> [PurchaseAction] {
        renewal.backoff.fail(at: moment.now, random: moment.chance)
        renewal.isUnderWay = false
        renewal.isUnreached = isUnreached
        guard let stream else { return [] }
        if mayLogIn(stream) { return logIn(stream, isByPage: isSessionOfPage) }
        adopt(stream)
        return []
    }

    /// The entitlements of the user who is logged in, or was in the process before, cannot be read with this stream.
    mutating func refuse(_ stream: SignedStream, code: String, product: String?) -> [PurchaseAction] {
        guard !isLoggedOut, session == nil || session == stream else { return [] }
        refused[stream.owner] = stream
        renewal.product = book.orders.last?.product ?? product
        return [.report(.streamRefused(code: code))]
    }
}
