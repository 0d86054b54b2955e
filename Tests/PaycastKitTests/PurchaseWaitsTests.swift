import Foundation
import Testing

@testable import PaycastKit

@Suite("When a purchase is tried again")
struct PurchaseWaitsTests {
    @Test(
        "422, 503 and no network: tried again after the back-off",
        arguments: [
            PostAnswer.later(.init(seconds: nil, isWholeServer: false)),
            .later(.init(seconds: nil, isWholeServer: true)),
            .unreachable,
        ]
    )
    func retries(answer: PostAnswer) {
        var driver = Driver()
        driver.buy()
        let version = Fixture.transaction().version
        let actions = driver.send(.answered(version, answer))
        #expect(actions.finishes.isEmpty && actions.posts.isEmpty && actions.replies.count == 1)
        #expect(driver.machine.nextWake(after: driver.now) == driver.now + 1)
        #expect(driver.send(.woke, after: 0.9).posts.isEmpty)
        #expect(driver.send(.woke, after: 0.1).posts == [version])
    }

    @Test("Retry-After outlives the process")
    func retryAfter() {
        var driver = Driver()
        driver.buy()
        let answer = PostAnswer.later(.init(seconds: 3_600, isWholeServer: false))
        let kept = driver.send(.answered(Fixture.transaction().version, answer)).kept
        var next = Driver()
        #expect(next.send(.launched(appVersion: "1", deliveries: kept, orders: []), after: 60).posts.isEmpty)
        #expect(next.send(.resumed, after: 60).posts.isEmpty)
        #expect(next.send(.woke, after: 3_600).posts.count == 1)
    }

    @Test("Retry-After for the whole server binds every transaction, also after a restart")
    func retryAfterForAll() {
        for (isWholeServer, posts) in [(true, 0), (false, 1)] {
            var driver = Driver()
            driver.buy()
            let answer = PostAnswer.later(.init(seconds: 3_600, isWholeServer: isWholeServer))
            let kept = driver.send(.answered(Fixture.transaction().version, answer)).kept
            var next = Driver()
            _ = next.send(.launched(appVersion: "1", deliveries: kept, orders: []), after: 60)
            _ = next.send(.loggedIn(Fixture.stream(of: "ann")))
            let other = Fixture.transaction(2, product: "coins", token: nil)
            #expect(next.send(.arrived(other)).posts.count == posts)
            #expect(next.send(.resumed, after: 60).posts.isEmpty)
            #expect(next.send(.woke, after: 3_600).posts.count == 1)
        }
    }

    @Test("What answers later shortens no Retry-After")
    func retryAfterStands() {
        var driver = Driver()
        _ = driver.send(.loggedIn(Fixture.stream(of: "ann")))
        let transactions = (1...3).map { Fixture.transaction(UInt64($0), product: "coins", token: nil) }
        for transaction in transactions { _ = driver.send(.arrived(transaction)) }
        let answer = PostAnswer.later(.init(seconds: 3_600, isWholeServer: true))
        _ = driver.send(.answered(transactions[0].version, answer))
        for transaction in transactions.dropFirst() { _ = driver.send(.answered(transaction.version, .unreachable)) }
        #expect(driver.send(.woke, after: 3_599).posts.isEmpty)
        #expect(driver.send(.woke, after: 1).posts.count == 1)
    }

    @Test("What the server never takes holds a new purchase for a second, and never for longer")
    func poison() {
        var driver = Driver()
        driver.buy(Fixture.transaction(1, product: "coins", token: nil))
        let broken = PostAnswer.later(.init(seconds: nil, isWholeServer: true))
        for _ in 0..<12 {
            _ = driver.send(.answered(Fixture.transaction(1).version, broken))
            driver.now = driver.machine.nextWake(after: driver.now) ?? driver.now
            #expect(driver.send(.woke).posts.map(\.id) == [1])
        }
        _ = driver.send(.answered(Fixture.transaction(1).version, broken))
        driver.now += 1
        driver.buy(Fixture.transaction(2))
        #expect(driver.machine.deliveries.values.filter(\.isPosting).map(\.version.id) == [2])
    }

    @Test("While the server recovers, what has failed least goes first")
    func probes() {
        var driver = Driver()
        _ = driver.send(.loggedIn(Fixture.stream(of: "ann")))
        let transactions = (1...3).map { Fixture.transaction(UInt64($0), product: "coins", token: nil) }
        for transaction in transactions.prefix(2) { _ = driver.send(.arrived(transaction)) }
        for transaction in transactions.prefix(2) { _ = driver.send(.answered(transaction.version, .unreachable)) }
        #expect(driver.send(.arrived(transactions[2])).posts.isEmpty)
        #expect(driver.send(.woke, after: 2).posts.map(\.id) == [3])
    }

    @Test("A slow server: the caller hears after ten seconds that the purchase is kept")
    func slow() {
        var driver = Driver()
        driver.buy()
        #expect(driver.machine.nextWake(after: driver.now) == driver.now + PurchaseMachine.patience)
        #expect(driver.send(.woke, after: 10).replies == [.success(.kept(.offline))])
        #expect(driver.send(.answered(Fixture.transaction().version, .committed(Fixture.commit))).finishes == [1])
    }

    @Test("A store that says nothing is asked to finish three times, and again when the app comes back")
    func hangingStore() {
        var driver = Driver()
        driver.buy()
        let acknowledged = driver.send(.answered(Fixture.transaction().version, .committed(Fixture.commit)))
        #expect(acknowledged.finishes == [1])
        #expect(driver.machine.nextWake(after: driver.now) == driver.now + 30)
        #expect(driver.send(.woke, after: 29).finishes.isEmpty)
        #expect(driver.send(.woke, after: 1).finishes == [1])
        #expect(driver.send(.woke, after: 59).finishes.isEmpty)
        #expect(driver.send(.woke, after: 1).finishes == [1])
        #expect(driver.machine.nextWake(after: driver.now) == nil)
        #expect(driver.send(.woke, after: 86_400).finishes.isEmpty)
        #expect(driver.send(.resumed).finishes == [1])
        #expect(driver.send(.finished(Fixture.transaction().version)).contains(.drop(Fixture.transaction().version)))
        #expect(driver.send(.resumed).finishes.isEmpty && driver.machine.deliveries.isEmpty)
    }

    @Test("A store that says nothing is not asked again while a newer version is unanswered")
    func hangingStoreSignsAnew() {
        var driver = Driver()
        driver.buy()
        _ = driver.send(.answered(Fixture.transaction().version, .committed(Fixture.commit)))
        let newer = Fixture.transaction(signing: 9)
        #expect(driver.send(.arrived(newer)).posts == [newer.version])
        #expect(driver.send(.woke, after: 60).finishes.isEmpty && driver.send(.resumed).finishes.isEmpty)
        #expect(driver.send(.answered(newer.version, .committed(Fixture.commit))).finishes == [1])
    }

    @Test("A hundred unfinished consumables are posted four at a time, and one at a time while the server recovers")
    func hundred() {
        var driver = Driver()
        _ = driver.send(.loggedIn(Fixture.stream(of: "ann")))
        let transactions = (1...100).map { Fixture.transaction(UInt64($0), product: "coins", token: nil) }
        #expect(transactions.flatMap { driver.send(.arrived($0)).posts }.count == 4)
        for transaction in transactions.prefix(4) {
            #expect(driver.send(.answered(transaction.version, .unreachable)).posts.isEmpty)
        }
        let probe = driver.send(.woke, after: 60).posts
        #expect(probe.count == 1)
        #expect(driver.send(.answered(probe[0], .committed(Fixture.commit))).posts.count == 4)
    }
}
