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
        _ = driver.send(.answered(Fixture.transaction().version, answer))
        _ = driver.restart()
        #expect(driver.send(.swept([Fixture.transaction()]), after: 60).posts.isEmpty)
        #expect(driver.send(.resumed, after: 60).posts.isEmpty)
        #expect(driver.send(.woke, after: 3_600).posts.count == 1)
    }

    @Test("Retry-After for the whole server binds every transaction, also after a restart")
    func retryAfterForAll() {
        for (isWholeServer, posts) in [(true, 0), (false, 1)] {
            var driver = Driver()
            driver.buy()
            let answer = PostAnswer.later(.init(seconds: 3_600, isWholeServer: isWholeServer))
            _ = driver.send(.answered(Fixture.transaction().version, answer))
            _ = driver.restart()
            _ = driver.send(.swept([Fixture.transaction()]), after: 60)
            _ = driver.send(.loggedIn(Fixture.stream(of: "ann")))
            let other = Fixture.transaction(2, product: "coins", token: nil)
            #expect(driver.send(.arrived(other)).posts.count == posts)
            #expect(driver.send(.resumed, after: 60).posts.isEmpty)
            #expect(driver.send(.woke, after: 3_600).posts.count == 1)
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
        #expect(driver.machine.deliveries.values.filter { $0.post != nil }.map(\.id) == [2])
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
        #expect(driver.machine.nextWake(after: driver.now) == driver.now + Tap.patience)
        #expect(driver.send(.woke, after: 10).replies == [.success(.kept(.offline))])
        #expect(driver.send(.answered(Fixture.transaction().version, .committed(Fixture.commit))).finishes == [1])
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
