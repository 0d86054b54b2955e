import Domain
import TestSupport

extension HistoryWriter {
    /// Events in whole seconds, several of them in one; invoices and sessions beside the subscription.
    mutating func writeStripe() {
        let buyer = user("buyer")
        var now = StoreHistory.start
        var timeline = StoreTimeline(key(.stripe, lineage: "sub"), extras: [.wait, .drop, .pause])
        timeline.token = order(of: buyer, at: now)
        timeline.account = "\(prefix)-customer"
        for _ in 0..<number(in: 3...10) {
            now = now + pause()
            timeline.pass(to: now)
            let choice = one(of: timeline.possibleSteps.filter { $0 != .appPosts })
            for observation in timeline.take(choice, at: now) {
                let second = Instant(milliseconds: now.milliseconds / 1000 * 1000)
                var stated = observation
                stated.snapshot?.signedAt = second
                stated.transaction?.signedAt = second
                // The metadata are not on every object.
                if chance(3) { stated.token = nil }
                deliver(event(.stripe, kind: choice.kind, at: now, signedAt: second, observation: stated), at: now)
            }
        }
        // The same customer, without an order.
        guard chance(2) else { return }
        var second = StoreTimeline(key(.stripe, lineage: "sub-2"))
        second.account = timeline.account
        for observation in second.take(.start, at: now) where observation.snapshot != nil {
            deliver(event(.stripe, kind: .subscriptionStarted, at: now, observation: observation), at: now)
        }
    }

    /// The store knows the user, and moves what they have to another one.
    mutating func writeRevenueCat() {
        let users = [user("buyer"), user("rival"), user("third")]
        var owner = users[0]
        var now = StoreHistory.start
        var timelines = [StoreTimeline(key(.revenuecat, lineage: "rc-1"), extras: [.pause, .schedulePause])]
        if chance(2) { timelines.append(StoreTimeline(key(.revenuecat, lineage: "rc-2"))) }
        for _ in 0..<number(in: 3...12) {
            now = now + pause() + .milliseconds(1)
            if chance(6) {
                let next = one(of: users.filter { $0 != owner })
                var moved = event(.revenuecat, kind: .contractTransferred, at: now, observation: nil)
                moved.transfer = Transfer(from: [owner, "\(prefix)-alias"], to: next)
                deliver(moved, at: now)
                owner = next
                continue
            }
            let index = number(in: 0...(timelines.count - 1))
            timelines[index].user = owner
            timelines[index].pass(to: now)
            let choice = one(of: timelines[index].possibleSteps.filter { ![.appPosts, .refundOlder].contains($0) })
            guard let observation = timelines[index].take(choice, at: now).last else { continue }
            deliver(event(.revenuecat, kind: choice.kind, at: now, observation: observation), at: now)
        }
        for timeline in timelines where timeline.user != nil { finish(timeline) }
    }

    /// A buyer whom the app has not named signs in. The store then lists both ids, again and again, until it moves what
    /// the user has to another one.
    mutating func writeSignIn() {
        let users = [user("signed-in"), user("also"), user("rival")]
        let anonymous: UserID = "$RCAnonymousID:\(prefix)"
        var owner: UserID?
        var isMoved = false
        var now = StoreHistory.start
        var timelines = ["rc-3", "rc-4"].map { StoreTimeline(key(.revenuecat, lineage: $0), extras: [.pause]) }
        var known: Set<Int> = []
        for _ in 0..<number(in: 3...12) {
            now = now + pause() + .milliseconds(1)
            if !isMoved, chance(4) {
                let named = one(of: Array(users.dropLast()))
                var alias = event(.revenuecat, kind: .contractUpdated, at: now, observation: nil)
                alias.transfer = Transfer(from: [anonymous], to: named, isAlias: true)
                deliver(alias, at: now)
                owner = named
                continue
            }
            if let from = owner, !isMoved, chance(6) {
                var moved = event(.revenuecat, kind: .contractTransferred, at: now, observation: nil)
                moved.transfer = Transfer(from: chance(2) ? [from] : [anonymous, from], to: users[2])
                deliver(moved, at: now)
                (owner, isMoved) = (users[2], true)
                continue
            }
            let index = number(in: 0...1)
            timelines[index].account = anonymous.text
            timelines[index].user = owner
            timelines[index].pass(to: now)
            let choice = one(of: timelines[index].possibleSteps.filter { ![.appPosts, .refundOlder].contains($0) })
            guard let observation = timelines[index].take(choice, at: now).last else { continue }
            var said = event(.revenuecat, kind: choice.kind, at: now, observation: observation)
            if let owner, !isMoved { said.transfer = Transfer(from: [anonymous], to: owner, isAlias: true) }
            deliver(said, at: now)
            known.insert(index)
        }
        for index in known { finish(timelines[index]) }
    }

    /// Four events with snapshots only. The app told the store who the user is.
    mutating func writePurchaseKit() {
        var now = StoreHistory.start
        var timeline = StoreTimeline(key(.purchasekit, lineage: "kit"))
        timeline.user = user("buyer")
        var isKnown = false
        for _ in 0..<number(in: 2...8) {
            now = now + pause()
            timeline.pass(to: now)
            let choices = timeline.possibleSteps.filter {
                [.start, .renew, .upgrade, .renewalOff, .renewalOn, .expire].contains($0)
            }
            guard !choices.isEmpty else { continue }
            let choice = one(of: choices)
            guard var observation = timeline.take(choice, at: now).last else { continue }
            observation.transaction = nil
            deliver(event(.purchasekit, kind: choice.kind, at: now, observation: observation), at: now)
            isKnown = true
        }
        if isKnown { finish(timeline) }
    }
}
