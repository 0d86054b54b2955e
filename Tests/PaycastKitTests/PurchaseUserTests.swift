import Foundation
import Testing

@testable import PaycastKit

@Suite("Whose purchase it is")
struct PurchaseUserTests {
    private let ann = Fixture.stream(of: "ann")
    private let bob = Fixture.stream(of: "bob")

    @Test("Signed stream names tell their owner, with and without an expiry")
    func owners() {
        #expect(ann.owner == "user:ann:paywall")
        #expect(Fixture.stream(of: "ann", signing: 2).owner == ann.owner)
        let envelope = Data(#"{"_rails":{"data":"user:ann:paywall","exp":"2030-01-01T00:00:00.000Z"}}"#.utf8)
        #expect(SignedStream(envelope.base64EncodedString() + "--00").owner == ann.owner)
        #expect(SignedStream("anything").owner == "anything")
    }

    @Test("The order source's order says who the user is, unless that was said since the tap")
    func orderLogsIn() {
        let cases: [(meanwhile: PurchaseEvent, session: SignedStream?)] = [
            (.woke, ann), (.loggedIn(ann), ann), (.loggedIn(bob), bob), (.loggedOut, nil),
            (.orderFailed(product: "pro.annual", .offline), nil),
        ]
        for (meanwhile, session) in cases {
            var driver = Driver()
            _ = driver.send(.tapped(product: "pro.annual", order: nil, ticket: Ticket(number: 1)))
            _ = driver.send(meanwhile)
            _ = driver.send(.ordered(product: "pro.annual", Fixture.order()))
            #expect(driver.machine.session == session, "\(meanwhile)")
        }
    }

    @Test("Restored after the server's answer, which the store may not have heard of: a claim of its own")
    func restoredBeforeFinished() {
        let version = Fixture.transaction().version
        for user in [ann, bob] {
            var driver = Driver()
            driver.buy()
            _ = driver.send(.answered(version, .committed(Fixture.commit)))
            _ = driver.send(.loggedIn(user))
            #expect(driver.send(.restored(Fixture.transaction(), ticket: Ticket(number: 2))).posts == [version])
            #expect(driver.memo()?.stream == user)
            #expect(driver.send(.answered(version, .ownedByOther)).replies == [.success(.ownedByOther)])
        }
    }

    @Test("Whoever pays and gets another user's purchase from the store hears whose it is, whatever becomes of it")
    func boughtOfAnother() {
        let cases: [(answer: PostAnswer, owners: PurchaseOutcome)] = [
            (.committed(Fixture.commit), .granted(Fixture.grant)), (.unreachable, .kept(.offline)),
            (.refused(code: "bad_signature"), .kept(.refused)),
        ]
        for (answer, outcome) in cases {
            for user in ["ann", "bob"] {
                var driver = Driver.placed()
                driver.buy(order: Fixture.order(of: user, number: 2))
                #expect(driver.memo()?.owner == ann.owner, "the token's")
                let replies = driver.send(.answered(Fixture.transaction().version, answer)).replies
                #expect(replies == [.success(user == "ann" ? outcome : .ownedByOther)])
            }
        }
    }

    @Test("Logged out with an unposted purchase: held for its owner, whoever logs in next")
    func logOut() {
        var driver = Driver()
        driver.buy()
        let version = Fixture.transaction().version
        _ = driver.send(.answered(version, .unreachable))
        _ = driver.send(.loggedOut)
        #expect(driver.memo()?.condition == .loggedOut)
        #expect(driver.send(.loggedIn(bob), after: 60).posts.isEmpty)
        #expect(driver.send(.resumed, after: 600).posts.isEmpty)
        #expect(driver.send(.loggedIn(ann)).posts == [version])
    }

    @Test("A held purchase stays held over a restart")
    func logOutAndRestart() {
        var driver = Driver()
        driver.buy()
        _ = driver.send(.answered(Fixture.transaction().version, .unreachable))
        _ = driver.send(.loggedOut)
        _ = driver.restart()
        #expect(driver.send(.swept([Fixture.transaction()])).posts.isEmpty)
        #expect(driver.send(.arrived(Fixture.transaction(signing: 3))).posts.isEmpty)
        #expect(driver.send(.loggedIn(bob)).posts.isEmpty)
        #expect(driver.send(.loggedIn(ann), after: 5).posts.count == 1)
    }

    @Test("What named nobody stays its user's over a restart, and is forgotten once the store has finished it")
    func tokenlessAndRestart() {
        var driver = Driver()
        let transaction = Fixture.transaction(token: nil)
        _ = driver.send(.loggedIn(ann))
        _ = driver.send(.arrived(transaction))
        for answer in [PostAnswer.unreachable, .committed(Fixture.commit)] {
            _ = driver.send(.answered(transaction.version, answer))
            // The process may die before the store has finished it.
            _ = driver.restart()
            _ = driver.send(.loggedIn(bob))
            #expect(driver.send(.swept([transaction])).posts == [transaction.version])
            #expect(driver.memo()?.stream == ann)
        }
        _ = driver.send(.answered(transaction.version, .committed(Fixture.commit)))
        #expect(driver.send(.swept([])).book?.memos.isEmpty == true)
    }

    @Test("With an order's token in the transaction no log-in is needed")
    func tokenIsEnough() {
        var driver = Driver.placed()
        _ = driver.send(.loggedIn(bob))
        _ = driver.send(.arrived(Fixture.transaction()))
        #expect(driver.memo()?.stream == ann, "Ann's purchase is posted for Ann, though Bob is logged in")
    }

    @Test("Bought elsewhere, where several users buy on this device: only a restore tells whose it is")
    func boughtElsewhere() {
        var driver = Driver.placed()
        _ = driver.send(.loggedIn(bob))
        let elsewhere = Fixture.transaction(token: Fixture.token(9))
        _ = driver.send(.arrived(elsewhere))
        #expect(driver.memo()?.condition == .unknownOwner)
        _ = driver.send(.loggedOut)
        let later = Fixture.transaction(2, token: Fixture.token(8))
        _ = driver.send(.arrived(later))
        #expect(driver.memo(2)?.condition == .needsStream)
        #expect(driver.send(.loggedIn(bob)).posts.isEmpty)
        #expect(driver.send(.restored(elsewhere, ticket: Ticket(number: 1))).posts == [elsewhere.version])
    }

    @Test("Bought elsewhere, where one user buys: it is that user's")
    func newPhone() {
        var driver = Driver()
        _ = driver.send(.loggedIn(ann))
        let elsewhere = Fixture.transaction(token: Fixture.token(9))
        _ = driver.send(.arrived(elsewhere))
        #expect(driver.memo()?.stream == ann)
    }

    @Test("An offer code without a token waits for the first who logs in")
    func offerCode() {
        var driver = Driver()
        let transaction = Fixture.transaction(token: nil)
        _ = driver.send(.arrived(transaction))
        #expect(driver.memo()?.condition == .needsStream)
        #expect(driver.send(.loggedIn(ann)).posts == [transaction.version] && driver.memo()?.owner == ann.owner)
    }

    @Test("A purchase without a token names the order it was begun with")
    func tokenless() {
        var driver = Driver()
        driver.buy(Fixture.transaction(token: nil))
        #expect(driver.memo()?.order == Fixture.order().token)
    }

    @Test("A restore stays the claim of whoever began it, and waits for them after their log-out")
    func restoreOfAnother() {
        let transaction = Fixture.transaction(token: nil)
        let cases: [(since: [PurchaseEvent], condition: Memo.Condition)] = [
            ([.loggedIn(bob)], .waiting), ([.loggedOut], .loggedOut),
            ([.loggedOut, .arrived(transaction)], .loggedOut),
        ]
        for (since, condition) in cases {
            var driver = Driver()
            for event in [.loggedIn(ann)] + since { _ = driver.send(event) }
            _ = driver.send(.restored(transaction, for: ann, ticket: Ticket(number: 1)))
            #expect(driver.memo()?.owner == ann.owner && driver.memo()?.condition == condition)
        }
    }

    @Test("The page in front says who is meant, unless the app has said it, or that nobody is")
    func pageAppears() {
        let cases: [(before: [PurchaseEvent], session: SignedStream?)] = [
            ([], ann), ([.loggedIn(Fixture.stream(of: "ann", signing: 0))], ann), ([.loggedIn(bob)], bob),
            ([.loggedOut], nil), ([.loggedIn(ann), .loggedOut], nil), ([.pageAppeared(bob)], ann),
            ([.pageActed(bob)], ann), ([.pageAppeared(bob), .loggedIn(bob)], bob),
            ([.loggedIn(bob), .pageAppeared(bob)], bob), ([.loggedIn(ann), .pageActed(bob)], ann),
        ]
        for (before, session) in cases {
            var driver = Driver()
            for event in before { _ = driver.send(event) }
            _ = driver.send(.pageAppeared(ann))
            #expect(driver.machine.session == session, "\(before)")
        }
    }

    @Test("What a guest has paid for is posted, though the guest has signed up since")
    func signedUp() {
        var driver = Driver()
        driver.buy()
        _ = driver.send(.answered(Fixture.transaction().version, .unreachable))
        _ = driver.send(.pageAppeared(bob))
        #expect(driver.machine.session == bob && driver.send(.woke, after: 1).posts.count == 1)
        #expect(driver.memo()?.stream == ann)
    }

    @Test("A restore is the claim of the user who is logged in")
    func restore() {
        var driver = Driver.placed()
        _ = driver.send(.loggedIn(bob))
        _ = driver.send(.restored(Fixture.transaction(), ticket: Ticket(number: 1)))
        #expect(driver.memo()?.stream == bob)
        let answer = driver.send(.answered(Fixture.transaction().version, .ownedByOther))
        #expect(answer.replies == [.success(.ownedByOther)])
    }
}
