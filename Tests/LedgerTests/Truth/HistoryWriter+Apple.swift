import Domain
import Ledger
import TestSupport

extension HistoryWriter {
    /// A subscription that its buyer's app posts as well, the family member's own contract, whatever is bought once,
    /// and sometimes another user of the same device who restores.
    mutating func writeApple() {
        let buyer = user("buyer")
        let isTokenless = chance(4)
        var life = StoreLife(key(.apple, "apple"))
        life.token = isTokenless ? nil : order(of: buyer, at: StoreHistory.start)
        live(&life, by: buyer, rival: chance(2) ? user("rival") : nil)
        if chance(2) {
            var shared = StoreLife(key(.apple, "shared"), isFamilyShared: true)
            live(&shared, by: user("sister"), rival: nil)
        }
        if chance(2) { migrate(buyer) }
        for (kind, product) in [
            (ProductKind.consumable, "coins"), (.nonConsumable, "lifetime"), (.nonRenewing, "season"),
        ]
        where chance(2) {
            buyOnce(kind, product, by: buyer)
        }
    }

    private mutating func live(_ life: inout StoreLife, by owner: UserID, rival: UserID?) {
        var now = StoreHistory.start
        let ownToken = life.token
        for step in 0..<number(in: 3...14) {
            now = now + pause()
            life.pass(to: now)
            let choice = one(of: life.possibleSteps)
            // The rival buys with the same account at the store, and the buyer may come back.
            let isRivals = rival != nil && choice == .start && step > 0 && chance(2)
            if choice == .start { life.token = ownToken }
            if let rival, isRivals, life.token != nil { life.token = order(of: rival, at: now) }
            let owner = isRivals ? rival ?? owner : owner
            for observation in life.take(choice, at: now) {
                let event = event(.apple, choice.kind, at: now, observation)
                // The app that bought posts its first transaction itself, and is the only one to know its user then.
                let isPosted = observation.snapshot == nil && (chance(2) || life.token == nil && step == 0)
                if isPosted { post(event, by: owner, at: now) } else { deliver(event, at: now) }
            }
            if let rival, chance(5) {
                now = now + .milliseconds(1)
                if let posted = life.take(.appPosts, at: now).last {
                    post(event(.apple, .contractUpdated, at: now, posted), by: rival, at: now)
                    // Nobody could tell which was first.
                    now = now + .milliseconds(1)
                }
            }
        }
        if life.token == nil, let posted = life.take(.appPosts, at: now + .milliseconds(1)).last {
            post(event(.apple, .contractUpdated, at: now, posted), by: owner, at: now + .milliseconds(1))
        }
        finish(life)
    }

    private mutating func post(_ event: Event, by user: UserID, at now: Instant) {
        add(Happening(name: "\(user) posts \(describe(event))", at: now, content: .post(event, Claim(user: user))))
    }

    /// A lineage without a token of its own that follows another one, and a purchase of the same download.
    private mutating func migrate(_ buyer: UserID) {
        var now = StoreHistory.start + pause()
        var lives = ["old", "new", "same"].map { StoreLife(key(.apple, $0)) }
        lives[0].token = order(of: buyer, at: now)
        lives[1].previousLineage = lives[0].key.lineage
        lives[1].account = "\(prefix)-download"
        lives[2].account = "\(prefix)-download"
        for index in lives.indices {
            for _ in 0..<number(in: 1...3) {
                now = now + pause()
                lives[index].pass(to: now)
                let choice = one(of: lives[index].possibleSteps.filter { $0 != .appPosts })
                for observation in lives[index].take(choice, at: now) where observation.snapshot != nil {
                    deliver(event(.apple, choice.kind, at: now, observation), at: now)
                }
            }
        }
    }

    /// Bought once, refunded, given back: all by the transaction.
    private mutating func buyOnce(_ kind: ProductKind, _ product: String, by buyer: UserID) {
        var now = StoreHistory.start + pause()
        let key = key(.apple, product)
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
            deliver(event(.apple, name, at: now, observation), at: now)
            now = now + pause() + .milliseconds(1)
        }
    }
}
