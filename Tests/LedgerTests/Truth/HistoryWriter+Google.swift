import TestSupport

@testable import Domain

extension HistoryWriter {
    /// A notification says only that something has changed; the state is the one at the moment of asking. An upgrade is
    /// a new purchase token that links to the old one.
    mutating func writeGoogle() {
        let buyer = user("buyer")
        var now = StoreHistory.start
        let token = order(of: buyer, at: now)
        var lineages = 0
        var previous: String?
        repeat {
            lineages += 1
            var timeline = StoreTimeline(
                key(.google, lineage: "google-\(lineages)"),
                extras: [.wait, .drop, .pause, .schedulePause]
            )
            // Bought again outside the app, it carries no account id, only the link.
            timeline.token = previous == nil || !chance(3) ? token : nil
            timeline.previousLineage = previous
            timeline.sells(lineages == 1 ? "monthly" : "yearly")
            now = writeReads(timeline, from: now)
            previous = timeline.key.lineage
        } while chance(2) && lineages < 3
        if chance(2) { buyCoins(by: buyer) }
    }

    private mutating func writeReads(_ timeline: StoreTimeline, from start: Instant) -> Instant {
        var now = start
        var purchase = GooglePurchaseTimeline(timeline)
        var states: [(at: Instant, purchase: GooglePurchaseTimeline)] = []
        var notices: [(at: Instant, kind: EventKind, id: String)] = []
        for _ in 0..<number(in: 2...8) {
            now = now + pause() + .milliseconds(1)
            purchase.pass(to: now)
            let kind = chance(3) ? changeLine(of: &purchase, at: now) : changeBase(of: &purchase, at: now)
            states.append((now, purchase))
            notices.append((now, kind, id()))
        }
        for notice in notices {
            let known = states
            let read: @Sendable (Instant) -> Event = { at in
                let current = (known.last { $0.at <= at } ?? known[0]).purchase
                return current.event(notice.id, kind: notice.kind, readAt: at)
            }
            // Read when it is delivered, or at once and committed late.
            let content = chance(2) ? HistoryStep.Content.read(read) : .event(read(notice.at))
            let name = "google \(notice.kind.rawValue) of \(timeline.key.lineage)"
            add(HistoryStep(name: name, at: notice.at, content: content, wasRead: true))
        }
        for timeline in purchase.timelines { finish(timeline) }
        return now
    }

    private mutating func changeBase(of purchase: inout GooglePurchaseTimeline, at now: Instant) -> EventKind {
        let choice = one(of: purchase.base.possibleSteps.filter { ![.appPosts, .refundOlder].contains($0) })
        _ = purchase.base.take(choice, at: now)
        // What is read is newer than what its name says.
        return choice == .schedulePause ? .contractUpdated : choice.kind
    }

    /// One of the further products is bought, changes, or is removed.
    private mutating func changeLine(of purchase: inout GooglePurchaseTimeline, at now: Instant) -> EventKind {
        let product = one(of: ["extra", "team"])
        if purchase.holds(product), chance(3) {
            purchase.takeOut(product, at: now)
        } else {
            let steps = purchase.steps(of: product)
            if !steps.isEmpty { purchase.take(one(of: steps), of: product, at: now) }
        }
        return .contractUpdated
    }

    private mutating func buyCoins(by buyer: UserID) {
        var now = StoreHistory.start + pause()
        let key = key(.google, lineage: "coins")
        let token = order(of: buyer, at: now)
        let pending = Snapshot(state: .pending, product: "coins", autoRenew: false, accessUntil: nil, signedAt: now)
        let waits = Observation(contract: key, kind: .consumable, token: token, snapshot: pending)
        deliver(event(.google, kind: .purchasePending, at: now, observation: waits), at: now)
        now = now + pause() + .milliseconds(1)
        guard chance(2) else {
            var dropped = pending
            dropped.state = .expired
            dropped.signedAt = now
            let observation = Observation(contract: key, kind: .consumable, token: token, snapshot: dropped)
            return deliver(event(.google, kind: .purchasePendingCancelled, at: now, observation: observation), at: now)
        }
        let charge = Transaction(
            id: key.lineage,
            product: "coins",
            purchasedAt: now,
            quantity: number(in: 1...5),
            signedAt: now
        )
        let bought = Observation(contract: key, kind: .consumable, token: token, transaction: charge)
        deliver(event(.google, kind: .purchaseCompleted, at: now, observation: bought), at: now)
        guard chance(2) else { return }
        now = now + pause() + .milliseconds(1)
        // A voided purchase need not say what was bought.
        let voided = Snapshot(state: .revoked, product: "", autoRenew: false, accessUntil: now, signedAt: now)
        let observation = Observation(contract: key, kind: .nonConsumable, snapshot: voided)
        deliver(event(.google, kind: .refundCompleted, at: now, observation: observation), at: now)
    }
}
