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
            now = writeReads(&life, from: now)
            previous = life.key.lineage
        } while chance(2) && lineages < 3
        if chance(2) { buyCoins(by: buyer) }
    }

    private mutating func writeReads(_ life: inout StoreLife, from start: Instant) -> Instant {
        var now = start
        var states: [(at: Instant, life: StoreLife)] = []
        var notices: [(at: Instant, kind: EventKind, id: String)] = []
        for _ in 0..<number(in: 2...8) {
            now = now + pause() + .milliseconds(1)
            life.pass(to: now)
            let choice = one(of: life.possibleSteps.filter { ![.appPosts, .refundOlder].contains($0) })
            _ = life.take(choice, at: now)
            states.append((now, life))
            notices.append((now, choice.kind, id()))
        }
        for notice in notices {
            let known = states
            add(
                Happening(
                    name: "google \(notice.kind.rawValue) of \(life.key.lineage)",
                    at: notice.at,
                    content: .read { at in
                        var current = (known.last { $0.at <= at } ?? known[0]).life
                        current.pass(to: at)
                        return Event(
                            provider: .google,
                            environment: .production,
                            app: "app",
                            id: notice.id,
                            type: "SIMULATED",
                            // What its name alone says would be older than what is read.
                            kind: notice.kind == .pauseScheduled ? .contractUpdated : notice.kind,
                            signedAt: at,
                            observation: current.statement(at: at),
                            body: []
                        )
                    }
                )
            )
        }
        finish(life)
        return now
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
