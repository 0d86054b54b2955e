internal import Foundation

/// From the store's signed transaction to its end.
extension PurchaseMachine {
    /// Everything that the store signs comes here: from a purchase, from its updates, from what is unfinished. The store
    /// repeats itself, so one version counts once.
    mutating func receive(
        _ transaction: SignedTransaction,
        order: Order? = nil,
        claim: Claim? = nil,
        at now: Date
    ) -> [PurchaseAction] {
        let version = transaction.version
        let known = deliveries[transaction.id]
        if let known, known.version >= version { return repeated(known, claim: claim) }
        if known == nil, claim == nil {
            if let over = settled[version.id], over.version >= version { return [.finish(version.id)] + reply(over) }
            if order == nil { endAttempt(by: transaction, at: now) }
        }
        var delivery =
            known ?? Delivery(transaction: transaction, memo: memo(of: transaction, order: order, claim: claim))
        delivery.transaction = transaction
        delivery.memo.appeal(version, appVersion: appVersion)
        deliveries[transaction.id] = delivery
        book.setPending(false, token: transaction.token)
        // Nobody may ever log in who could post it, if the app takes the order's UUID for enough.
        let isStreamless = order != nil && delivery.memo.condition == .needsStream && !renewal.isPossible
        return (isStreamless ? [.report(.needsStream(transaction: version.id, code: "no_stream"))] : [])
            + (transaction.isRevoked ? [.withdraw(transaction)] : [])
    }

    /// Everything that the store has not finished.
    mutating func sweep(_ transactions: [SignedTransaction], at now: Date) -> [PurchaseAction] {
        let actions = transactions.flatMap { receive($0, at: now) }
        book.forgetMemos(but: Set(transactions.map(\.id)).union(deliveries.keys))
        return actions
    }

    /// A restore claims what nobody here is known to own.
    private mutating func repeated(_ known: Delivery, claim: Claim?) -> [PurchaseAction] {
        guard let claimant = claim?.stream, known.memo.owner == nil else { return [] }
        deliveries[known.id]?.memo.condition = .needsStream
        deliveries[known.id]?.memo.adopt(claimant)
        if isLoggedOut { deliveries[known.id]?.memo.condition = .loggedOut }
        return []
    }

    /// A transaction belongs to the user of its order. Without a known order it is for the user who is logged in, and if
    /// nobody is, for the first who logs in.
    private func memo(of transaction: SignedTransaction, order: Order?, claim: Claim?) -> Memo {
        let order = book[transaction.token]?.order ?? order
        var memo = Memo()
        if claim == nil, let earlier = book.memos[transaction.id] {
            memo = earlier
        } else if let stream = claim == nil ? order?.stream : claim?.stream {
            memo.adopt(stream)
            if claim != nil, isLoggedOut { memo.condition = .loggedOut }
        }
        if transaction.token == nil { memo.order = memo.order ?? order?.token }
        if let session {
            let isElsewhere = order == nil && claim == nil && !book.mayBelong(transaction, to: session)
            if memo.owner == nil, isElsewhere { memo.condition = .unknownOwner }
            memo.adopt(session)
        }
        if memo.stream == nil, memo.condition == .waiting { memo.condition = .needsStream }
        return memo
    }

    mutating func settle(_ version: TransactionVersion, by answer: PostAnswer, at moment: Moment) -> [PurchaseAction] {
        guard var delivery = deliveries[version.id], let post = delivery.post, post.version == version else {
            return []
        }
        delivery.post = nil
        deliveries[version.id] = delivery
        guard let acknowledgement = Acknowledgement(of: delivery, version: version, answer: answer) else {
            return keep(delivery, post: post, after: answer, at: moment)
        }
        return reportUnexpected(nil) + acknowledge(acknowledgement, isNewest: delivery.version == version)
    }

    /// The newest signing finishes it. The store may have to be told again: it lists what is unfinished.
    private mutating func acknowledge(_ acknowledgement: Acknowledgement, isNewest: Bool) -> [PurchaseAction] {
        open()
        renewal.backoff.reset()
        let id = acknowledgement.version.id
        if isNewest { deliveries[id] = nil } else { deliveries[id]?.memo.backoff.reset() }
        if isNewest { settled[id] = acknowledgement }
        let news: [PurchaseAction] =
            acknowledgement.verdict == .ownedByOther ? [.report(.ownedByOther(transaction: id))] : []
        // The question comes first: whoever gets the reply may wait for its answer.
        return (isNewest ? [.finish(id)] : []) + news + [.refreshEntitlements] + reply(acknowledgement)
    }

    /// The server has not taken it: why decides who can mend that, and when it is tried again.
    private mutating func keep(
        _ delivery: Delivery,
        post: Delivery.Post,
        after answer: PostAnswer,
        at moment: Moment
    ) -> [PurchaseAction] {
        let id = delivery.id
        var memo = delivery.memo
        defer { deliveries[id]?.memo = memo }
        switch answer {
        case .refused(let code):
            open()
            let isNewest = delivery.version == post.version
            if isNewest { memo.condition = .refused(appVersion: appVersion, post.version) }
            return [.report(.refused(transaction: id, code: code))] + (isNewest ? reply(.refused, about: id) : [])
        case .unauthorized(let code):
            open()
            refused = post.stream
            memo.backoff.fail(at: moment.now, random: moment.chance)
            // A stream that came meanwhile has not been refused yet.
            if memo.condition == .waiting, memo.stream == post.stream { memo.condition = .needsStream }
            return [.report(.needsStream(transaction: id, code: code))] + reply(.needsStream, about: id)
        case .later(let delay):
            memo.backoff.fail(at: moment.now, retryAfter: delay.seconds, random: moment.chance)
            if delay.isWholeServer { close(id, retryAfter: delay.seconds, at: moment) }
            return reply(.busy, about: id) + (delay.unexpected.map { reportUnexpected($0) } ?? [])
        case .unreachable, .committed, .ownedByOther:
            memo.backoff.fail(at: moment.now, random: moment.chance)
            close(id, at: moment)
            return reply(.offline, about: id)
        }
    }

    private mutating func open() {
        gate.reset()
        closer = nil
    }

    private mutating func close(_ id: UInt64, retryAfter: TimeInterval? = nil, at moment: Moment) {
        if retryAfter == nil, id == closer || (gate.isOrdered && !gate.isDue(at: moment.now)) { return }
        closer = id
        gate.fail(at: moment.now, retryAfter: retryAfter, random: moment.chance)
    }

    mutating func startPosts(at now: Date) -> [PurchaseAction] {
        guard gate.isDue(at: now) else { return [] }
        let limit = gate.hasFailed ? 1 : PurchaseMachine.parallelPosts
        let free = max(limit - deliveries.values.count { $0.post != nil }, 0)
        // What has failed least goes first: one that the server never takes, such as for a proxy's filter, starves no newer one.
        return deliveries.values.filter { $0.isPostable && $0.memo.backoff.isDue(at: now) }
            .sorted { ($0.memo.backoff.failures, $0.version) < ($1.memo.backoff.failures, $1.version) }
            .prefix(free)
            .map { delivery in
                deliveries[delivery.id]?.post = delivery.memo.stream.map {
                    .init(version: delivery.version, stream: $0)
                }
                return .post(delivery)
            }
    }
}
