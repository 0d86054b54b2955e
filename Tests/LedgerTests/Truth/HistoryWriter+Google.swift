import Domain
import TestSupport

extension HistoryWriter {
    /// A notification says only that something has changed: the state is that of the moment at which it is asked for.
    /// An upgrade is a new purchase token that links to the old one.
    mutating func writeGoogle() {
        let buyer = user("buyer")
        var now = StoreHistory.start
        let token = order(of: buyer, at: now)
        var lineages = 0
        var previous: String?
        repeat {
            lineages += 1
            var life = StoreLife(key(.google, "google-\(lineages)"), extras: [.wait, .drop, .pause, .schedulePause])
            // Bought again outside of the app, it carries no account id, only the link.
            life.token = previous == nil || !chance(3) ? token : nil
            life.previousLineage = previous
            life.sells(lineages == 1 ? "monthly" : "yearly")
            now = writeReads(life, from: now)
            previous = life.key.lineage
        } while chance(2) && lineages < 3
        if chance(2) { buyCoins(by: buyer) }
    }

    private mutating func writeReads(_ life: StoreLife, from start: Instant) -> Instant {
        var now = start
        var purchase = GooglePurchaseLife(life)
        var states: [(at: Instant, purchase: GooglePurchaseLife)] = []
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
                return current.event(notice.id, notice.kind, readAt: at)
            }
            // Read when it is delivered, or at once and committed late.
            let content = chance(2) ? Happening.Content.read(read) : .event(read(notice.at))
            let name = "google \(notice.kind.rawValue) of \(life.key.lineage)"
            add(Happening(name: name, at: notice.at, content: content, wasRead: true))
        }
        for life in purchase.lives { finish(life) }
        return now
    }

    private mutating func changeBase(of purchase: inout GooglePurchaseLife, at now: Instant) -> EventKind {
        let choice = one(of: purchase.base.possibleSteps.filter { ![.appPosts, .refundOlder].contains($0) })
        _ = purchase.base.take(choice, at: now)
        // What its name alone says would be older than what is read.
        return choice == .schedulePause ? .contractUpdated : choice.kind
    }

    /// One of the further products is bought, goes its way by itself, or is taken out.
    private mutating func changeLine(of purchase: inout GooglePurchaseLife, at now: Instant) -> EventKind {
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
        let key = key(.google, "coins")
        let token = order(of: buyer, at: now)
        let pending = Snapshot(state: .pending, product: "coins", autoRenew: false, accessUntil: nil, signedAt: now)
        let waits = Observation(contract: key, kind: .consumable, token: token, snapshot: pending)
        deliver(event(.google, .purchasePending, at: now, waits), at: now)
        now = now + pause() + .milliseconds(1)
        guard chance(2) else {
            var dropped = pending
            (dropped.state, dropped.signedAt) = (.expired, now)
            let observation = Observation(contract: key, kind: .consumable, token: token, snapshot: dropped)
            return deliver(event(.google, .purchasePendingCancelled, at: now, observation), at: now)
        }
        let charge = Transaction(
            id: key.lineage,
            product: "coins",
            purchasedAt: now,
            quantity: number(in: 1...5),
            signedAt: now
        )
        let bought = Observation(contract: key, kind: .consumable, token: token, transaction: charge)
        deliver(event(.google, .purchaseCompleted, at: now, bought), at: now)
        guard chance(2) else { return }
        now = now + pause() + .milliseconds(1)
        // A voided purchase need not say what was bought.
        let voided = Snapshot(state: .revoked, product: "", autoRenew: false, accessUntil: now, signedAt: now)
        let observation = Observation(contract: key, kind: .nonConsumable, snapshot: voided)
        deliver(event(.google, .refundCompleted, at: now, observation), at: now)
    }
}
