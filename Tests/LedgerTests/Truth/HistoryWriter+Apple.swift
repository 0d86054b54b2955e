import TestSupport

@testable import Domain

extension HistoryWriter {
    /// A subscription that the buyer's app posts as well, a family member's own contract, one-time purchases, and
    /// sometimes another user of the same device who restores.
    mutating func writeApple() {
        let buyer = user("buyer")
        let isTokenless = chance(4)
        var timeline = StoreTimeline(key(.apple, lineage: "apple"))
        timeline.token = isTokenless ? nil : order(of: buyer, at: StoreHistory.start)
        writeSubscription(&timeline, by: buyer, rival: chance(2) ? user("rival") : nil)
        if chance(2) {
            var shared = StoreTimeline(key(.apple, lineage: "shared"), isFamilyShared: true)
            writeSubscription(&shared, by: user("sister"), rival: nil)
        }
        if chance(2) { migrate(buyer) }
        for (kind, product) in [
            (ProductKind.consumable, "coins"), (.nonConsumable, "lifetime"), (.nonRenewing, "season"),
        ]
        where chance(2) {
            buyOnce(kind, product: product, by: buyer)
        }
    }

    private mutating func writeSubscription(_ timeline: inout StoreTimeline, by owner: UserID, rival: UserID?) {
        var now = StoreHistory.start
        let ownToken = timeline.token
        for step in 0..<number(in: 3...14) {
            now = now + pause()
            timeline.pass(to: now)
            let choice = one(of: timeline.possibleSteps)
            // The rival buys with the same store account, and the buyer may come back.
            let isRivals = rival != nil && choice == .start && step > 0 && chance(2)
            if choice == .start { timeline.token = ownToken }
            if let rival, isRivals, timeline.token != nil { timeline.token = order(of: rival, at: now) }
            let owner = isRivals ? rival ?? owner : owner
            for observation in timeline.take(choice, at: now) {
                let event = event(.apple, kind: choice.kind, at: now, observation: observation)
                // The buyer's app posts the first transaction itself; only the app knows the user at that time.
                let isPosted = observation.snapshot == nil && (chance(2) || timeline.token == nil && step == 0)
                if isPosted { post(event, by: owner, at: now) } else { deliver(event, at: now) }
            }
            if let rival, chance(5) {
                now = now + .milliseconds(1)
                if let posted = timeline.take(.appPosts, at: now).last {
                    post(event(.apple, kind: .contractUpdated, at: now, observation: posted), by: rival, at: now)
                    // Otherwise the two could not be put in order.
                    now = now + .milliseconds(1)
                }
            }
        }
        if timeline.token == nil, let posted = timeline.take(.appPosts, at: now + .milliseconds(1)).last {
            post(
                event(.apple, kind: .contractUpdated, at: now, observation: posted),
                by: owner,
                at: now + .milliseconds(1)
            )
        }
        finish(timeline)
    }

    /// Half of what apps post was asked for by a tap.
    private mutating func post(_ event: Event, by user: UserID, at now: Instant) {
        post(event, Claim(user: user, isAsked: chance(2)), at: now)
    }

    private mutating func post(_ event: Event, _ claim: Claim, at now: Instant) {
        let name = "\(claim.user) \(claim.isAsked ? "asks for" : "posts") \(describe(event))"
        add(HistoryStep(name: name, at: now, content: .post(event, claim)))
    }

    /// A lineage without a token that follows another one, and a purchase of the same download. Apps post all three of their
    /// own accord.
    private mutating func migrate(_ buyer: UserID) {
        var now = StoreHistory.start + pause()
        var timelines = ["old", "new", "same"].map { StoreTimeline(key(.apple, lineage: $0)) }
        timelines[0].token = order(of: buyer, at: now)
        timelines[1].previousLineage = timelines[0].key.lineage
        timelines[1].account = "\(prefix)-download"
        timelines[2].account = "\(prefix)-download"
        for index in timelines.indices {
            for _ in 0..<number(in: 1...3) {
                now = now + pause()
                timelines[index].pass(to: now)
                let choice = one(of: timelines[index].possibleSteps.filter { $0 != .appPosts })
                for observation in timelines[index].take(choice, at: now) where observation.snapshot != nil {
                    deliver(event(.apple, kind: choice.kind, at: now, observation: observation), at: now)
                }
                now = now + .milliseconds(1)
                guard chance(3), let posted = timelines[index].take(.appPosts, at: now).last else { continue }
                let claim = Claim(user: chance(2) ? buyer : user("other"), isAsked: false)
                post(event(.apple, kind: .contractUpdated, at: now, observation: posted), claim, at: now)
            }
        }
    }

    /// A one-time purchase that is refunded and restored, known by its transaction alone.
    private mutating func buyOnce(_ kind: ProductKind, product: String, by buyer: UserID) {
        var now = StoreHistory.start + pause()
        let key = key(.apple, lineage: product)
        let token = order(of: buyer, at: now)
        var charge = Transaction(
            id: key.lineage,
            product: product,
            purchasedAt: now,
            quantity: number(in: 1...3),
            signedAt: now
        )
        for step in 0..<number(in: 1...4) {
            charge.signedAt = now
            charge.revokedAt = step % 2 == 1 ? now : nil
            let name: EventKind = step == 0 ? .purchaseCompleted : step % 2 == 1 ? .refundCompleted : .refundReversed
            let observation = Observation(contract: key, kind: kind, token: token, transaction: charge)
            deliver(event(.apple, kind: name, at: now, observation: observation), at: now)
            now = now + pause() + .milliseconds(1)
        }
    }
}
