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
        let (id, known) = (transaction.id, deliveries[transaction.id])
        var claim = claim
        if known == nil, claim == nil {
            if let over = settled[id], over.version.covers(transaction.version) { return [.finish(id)] + reply(over) }
            claim = endAttempt(by: transaction, at: now)
        }
        var delivery =
            known
            ?? Delivery(transaction: transaction, memo: memo(of: transaction, order: order, isClaimed: claim != nil))
        delivery.transaction = delivery.transaction.merged(with: transaction)
        if let stream = claim?.stream { delivery.memo.claim(for: stream) }
        delivery.memo.appeal(delivery.version, appVersion: appVersion)
        deliveries[id] = delivery
        guard delivery.version != known?.version else { return [] }
        book.setPending(false, token: transaction.token, product: transaction.product)
        // Nobody may ever log in who could post it, if the app takes the order's UUID for enough.
        let isStreamless = order != nil && needsStream(delivery) && !renewal.isPossible
        return (isStreamless ? [.report(.needsStream(transaction: id, code: "no_stream"))] : [])
            + (transaction.isRevoked ? [.withdraw(transaction)] : [])
    }

    /// Everything that the store has not finished.
    mutating func sweep(_ transactions: [SignedTransaction], at now: Date) -> [PurchaseAction] {
        let actions = transactions.flatMap { receive($0, at: now) }
        book.forgetMemos(but: Set(transactions.map(\.id)).union(deliveries.keys))
        return actions
    }

    /// A tap is for the user who taps. All else is for the user of its order, if the order is here; what names nobody is for the
    /// user who is logged in, and if nobody is, for the first who logs in.
    private func memo(of transaction: SignedTransaction, order: Order?, isClaimed: Bool) -> Memo {
        var memo = isClaimed ? Memo() : book.memos[transaction.id] ?? Memo()
        if !isClaimed { memo.stream = memo.stream ?? book.order(of: transaction)?.order.stream }
        if transaction.token == nil { memo.order = memo.order ?? order?.token }
        if transaction.token == nil, !isClaimed { memo.stream = memo.stream ?? session }
        if let session, memo.stream?.owner == session.owner { memo.stream = session }
        return memo
    }

    mutating func settle(_ version: TransactionVersion, by answer: PostAnswer, at moment: Moment) -> [PurchaseAction] {
        guard var delivery = deliveries[version.id], let post = delivery.post, post.version == version else {
            return []
        }
        delivery.post = nil
        deliveries[version.id] = delivery
        guard let acknowledgement = Acknowledgement(of: delivery.transaction, post: post, answer: answer) else {
            return keep(delivery, post: post, after: answer, at: moment)
        }
        // A newer signing, or a tap since, is to be posted too.
        let isAnswered = delivery.memo.asked == post.asked
        let isNewest = isAnswered && delivery.version == version
        return reportUnexpected(nil) + acknowledge(acknowledgement, isNewest: isNewest)
            + (isAnswered ? reply(acknowledgement) : [])
    }

    /// The newest signing finishes it. The store may have to be told again: it lists what is unfinished.
    private mutating func acknowledge(_ acknowledgement: Acknowledgement, isNewest: Bool) -> [PurchaseAction] {
        open()
        renewal.backoff.reset()
        let id = acknowledgement.version.id
        if isNewest {
            deliveries[id] = nil
            book.forgetMemo(of: id)
            var latest = acknowledgement
            if let earlier = settled[id] { latest.version.add(earlier.version) }
            settled[id] = latest
        } else {
            deliveries[id]?.memo.backoff.reset()
        }
        let news: [PurchaseAction] = acknowledgement.isDenied ? [.report(.ownedByOther(transaction: id))] : []
        // The question comes first: whoever gets the reply may wait for its answer.
        return (isNewest ? [.finish(id)] : []) + news + [.refreshEntitlements]
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
            if isNewest { memo.refusal = Memo.Refusal(appVersion: appVersion, version: post.version) }
            return [.report(.refused(transaction: id, code: code))] + (isNewest ? reply(.refused, about: id) : [])
        case .unauthorized(let code):
            open()
            note(refused: post.stream)
            memo.backoff.fail(at: moment.now, random: moment.chance)
            return [.report(.needsStream(transaction: id, code: code))]
        case .later(let delay):
            memo.backoff.fail(at: moment.now, retryAfter: delay.seconds, random: moment.chance)
            if delay.isWholeServer { close(id, retryAfter: delay.seconds, at: moment) }
            return reply(.kept(.busy), about: id) + (delay.unexpected.map { reportUnexpected($0) } ?? [])
        case .unreachable, .committed, .ownedByOther:
            memo.backoff.fail(at: moment.now, random: moment.chance)
            close(id, at: moment)
            return reply(.kept(.offline), about: id)
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

    /// Waits for its back-off alone.
    func isPostable(_ delivery: Delivery) -> Bool {
        delivery.memo.refusal == nil && delivery.post == nil && stream(for: delivery) != nil
    }

    mutating func startPosts(at now: Date) -> [PurchaseAction] {
        guard gate.isDue(at: now) else { return [] }
        let limit = gate.hasFailed ? 1 : PurchaseMachine.parallelPosts
        let free = max(limit - deliveries.values.count { $0.post != nil }, 0)
        // What has failed least goes first: one that the server never takes, such as for a proxy's filter, starves no newer one.
        return deliveries.values.filter { isPostable($0) && $0.memo.backoff.isDue(at: now) }
            .sorted {
                ($0.memo.backoff.failures, $0.version.signedAt, $0.id)
                    < ($1.memo.backoff.failures, $1.version.signedAt, $1.id)
            }
            .prefix(free)
            .compactMap { delivery in
                guard let stream = stream(for: delivery) else { return nil }
                let post = Delivery.Post(version: delivery.version, stream: stream, asked: delivery.memo.asked)
                deliveries[delivery.id]?.post = post
                return .post(delivery.transaction, order: delivery.memo.order, post)
            }
    }
}
