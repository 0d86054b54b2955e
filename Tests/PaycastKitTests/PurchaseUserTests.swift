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
        #expect(SignedStream(rawValue: envelope.base64EncodedString() + "--00").owner == ann.owner)
        #expect(SignedStream("anything").owner == "anything")
    }

    @Test("The order source's order says who the user is, unless that was said since the tap")
    func orderLogsIn() {
        let cases: [(meanwhile: PurchaseEvent, session: SignedStream?)] = [
            (.woke, ann), (.loggedIn(ann), ann), (.loggedIn(bob), bob), (.loggedOut, nil),
            (.ordered(product: "pro.annual", .failure(.offline)), nil),
        ]
        for (meanwhile, session) in cases {
            var driver = Driver()
            _ = driver.send(.tapped(product: "pro.annual", order: nil, ticket: Ticket(number: 1)))
            _ = driver.send(meanwhile)
            _ = driver.send(.ordered(product: "pro.annual", .success(Fixture.order())))
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
            let actions = driver.send(.restored(Fixture.transaction(), ticket: Ticket(number: 2)))
            #expect(actions.posts == [version] && actions.asks == [true] && driver.stream() == user)
            #expect(driver.send(.answered(version, .ownedByOther)).replies == [.success(.ownedByOther)])
        }
    }

    @Test("Whoever pays and gets another user's purchase from the store hears whose it is, whatever becomes of it")
    func boughtOfAnother() {
        let cases: [(answer: PostAnswer, owners: PurchaseOutcome)] = [
            (.committed(Fixture.commit), .alreadyOwned), (.unreachable, .kept(.offline)),
            (.refused(code: "bad_signature"), .refused),
        ]
        for (answer, outcome) in cases {
            for user in ["ann", "bob"] {
                var driver = Driver.placed()
                driver.buy(order: Fixture.order(of: user, number: 2))
                #expect(driver.stream() == ann && driver.memo()?.asked == nil, "the token's")
                let replies = driver.send(.answered(Fixture.transaction().version, answer)).replies
                #expect(replies == [.success(user == "ann" ? outcome : .ownedByOther)])
            }
        }
    }

    @Test("Logged out with an unposted purchase: posted for its user all the same, whoever logs in next")
    func logOut() {
        for next in [nil, bob] {
            var driver = Driver()
            driver.buy()
            _ = driver.send(.answered(Fixture.transaction().version, .unreachable))
            _ = driver.send(.loggedOut)
            if let next { _ = driver.send(.loggedIn(next)) }
            #expect(driver.send(.woke, after: 60).posts.count == 1 && driver.stream() == ann)
            let answer = driver.send(.answered(Fixture.transaction().version, .committed(Fixture.commit)))
            #expect(answer.finishes == [1] && answer.problems.isEmpty)
        }
    }

    @Test("What named nobody stays its user's over a restart, and is forgotten once the server has it")
    func tokenlessAndRestart() {
        var driver = Driver()
        let transaction = Fixture.transaction(token: nil)
        for event in [.loggedIn(ann), .arrived(transaction)] as [PurchaseEvent] { _ = driver.send(event) }
        _ = driver.send(.answered(transaction.version, .unreachable))
        _ = driver.restart()
        _ = driver.send(.loggedIn(bob))
        #expect(driver.send(.swept([transaction])).posts == [transaction.version] && driver.stream() == ann)
        let answer = driver.send(.answered(transaction.version, .committed(Fixture.commit)))
        #expect(answer.book?.memos.isEmpty == true)
        // The process may die before the store has finished it: the server knows by then whose it is.
        _ = driver.restart()
        _ = driver.send(.loggedIn(bob))
        #expect(driver.send(.swept([transaction])).asks == [nil])
    }

    @Test("With an order's token in the transaction no log-in is needed")
    func tokenIsEnough() {
        var driver = Driver.placed()
        _ = driver.send(.loggedIn(bob))
        _ = driver.send(.arrived(Fixture.transaction()))
        #expect(driver.stream() == ann, "Ann's purchase is posted for Ann, though Bob is logged in")
    }

    @Test("Bought elsewhere: posted with whatever stream there is, without a tap, and the server decides")
    func boughtElsewhere() {
        let elsewhere = Fixture.transaction(token: Fixture.token(9))
        for book in [Driver(), Driver.placed()] {
            for claim in ["yours", "others", "nobody"] {
                var driver = book
                _ = driver.send(.loggedIn(bob))
                let actions = driver.send(.arrived(elsewhere))
                #expect(actions.posts == [elsewhere.version] && actions.asks == [nil] && driver.stream() == bob)
                #expect(driver.open(of: "bob").isEmpty, "nobody has begun it here")
                let commit = Commit(outcome: "applied", event: "client:1", claim: claim)
                let answer = driver.send(.answered(elsewhere.version, .committed(commit)))
                #expect(answer.finishes == [1] && answer.problems.isEmpty)
            }
        }
    }

    @Test("While nobody is logged in it waits, and a restore of somebody asks")
    func signedOut() {
        let elsewhere = Fixture.transaction(token: Fixture.token(9))
        var driver = Driver()
        #expect(driver.send(.arrived(elsewhere)).posts.isEmpty)
        #expect(driver.send(.restored(elsewhere, ticket: Ticket(number: 1))).replies == [.success(.loggedOut)])
        #expect(driver.send(.loggedIn(bob)).asks == [nil], "nobody waits for the tap any more")
        #expect(driver.send(.restored(elsewhere, ticket: Ticket(number: 2))).asks.isEmpty, "it is under way")
        let others = Commit(outcome: "duplicate", event: "client:1", claim: "others")
        let answer = driver.send(.answered(elsewhere.version, .committed(others)))
        #expect(answer.asks == [true] && answer.finishes.isEmpty && answer.replies.isEmpty)
        let last = driver.send(.answered(elsewhere.version, .committed(Fixture.commit)))
        #expect(last.finishes == [1] && last.replies.count == 1)
    }

    @Test("A tap asks once: what the store signs of it later asks no more")
    func asksOnce() {
        var driver = Driver()
        driver.buy()
        _ = driver.send(.answered(Fixture.transaction().version, .committed(Fixture.commit)))
        _ = driver.send(.loggedIn(bob))
        let renewal = Fixture.transaction(2)
        #expect(driver.send(.arrived(Fixture.transaction(signing: 9))).asks == [nil])
        #expect(driver.send(.arrived(renewal)).asks == [nil] && driver.stream(2) == ann)
    }

    @Test("A code asks for the one transaction that it brings, for whoever has entered it")
    func redeemed() {
        let code = Fixture.transaction(5, token: nil)
        var renewal = Fixture.transaction(6, token: nil)
        renewal.originalID = 4
        let cases: [(events: [PurchaseEvent], asks: [Bool?])] = [
            ([.loggedIn(ann), .redeeming, .arrived(code)], [true]),
            ([.loggedIn(ann), .arrived(code)], [nil]),
            ([.loggedIn(ann), .redeeming, .loggedIn(bob), .arrived(code)], [nil]),
            ([.loggedIn(ann), .redeeming, .arrived(Fixture.transaction()), .arrived(code)], [nil, true]),
            ([.loggedIn(ann), .redeeming, .arrived(code), .arrived(Fixture.transaction(2, token: nil))], [true, nil]),
            ([.redeeming, .loggedIn(ann), .arrived(code)], [nil]),
            ([.loggedIn(ann), .redeeming, .redeemed, .arrived(code)], [true]),
            ([.loggedIn(bob), .redeeming, .arrived(renewal), .arrived(code)], [nil, true]),
        ]
        for (events, asks) in cases {
            var driver = Driver()
            #expect(events.flatMap { driver.send($0).asks } == asks)
        }
        let ends: [(events: [PurchaseEvent], wait: TimeInterval)] = [
            ([.loggedIn(ann), .redeeming], 600), ([.loggedIn(ann), .redeeming, .redeemed], 30),
        ]
        for (events, wait) in ends {
            var driver = Driver()
            for event in events { _ = driver.send(event) }
            #expect(driver.send(.arrived(code), after: wait).asks == [nil], "too long ago")
        }
    }

    @Test("Another user's tap while a sheet is up joins nothing of theirs, and gets none of their answers")
    func tapsOfTwo() {
        var driver = Driver()
        _ = driver.send(.tapped(product: "pro.annual", order: Fixture.order(), ticket: Ticket(number: 1)))
        let bobs = Fixture.order(of: "bob", number: 2)
        let refused = driver.send(.tapped(product: "pro.annual", order: bobs, ticket: Ticket(number: 2)), after: 1)
        #expect(refused.replies.count == 1 && refused.replies.first != .success(.cancelled))
        let later = driver.send(.tapped(product: "pro.annual", order: bobs, ticket: Ticket(number: 3)), after: 60)
        #expect(later.contains(.purchase(product: "pro.annual", bobs)))
        #expect(later.replies.count == 1, "the first one's is over")
        let bought = Fixture.transaction(token: bobs.token)
        _ = driver.send(.storeAnswered(product: "pro.annual", token: bobs.token, .bought(bought)))
        let answer = driver.send(.answered(bought.version, .committed(Fixture.commit)))
        #expect(answer.contains(.reply(Ticket(number: 3), .success(.granted(Fixture.grant)))))
        #expect(answer.replies.count == 1)
    }

    @Test("What is bought is for who has tapped, though another logs in meanwhile and the order names nobody")
    func tapBeforeAnotherLogIn() {
        var driver = Driver()
        _ = driver.send(.loggedIn(ann))
        let order = Order(token: Fixture.token(1))
        _ = driver.send(.tapped(product: "pro.annual", order: order, ticket: Ticket(number: 1)))
        _ = driver.send(.loggedIn(bob))
        let actions = driver.send(.storeAnswered(product: "pro.annual", .bought(Fixture.transaction())))
        #expect(actions.asks == [true] && driver.stream() == ann)
    }

    @Test("A tap joins no purchase that began for nobody that is known")
    func tapAfterNobodys() {
        var driver = Driver()
        driver.machine.renewal.isPossible = true
        _ = driver.send(.tapped(product: "pro.annual", order: nil, ticket: Ticket(number: 1)))
        _ = driver.send(.loggedIn(bob))
        let tap = driver.send(.tapped(product: "pro.annual", order: nil, ticket: Ticket(number: 2)))
        #expect(tap.replies.count == 1)
        _ = driver.send(.ordered(product: "pro.annual", .success(Fixture.order())))
        _ = driver.send(.storeAnswered(product: "pro.annual", .bought(Fixture.transaction())))
        let answer = driver.send(.answered(Fixture.transaction().version, .committed(Fixture.commit)))
        #expect(answer.contains(.reply(Ticket(number: 1), .success(.granted(Fixture.grant)))))
        #expect(answer.replies.count == 1)
    }

    @Test("An offer code without a token waits for the first who logs in")
    func offerCode() {
        var driver = Driver()
        let transaction = Fixture.transaction(token: nil)
        _ = driver.send(.arrived(transaction))
        let actions = driver.send(.loggedIn(ann))
        #expect(actions.posts == [transaction.version] && actions.asks == [nil] && driver.memo()?.stream == ann)
    }

    @Test("A purchase without a token names the order it was begun with")
    func tokenless() {
        var driver = Driver()
        driver.buy(Fixture.transaction(token: nil))
        #expect(driver.memo()?.order == Fixture.order().token)
    }

    @Test("A restore stays the claim of whoever began it, whoever logs in or out since")
    func restoreOfAnother() {
        let transaction = Fixture.transaction(token: nil)
        let cases: [[PurchaseEvent]] = [[.loggedIn(bob)], [.loggedOut], [.loggedOut, .arrived(transaction)]]
        for since in cases {
            var driver = Driver()
            for event in [.loggedIn(ann)] + since { _ = driver.send(event) }
            let actions = driver.send(.restored(transaction, for: ann, ticket: Ticket(number: 1)))
            #expect(actions.posts == [transaction.version] && actions.asks == [true] && driver.stream() == ann)
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
        #expect(driver.stream() == ann)
    }

    @Test("A restore is the claim of the user who is logged in")
    func restore() {
        var driver = Driver.placed()
        _ = driver.send(.loggedIn(bob))
        _ = driver.send(.restored(Fixture.transaction(), ticket: Ticket(number: 1)))
        #expect(driver.stream() == bob)
        let answer = driver.send(.answered(Fixture.transaction().version, .ownedByOther))
        #expect(answer.replies == [.success(.ownedByOther)])
    }
}
