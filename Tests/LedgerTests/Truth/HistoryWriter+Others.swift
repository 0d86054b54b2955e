import Domain
import TestSupport

extension HistoryWriter {
    /// Events in whole seconds, several of them in one; invoices and sessions beside the subscription.
    mutating func writeStripe() {
        let buyer = user("buyer")
        var now = StoreHistory.start
        var life = StoreLife(key(.stripe, "sub"), extras: [.wait, .drop, .pause])
        life.token = order(of: buyer, at: now)
        life.account = "\(prefix)-customer"
        for _ in 0..<number(in: 3...10) {
            now = now + pause()
            life.pass(to: now)
            let choice = one(of: life.possibleSteps.filter { $0 != .appPosts })
            for observation in life.take(choice, at: now) {
                let second = Instant(milliseconds: now.milliseconds / 1000 * 1000)
                var stated = observation
                stated.snapshot?.signedAt = second
                stated.transaction?.signedAt = second
                // The metadata are not on every object.
                if chance(3) { stated.token = nil }
                deliver(event(.stripe, choice.kind, at: now, signedAt: second, stated), at: now)
            }
        }
        // The same customer, without an order.
        guard chance(2) else { return }
        var second = StoreLife(key(.stripe, "sub-2"))
        second.account = life.account
        for observation in second.take(.start, at: now) where observation.snapshot != nil {
            deliver(event(.stripe, .subscriptionStarted, at: now, observation), at: now)
        }
    }

    /// The store knows the user, and moves what they have to another one.
    mutating func writeRevenueCat() {
        let users = [user("buyer"), user("rival"), user("third")]
        var owner = users[0]
        var now = StoreHistory.start
        var lives = [StoreLife(key(.revenuecat, "rc-1"), extras: [.pause, .schedulePause])]
        if chance(2) { lives.append(StoreLife(key(.revenuecat, "rc-2"))) }
        for _ in 0..<number(in: 3...12) {
            now = now + pause() + .milliseconds(1)
            if chance(6) {
                let next = one(of: users.filter { $0 != owner })
                var moved = event(.revenuecat, .contractTransferred, at: now, nil)
                moved.transfer = Transfer(from: [owner, "\(prefix)-alias"], to: next)
                deliver(moved, at: now)
                owner = next
                continue
            }
            let index = number(in: 0...(lives.count - 1))
            lives[index].user = owner
            lives[index].pass(to: now)
            let choice = one(of: lives[index].possibleSteps.filter { ![.appPosts, .refundOlder].contains($0) })
            guard let observation = lives[index].take(choice, at: now).last else { continue }
            deliver(event(.revenuecat, choice.kind, at: now, observation), at: now)
        }
        for life in lives where life.user != nil { finish(life) }
    }

    /// Four events, snapshots only; the store was told the user.
    mutating func writePurchaseKit() {
        var now = StoreHistory.start
        var life = StoreLife(key(.purchasekit, "kit"))
        life.user = user("buyer")
        var isKnown = false
        for _ in 0..<number(in: 2...8) {
            now = now + pause()
            life.pass(to: now)
            let choices = life.possibleSteps.filter {
                [.start, .renew, .upgrade, .renewalOff, .renewalOn, .expire].contains($0)
            }
            guard !choices.isEmpty else { continue }
            let choice = one(of: choices)
            guard var observation = life.take(choice, at: now).last else { continue }
            observation.transaction = nil
            deliver(event(.purchasekit, choice.kind, at: now, observation), at: now)
            isKnown = true
        }
        if isKnown { finish(life) }
    }
}
