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
        // What another user restores while the store is asked to finish it is a claim of its own, which the server decides.
        let related = deliveries.values.filter { delivery in
            let isClaimed = claim.map { delivery.acknowledgement != nil && delivery.owner != $0.stream?.owner } ?? false
            return delivery.version.id == version.id && !isClaimed
        }
        if let acknowledgement = settled[version], claim == nil, related.isEmpty {
            return [.finish(acknowledgement)] + reply(acknowledgement)
        }
        guard !related.contains(where: { $0.version.settles(version) }) else {
            return repeated(related, claim: claim)
        }
        if related.isEmpty, claim == nil, order == nil { endAttempt(by: transaction, at: now) }
        guard !related.isEmpty || deliveries.count < PurchaseMachine.capacity else { return overflow(version.id) }

        var delivery = Delivery(transaction)
        assign(&delivery, to: order, claim: claim)
        inherit(&delivery, from: related)
        deliveries[version] = delivery
        let replaced = related.filter { !$0.isPosting && !$0.isRefused && $0.acknowledgement == nil }.map(\.version)
        for version in replaced { deliveries[version] = nil }
        // The newer version is on disk before the older one goes.
        return [.keep(delivery)] + replaced.map { .drop($0) } + noteApproval(of: transaction)
            + (isMissingStream(delivery, of: order)
                ? [.report(.needsStream(transaction: version.id, code: "no_stream"))] : [])
            + (transaction.isRevoked ? [.withdraw(transaction)] : [])
    }

    /// A restore claims what nobody here is known to own. Whoever waits for what is answered need not wait.
    private mutating func repeated(_ related: [Delivery], claim: Claim?) -> [PurchaseAction] {
        guard var newest = related.max(by: { $0.version < $1.version }) else { return [] }
        if let known = newest.acknowledgement { return reply(known) }
        guard let claimant = claim?.stream, newest.owner == nil else { return [] }
        newest.condition = .needsStream
        newest.adopt(claimant)
        if isLoggedOut { newest.condition = .loggedOut }
        deliveries[newest.version] = newest
        return [.keep(newest)]
    }

    /// Nobody may ever log in who could post it, if the app takes the order's UUID for enough.
    private func isMissingStream(_ delivery: Delivery, of order: Order?) -> Bool {
        order != nil && delivery.condition == .needsStream && !renewal.isPossible
    }

    private mutating func overflow(_ id: UInt64) -> [PurchaseAction] {
        let news: [PurchaseAction] = isOverflowing ? [] : [.report(.outboxFull)]
        isOverflowing = true
        return news + reply(.busy, about: id)
    }

    /// A transaction belongs to the user of its order. Without a known order it is for the user who is logged in, and if
    /// nobody is, for the first who logs in.
    private func assign(_ delivery: inout Delivery, to order: Order?, claim: Claim?) {
        let token = delivery.transaction.token
        let order = token.flatMap { orders[$0]?.order } ?? order
        if token == nil { delivery.order = order?.token }
        if let stream = claim == nil ? order?.stream : claim?.stream { delivery.adopt(stream) }
        if claim?.stream != nil, isLoggedOut { delivery.condition = .loggedOut }
        if let session {
            if order == nil, claim == nil, !orders.mayBelong(delivery.transaction, to: session) {
                delivery.condition = .unknownOwner
            }
            delivery.adopt(session)
        }
        if delivery.stream == nil, delivery.condition == .waiting { delivery.condition = .needsStream }
    }

    /// What is known of an older version stays true: whose it is, and how long to wait.
    private func inherit(_ delivery: inout Delivery, from related: [Delivery]) {
        guard let older = related.max(by: { $0.version < $1.version }) else { return }
        delivery.order = delivery.order ?? older.order
        if let owner = older.owner, delivery.owner != owner || delivery.stream == older.stream {
            delivery.owner = owner
            delivery.stream = older.stream
            delivery.condition = older.isRefused ? .waiting : older.condition
        }
        if !older.isRefused { (delivery.backoff, delivery.holdsOthers) = (older.backoff, older.holdsOthers) }
    }

    /// What somebody had to approve was approved.
    private mutating func noteApproval(of transaction: SignedTransaction) -> [PurchaseAction] {
        guard let token = transaction.token, orders.setPending(false, token: token) else { return [] }
        return [.saveOrders(orders.orders)]
    }

    mutating func settle(_ version: TransactionVersion, by answer: PostAnswer, at moment: Moment) -> [PurchaseAction] {
        guard var delivery = deliveries[version], delivery.isPosting else { return [] }
        let postedAs = delivery.postedAs
        delivery.postedAs = nil
        defer { deliveries[version] = deliveries[version].map { _ in delivery } }
        if let acknowledgement = Acknowledgement(of: delivery, answer: answer) {
            delivery.acknowledgement = acknowledgement
            delivery.finishing = Finishing(at: moment.now)
            return (postedAs.map { accept($0) } ?? []) + acknowledge(acknowledgement)
        }
        return keep(&delivery, postedAs: postedAs, after: answer, at: moment)
    }

    private mutating func acknowledge(_ acknowledgement: Acknowledgement) -> [PurchaseAction] {
        breaker.reset()
        renewal.backoff.reset()
        let version = acknowledgement.version
        let isNewest = !deliveries.keys.contains { $0.id == version.id && $0 > version }
        let over = deliveries.keys.filter { version.settles($0) && ($0 != version || !isNewest) }.sorted()
        for version in over { deliveries[version] = nil }
        // What is over goes first: a process that dies in between still has the newest version to finish.
        var actions: [PurchaseAction] = over.map { .drop($0) }
        if isNewest {
            actions.append(.finish(acknowledgement))
        } else {
            settled.insert(acknowledgement)
        }
        if acknowledgement.verdict == .ownedByOther { actions.append(.report(.ownedByOther(transaction: version.id))) }
        // The question comes first: whoever gets the reply may wait for its answer.
        return actions + [.refreshEntitlements] + reply(acknowledgement)
    }

    /// The server has not taken it: why decides who can mend that, and when it is tried again.
    private mutating func keep(
        _ delivery: inout Delivery,
        postedAs stream: SignedStream?,
        after answer: PostAnswer,
        at moment: Moment
    ) -> [PurchaseAction] {
        let id = delivery.version.id
        switch answer {
        case .refused(let code):
            breaker.reset()
            delivery.condition = .refused(code: code, appVersion: appVersion)
            let refused = deliveries.values.filter(\.isRefused).map(\.version)
            let older = refused.filter { $0.id == id && $0 < delivery.version }
            for version in older { deliveries[version] = nil }
            return [.keep(delivery)] + older.map { .drop($0) } + [.report(.refused(transaction: id, code: code))]
                + reply(.refused, about: id)
        case .unauthorized(let code):
            breaker.reset()
            delivery.backoff.fail(at: moment.now, random: moment.chance)
            delivery.holdsOthers = nil
            // A stream that came meanwhile has not been refused yet.
            if delivery.condition == .waiting, delivery.stream == stream { delivery.condition = .needsStream }
            let actions = stream.map { fallBack(from: $0) } ?? []
            for known in [session, accepted].compactMap(\.self) where known != refused { delivery.adopt(known) }
            return actions + [.keep(delivery), .report(.needsStream(transaction: id, code: code))]
                + reply(.needsStream, about: id)
        case .later(let delay):
            delivery.backoff.fail(at: moment.now, retryAfter: delay.seconds, random: moment.chance)
            delivery.holdsOthers = delay.isWholeServer && delay.seconds != nil ? true : nil
            if delay.isWholeServer { breaker.fail(delivery.version, retryAfter: delay.seconds, at: moment) }
            // The server's wish outlives the process; a wait of our own ends with it.
            return (delay.seconds == nil ? [] : [.keep(delivery)]) + reply(.busy, about: id)
                + (delay.unexpected.map { reportUnexpected($0) } ?? [])
        case .unreachable, .committed, .ownedByOther:
            delivery.backoff.fail(at: moment.now, random: moment.chance)
            delivery.holdsOthers = nil
            breaker.fail(delivery.version, at: moment)
            return reply(.offline, about: id)
        }
    }

    /// The store has finished it: only now the disk forgets it.
    mutating func forget(_ version: TransactionVersion) -> [PurchaseAction] {
        guard let acknowledgement = deliveries[version]?.acknowledgement else { return [] }
        deliveries[version] = nil
        settled.insert(acknowledgement)
        return [.drop(version)]
    }

    /// A call to the store may hang. Until it has answered, the transaction stays on disk, and the store is asked again.
    mutating func finishAgain(at now: Date) -> [PurchaseAction] {
        deliveries.values.filter { $0.finishing.map { $0.mayTryAgain && $0.due <= now } ?? false }
            .sorted { $0.version < $1.version }
            .compactMap { delivery in
                // The newer version's answer will finish both.
                if deliveries.keys.contains(where: { $0.id == delivery.version.id && $0 > delivery.version }) {
                    return nil
                }
                deliveries[delivery.version]?.finishing = delivery.finishing?.next(at: now)
                return delivery.acknowledgement.map { .finish($0) }
            }
    }

    mutating func startPosts(at now: Date) -> [PurchaseAction] {
        guard breaker.backoff.isDue(at: now) else { return [] }
        let limit = breaker.backoff.hasFailed ? 1 : PurchaseMachine.parallelPosts
        let free = limit - deliveries.values.count(where: \.isPosting)
        guard free > 0 else { return [] }
        // What has failed least goes first: one that the server never takes, such as for a proxy's filter, starves no newer one.
        return deliveries.values.filter { $0.isReady(at: now) }
            .sorted { ($0.backoff.failures, $0.version) < ($1.backoff.failures, $1.version) }
            .prefix(free)
            .map { delivery in
                deliveries[delivery.version]?.postedAs = delivery.stream
                return .post(delivery)
            }
    }

    /// Half empty again: the store may hand over what it had to keep.
    mutating func sweepIfRoom() -> [PurchaseAction] {
        guard isOverflowing, deliveries.count <= PurchaseMachine.capacity / 2 else { return [] }
        isOverflowing = false
        return [.sweep]
    }
}
