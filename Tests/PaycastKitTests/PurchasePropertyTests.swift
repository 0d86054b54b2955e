import Foundation
import Testing

@testable import PaycastKit

@Suite("Generated histories")
struct PurchasePropertyTests {
    /// A share of them, unless `PAYCAST_TESTS` asks for the whole, as CI does.
    private static let count: UInt64 = ProcessInfo.processInfo.environment["PAYCAST_TESTS"] == "whole" ? 400 : 60

    @Test("No transaction is finished without 200 or 409, none is posted without back-off, none is lost")
    func histories() {
        for seed in 1...Self.count {
            var world = World(seed: seed)
            for _ in 0..<120 { world.step() }
            world.recover()
            #expect(world.violations.isEmpty, "seed \(seed): \(world.violations.prefix(3))")
            #expect(world.store.isEmpty, "seed \(seed): unfinished \(world.store.keys.sorted())")
            #expect(world.disk.memos.isEmpty, "seed \(seed)")
            let moved = world.holders.filter { id, owner in
                let ordered = world.signed[id]?.token.flatMap { world.owners[$0] }.map { "user:\($0):paywall" }
                return ordered != nil && ordered != owner && !world.taps.contains(.init(transaction: id, owner: owner))
            }
            #expect(moved.isEmpty, "seed \(seed): lost without a tap")
            guard world.violations.isEmpty, world.store.isEmpty else { return }
        }
    }

    @Test("A server that refuses everything gets every transaction, and none is finished or lost")
    func refusing() {
        for seed in UInt64(1)...50 {
            var world = World(seed: seed)
            for _ in 0..<80 {
                world.server = .refusing
                world.step()
            }
            #expect(world.finished.isEmpty && world.violations.isEmpty, "seed \(seed): \(world.violations)")
        }
    }

    @Test("Killed before each action in turn, one purchase always ends finished", arguments: 0..<12)
    func killedEverywhere(fuse: Int) {
        for mode in World.Server.allCases {
            var world = World(seed: UInt64(fuse))
            world.user = "ann"
            world.server = mode
            world.fuse = fuse
            let transaction = world.sign(product: "pro.annual", token: world.newOrder().token)
            world.send(.loggedIn(Fixture.stream(of: "ann")))
            world.send(.arrived(transaction))
            world.settle()
            world.recover()
            #expect(world.violations.isEmpty && world.store.isEmpty && world.finished == [1], "\(mode), \(fuse)")
        }
    }
}

extension World {
    /// Something happens.
    mutating func step() {
        let users = ["ann", "bob"]
        switch Int.random(in: 0..<20, using: &random) {
        case 0, 1, 2:
            let product = ["pro.annual", "coins"].randomElement(using: &random) ?? "coins"
            let order = Bool.random(using: &random) && user != nil ? newOrder() : nil
            send(.tapped(product: product, order: order, ticket: Ticket(number: 0)))
        case 3: if let token = placed.popLast() { send(.arrived(sign(product: "pro.annual", token: token))) }
        case 4: send(.arrived(sign(product: "coins", token: nil)))
        case 5: signAgain()
        case 6:
            user = users.randomElement(using: &random)
            if let user { send(.loggedIn(Fixture.stream(of: user, signing: signing))) }
        case 7:
            user = nil
            send(.loggedOut)
        case 8: resume()
        case 9: server = Server.allCases.randomElement(using: &random) ?? .up
        case 10: fuse = Int.random(in: 0..<6, using: &random)
        case 11: boot()
        case 12: signing += 1
        case 13: now += [-31_536_000, 31_536_000, 86_400].randomElement(using: &random) ?? 0
        case 14 where Bool.random(using: &random):
            store.values.sorted { $0.id < $1.id }.randomElement(using: &random).map { restore($0) }
        case 14:
            if let known = store.values.sorted(by: { $0.id < $1.id }).randomElement(using: &random) {
                send(.arrived(known))
            }
        case 15, 16:
            now += Double.random(in: 0..<90, using: &random)
            send(.woke)
        case 17, 18: answer()
        default: if !pending.isEmpty { send(pending.removeFirst()) }
        }
    }

    /// A tap of the user who is logged in, or of whoever logs in while somebody waits.
    private mutating func restore(_ transaction: SignedTransaction) {
        let stream = user.map { Fixture.stream(of: $0, signing: signing) } ?? machine.session
        for owner in stream.map({ [$0.owner] }) ?? ["user:ann:paywall", "user:bob:paywall"] {
            taps.insert(Tap(transaction: transaction.id, owner: owner))
        }
        send(.restored(transaction, for: stream, ticket: Ticket(number: 0)))
    }

    /// The store signs one of its transactions anew, perhaps because it was refunded.
    private mutating func signAgain() {
        guard var transaction = store.values.min(by: { $0.id < $1.id }) else { return }
        transaction.signedDate += 1
        transaction.jws += "'"
        transaction.isRevoked = Bool.random(using: &random)
        store[transaction.id] = transaction
        send(.arrived(transaction))
    }

    /// Everything that is under way comes to its end, as far as it can without time.
    mutating func settle() {
        var steps = 0
        while !pending.isEmpty || !posts.isEmpty {
            steps += 1
            guard steps < 10_000 else { return violations.append("never comes to rest") }
            if pending.isEmpty { answer() } else { send(pending.removeFirst()) }
        }
    }

    /// The server is well, and both users come by: then nothing may be left, but for what a proxy holds; and
    /// nothing at all once it does so no longer.
    mutating func recover() {
        fuse = nil
        server = .up
        isStoreReliable = true
        visit()
        guard !poisoned.isDisjoint(with: store.keys) else { return }
        let starved = store.keys.filter { !poisoned.contains($0) }.sorted()
        if !starved.isEmpty { violations.append("starved by what the server never takes: \(starved)") }
        poisoned = []
        visit()
    }

    private mutating func visit() {
        for visit in 0..<12 {
            // What the store has is there before anybody can tap a button.
            while !pending.isEmpty { send(pending.removeFirst()) }
            user = visit.isMultiple(of: 2) ? "ann" : "bob"
            send(.loggedIn(Fixture.stream(of: user ?? "", signing: signing)))
            for transaction in store.values.sorted(by: { $0.id < $1.id }) where visit > 6 {
                restore(transaction)
            }
            for _ in 0..<100 {
                settle()
                if !poisoned.isEmpty, store.keys.allSatisfy(poisoned.contains) { break }
                guard let wake = machine.nextWake(after: now) else { break }
                now = max(now, wake)
                send(.woke)
            }
            boot()
        }
        settle()
    }
}
