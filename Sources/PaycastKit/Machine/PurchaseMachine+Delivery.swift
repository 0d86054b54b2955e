internal import Foundation

/// From the store's signed transaction to its end.
extension PurchaseMachine {
    /// Everything that the store signs comes here: from a purchase, from its updates, from what is unfinished. The store
    /// repeats itself, so one version counts once.
    mutating func receive(_ transaction: SignedTransaction, by tap: Tap? = nil, at now: Date) -> [PurchaseAction] {
        let (id, known) = (transaction.id, deliveries[transaction.id])
        if known == nil, tap == nil, settled[id]?.covers(transaction.version) == true { return [.finish(id)] }
        let tap = tap ?? (known == nil ? endAttempt(by: transaction, at: now) : nil)
        var delivery = known ?? Delivery(transaction: transaction, memo: memo(of: transaction, by: tap))
        delivery.transaction = delivery.transaction.merged(with: transaction)
        if let tap {
            delivery.taps.append(tap)
            if !tap.isOwnedBefore, let stream = tap.stream { delivery.memo.claim(for: stream) }
        }
        if let session, delivery.memo.stream?.owner == session.owner { delivery.memo.stream = session }
        let isNews = delivery.version != known?.version
        if isNews { delivery.isRefused = false }
        deliveries[id] = delivery
        guard isNews else { return [] }
        book.setPending(false, token: transaction.token, product: transaction.product)
        // Nobody may ever log in who could post it, if the app takes the order's UUID for enough.
        let isStreamless = tap?.order != nil && needsStream(delivery) && !renewal.isPossible
        return (isStreamless ? [.report(.needsStream(transaction: id, code: "no_stream"))] : [])
            + (transaction.isRevoked ? [.withdraw(transaction)] : [])
    }

    /// Everything that the store has not finished.
    mutating func sweep(_ transactions: [SignedTransaction], at now: Date) -> [PurchaseAction] {
        let actions = transactions.flatMap { receive($0, at: now) }
        let open = Set(transactions.map(\.id)).union(deliveries.keys)
        book.forgetMemos { !open.contains($0) }
        return actions
    }

    /// A tap is for the user who taps. All else is for the user of its order, if the order is here; what names nobody is for the
    /// user who is logged in, and if nobody is, for the first who logs in.
    private func memo(of transaction: SignedTransaction, by tap: Tap?) -> Memo {
        var memo = Memo()
        if tap?.isOwnedBefore ?? true {
            memo = book.memos[transaction.id] ?? memo
            memo.stream = memo.stream ?? book.order(of: transaction)?.order.stream
            if transaction.token == nil { memo.stream = memo.stream ?? session }
        }
        if transaction.token == nil { memo.order = memo.order ?? tap?.order }
        return memo
    }

    /// Why the server has not taken it decides who can mend that, and when it is tried again.
    mutating func settle(_ version: TransactionVersion, by answer: PostAnswer, at moment: Moment) -> [PurchaseAction] {
        let id = version.id
        guard var delivery = deliveries[id], let post = delivery.post, post.version == version else { return [] }
        delivery.post = nil
        deliveries[id] = delivery
        switch answer {
        case .committed(let commit): return acknowledge(post, of: delivery, commit)
        case .ownedByOther: return [.report(.ownedByOther(transaction: id))] + acknowledge(post, of: delivery, nil)
        case .refused(let code):
            open()
            deliveries[id]?.isRefused = delivery.version == version
            return [.report(.refused(transaction: id, code: code))]
        case .unauthorized(let code):
            open()
            refused[post.stream.owner] = post.stream
            deliveries[id]?.memo.backoff.fail(at: moment.now, random: moment.chance)
            return [.report(.needsStream(transaction: id, code: code))]
        case .later(let delay):
            deliveries[id]?.memo.backoff.fail(at: moment.now, retryAfter: delay.seconds, random: moment.chance)
            if delay.isWholeServer { close(id, retryAfter: delay.seconds, at: moment) }
            return reply(.kept(.busy), about: id) + (delay.unexpected.map { reportUnexpected($0) } ?? [])
        case .unreachable:
            deliveries[id]?.memo.backoff.fail(at: moment.now, random: moment.chance)
            close(id, at: moment)
            return reply(.kept(.offline), about: id)
        }
    }

    /// The server has it, and only that finishes it. Without a commit it stays another user's, though this one asked.
    private mutating func acknowledge(
        _ post: Delivery.Post,
        of delivery: Delivery,
        _ commit: Commit?
    ) -> [PurchaseAction] {
        let id = delivery.id
        open()
        deliveries[id]?.memo.backoff.reset()
        var actions = reportUnexpected(nil)
        // A newer signing, or a tap since, is to be posted too.
        let isAnswered = delivery.memo.asked == post.asked
        if isAnswered, delivery.version == post.version {
            deliveries[id] = nil
            book.forgetMemos { $0 == id }
            settled[id, default: post.version].add(post.version)
            actions.append(.finish(id))
        }
        // The question comes first: whoever gets the reply may wait for its answer.
        actions.append(.refreshEntitlements)
        guard isAnswered else { return actions }
        deliveries[id]?.taps = []
        return actions
            + delivery.taps.flatMap { tap in
                let outcome = commit?.outcome(of: delivery.transaction, for: tap)
                return tap.replies(outcome ?? .ownedByOther, owner: post.stream.owner)
            }
    }

    /// Answers everybody who waits for the transaction that nothing comes of it now.
    private mutating func reply(_ outcome: PurchaseOutcome, about id: UInt64) -> [PurchaseAction] {
        guard let delivery = deliveries[id] else { return [] }
        deliveries[id]?.taps = []
        return delivery.taps.flatMap { $0.replies(outcome, owner: delivery.memo.stream?.owner) }
    }

    /// A slow server holds no page: whoever has waited long enough hears that the purchase is kept. And whoever waits for what
    /// is held, and not about to get a stream, hears it at once.
    mutating func releaseTaps(at now: Date) -> [PurchaseAction] {
        let isRenewing = renewal.isUnderWay || (needsRenewal && renewal.backoff.isDue(at: now))
        return deliveries.values.sorted { $0.id < $1.id }.flatMap { delivery in
            let isHeld = delivery.isRefused || (needsStream(delivery) && !isRenewing)
            let tired = delivery.taps.filter { isHeld || $0.deadline <= now }
            deliveries[delivery.id]?.taps.removeAll(where: tired.contains)
            return tired.flatMap { $0.replies(standing(of: delivery), owner: delivery.memo.stream?.owner) }
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
        !delivery.isRefused && delivery.post == nil && stream(for: delivery) != nil
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
                let post = Delivery.Post(
                    version: delivery.version,
                    signedTransaction: delivery.transaction.jws,
                    signedRenewalInfo: delivery.transaction.renewalInfo,
                    stream: stream,
                    order: delivery.memo.order?.uuidString.lowercased(),
                    asked: delivery.memo.asked
                )
                deliveries[delivery.id]?.post = post
                return .post(post)
            }
    }
}
