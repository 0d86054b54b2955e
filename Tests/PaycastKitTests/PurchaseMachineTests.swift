import Foundation
import Testing

@testable import PaycastKit

/// The purchase's states, row by row.
@Suite("The states of a purchase")
struct PurchaseMachineTests {
    private let product = "pro.annual"
    private let ticket = Ticket(number: 1)

    @Test("Offline there is no order, so nothing is bought")
    func offline() {
        var driver = Driver()
        _ = driver.send(.tapped(product: product, order: nil, ticket: ticket))
        let actions = driver.send(.ordered(product: product, .failure(.offline)))
        #expect(actions == [.reply(ticket, .failure(.offline))])
        #expect(driver.send(.tapped(product: product, order: nil, ticket: ticket)) == [.order(product: product)])
    }

    @Test("A tap without an order asks for one, which is on disk before the store's sheet is up")
    func ordered() {
        var driver = Driver()
        let order = Fixture.order()
        #expect(driver.send(.tapped(product: product, order: nil, ticket: ticket)) == [.order(product: product)])
        let actions = driver.send(.ordered(product: product, .success(order)))
        let bought = PurchaseAction.purchase(product: product, order)
        #expect(actions == [.save(driver.machine.book), .switchUser(order.stream), bought])
        #expect(actions.book?.orders == [PlacedOrder(order: order, product: product, placedAt: driver.now)])
    }

    @Test("A second tap buys nothing twice; both get the one answer")
    func doubleTap() {
        var driver = Driver()
        _ = driver.send(.tapped(product: product, order: Fixture.order(), ticket: ticket))
        #expect(driver.send(.tapped(product: product, order: Fixture.order(), ticket: Ticket(number: 2))).isEmpty)
        let actions = driver.send(.storeAnswered(product: product, .cancelled))
        #expect(actions.replies == [.success(.cancelled), .success(.cancelled)])
    }

    @Test("Cancelled, failed and forged purchases end the attempt")
    func ends() {
        let cases: [(PurchaseEvent, Result<PurchaseOutcome, PurchaseError>)] = [
            (.storeAnswered(product: product, .cancelled), .success(.cancelled)),
            (.storeFailed(product: product, .store("no")), .failure(.store("no"))),
            (.storeAnswered(product: product, .unverified), .failure(.unverified)),
        ]
        for (event, result) in cases {
            var driver = Driver()
            _ = driver.send(.tapped(product: product, order: Fixture.order(), ticket: ticket))
            let actions = driver.send(event)
            #expect(actions.replies == [result])
            #expect(actions.finishes.isEmpty && actions.posts.isEmpty && driver.machine.attempts.isEmpty)
        }
    }

    @Test(
        "A call to the store that never returns is answered by the transaction with its token, and blocks no later tap"
    )
    func neverReturns() {
        var driver = Driver()
        _ = driver.send(.tapped(product: product, order: Fixture.order(), ticket: ticket))
        _ = driver.send(.arrived(Fixture.transaction(9, token: Fixture.token(9))))
        #expect(driver.machine.attempts.count == 1, "another purchase's token")
        #expect(driver.send(.arrived(Fixture.transaction())).replies.isEmpty && driver.machine.attempts.isEmpty)
        let actions = driver.send(.answered(Fixture.transaction().version, .committed(Fixture.commit)))
        #expect(actions.replies == [.success(.granted(Fixture.grant))])

        let next = Fixture.order(number: 2)
        let tap = driver.send(.tapped(product: product, order: next, ticket: Ticket(number: 2)))
        #expect(tap.contains(.purchase(product: product, next)))
        let late: [PurchaseEvent] = [
            .storeAnswered(product: product, token: Fixture.token(1), .cancelled),
            .storeAnswered(product: product, token: Fixture.token(1), .bought(Fixture.transaction())),
            .storeFailed(product: product, token: Fixture.token(1), .store("late")),
        ]
        for event in late { #expect(driver.send(event).replies.isEmpty) }
        #expect(driver.send(.storeAnswered(product: product, token: next.token, .cancelled)).replies.count == 1)
    }

    @Test("A sheet that never answers: a tap after a minute begins again, for whoever waits, and no page calls it busy")
    func stuck() {
        var driver = Driver()
        _ = driver.send(.tapped(product: product, order: Fixture.order(), ticket: ticket))
        let next = Fixture.order(number: 2)
        #expect(driver.send(.tapped(product: product, order: next, ticket: Ticket(number: 2)), after: 59).isEmpty)
        #expect(driver.open(of: "ann").map(\.status) == [.buying])
        #expect(driver.machine.openPurchases(at: driver.now + 1).isEmpty)
        let again = driver.send(.tapped(product: product, order: next, ticket: Ticket(number: 3)), after: 1)
        #expect(again.contains(.purchase(product: product, next)))
        #expect(driver.send(.storeAnswered(product: product, token: Fixture.token(1), .cancelled)).replies.isEmpty)
        #expect(driver.send(.storeAnswered(product: product, token: next.token, .cancelled)).replies.count == 3)
    }

    @Test("An order without a stream: kept, said at once and reported, unless an order source can renew it")
    func noStream() {
        for canRenew in [false, true] {
            var driver = Driver(machine: PurchaseMachine(canRenew: canRenew))
            let order = Order(token: Fixture.token(1))
            _ = driver.send(.tapped(product: product, order: order, ticket: ticket))
            var actions = driver.send(.storeAnswered(product: product, .bought(Fixture.transaction())))
            #expect(actions.problems == (canRenew ? [] : [.needsStream(transaction: 1, code: "no_stream")]))
            if canRenew {
                #expect(actions.replies.isEmpty)
                actions = driver.send(.renewed(nil, isUnreached: true))
            }
            #expect(actions.replies == [.success(canRenew ? .kept(.offline) : .loggedOut)])
            #expect(driver.send(.loggedIn(Fixture.stream(of: "ann"))).posts.count == 1)
        }
    }

    @Test("Ask to Buy: pending is said, remembered, and no timer runs")
    func pending() {
        var driver = Driver()
        _ = driver.send(.tapped(product: product, order: Fixture.order(), ticket: ticket))
        #expect(driver.send(.storeAnswered(product: product, .pending)).replies == [.success(.pending)])
        #expect(driver.machine.book.pending(at: driver.now).map(\.product) == [product])
        #expect(driver.machine.nextWake(after: driver.now) == nil)
    }

    @Test("Approved after a restart: the token in the transaction finds the order's stream")
    func approvedAfterRestart() {
        var driver = Driver()
        _ = driver.send(.tapped(product: product, order: Fixture.order(), ticket: ticket))
        _ = driver.send(.storeAnswered(product: product, .pending))
        _ = driver.restart()
        let actions = driver.send(.arrived(Fixture.transaction()))
        #expect(actions.posts == [Fixture.transaction().version])
        #expect(driver.memo()?.stream == Fixture.order().stream)
        #expect(driver.machine.book.pending(at: driver.now).isEmpty)
    }

    @Test("Declined: the store says nothing, and after three days a page stops to speak of it")
    func declined() {
        var driver = Driver()
        _ = driver.send(.tapped(product: product, order: Fixture.order(), ticket: ticket))
        _ = driver.send(.storeAnswered(product: product, .pending))
        #expect(driver.machine.book.pending(at: driver.now + 4 * 86_400).isEmpty)
    }

    @Test("Posted at once; that the user tapped for it, and whose it is without a token, is on disk first")
    func bought() {
        var driver = Driver()
        driver.buy()
        #expect(driver.machine.book.memos[1]?.asked == true)
        let actions = driver.send(.arrived(Fixture.transaction(2, token: nil)))
        #expect(actions.first == .save(driver.machine.book) && actions.count == 2 && actions.asks == [nil])
        #expect(driver.machine.book.memos[2]?.stream == Fixture.order().stream)
        _ = driver.send(.arrived(Fixture.transaction(3)))
        #expect(driver.machine.book.memos[3] == nil)
    }

    @Test("The same version twice is one delivery; a newer one takes its place")
    func deduplicates() {
        var driver = Driver()
        driver.buy()
        #expect(driver.send(.arrived(Fixture.transaction())).isEmpty)
        _ = driver.send(.answered(Fixture.transaction().version, .unreachable))
        let newer = driver.send(.arrived(Fixture.transaction(signing: 5)))
        #expect(
            driver.machine.deliveries.values.map(\.version.signedAt) == [
                Fixture.transaction(signing: 5).version.signedAt
            ]
        )
        #expect(newer.posts.isEmpty, "a new signature is no way around the back-off")
    }

    @Test("A cancellation signs no transaction anew, but its renewal info: it is posted too")
    func cancelledLater() {
        var driver = Driver()
        driver.buy()
        _ = driver.send(.answered(Fixture.transaction().version, .committed(Fixture.commit)))
        var cancelled = Fixture.transaction(signing: 60)
        cancelled.renewalInfo = "header.renewal.signature"
        let actions = driver.send(.arrived(cancelled))
        #expect(
            actions.posts == [cancelled.version] && actions.asks == [nil],
            "a tap was for the purchase, not for this"
        )
        #expect(driver.stream() == Fixture.order().stream)
    }

    @Test(
        "A signing is compared with a signing, and a renewal info with a renewal info: an old one of either hides no news"
    )
    func likeWithLike() {
        var refund = Fixture.transaction(signing: 20)
        refund.isRevoked = true
        var status = Fixture.transaction(signing: 5)
        (status.renewalInfo, status.renewalInfoSignedDate) = ("info", Fixture.start + 60)
        for events in [[status, refund], [refund, status]] {
            for isAnswered in [false, true] {
                var driver = Driver()
                driver.buy()
                var posts: [TransactionVersion] = []
                for transaction in events {
                    if isAnswered, let post = driver.machine.deliveries[1]?.post {
                        _ = driver.send(.answered(post.version, .committed(Fixture.commit)))
                    }
                    posts += driver.send(.arrived(transaction)).posts
                }
                while let post = driver.machine.deliveries[1]?.post {
                    posts += driver.send(.answered(post.version, .committed(Fixture.commit))).posts
                }
                #expect(posts.contains { $0.signedAt == refund.version.signedAt }, "the refund")
                #expect(posts.contains { $0.renewalAt == status.version.renewalAt }, "the renewal info")
                #expect(driver.send(.arrived(status)).posts.isEmpty && driver.send(.arrived(refund)).posts.isEmpty)
            }
        }
    }

    @Test("200: finished")
    func committed() {
        var driver = Driver()
        driver.buy()
        let version = Fixture.transaction().version
        let actions = driver.send(.answered(version, .committed(Fixture.commit)))
        #expect(actions.finishes == [1] && driver.machine.deliveries.isEmpty)
        #expect(actions.replies == [.success(.granted(Fixture.grant))])
        #expect(actions.contains(.refreshEntitlements))
    }

    @Test(
        "Listed again, by the Sandbox or because the call to finish it never returned: finished again, not posted again"
    )
    func listedAgain() {
        var driver = Driver()
        driver.buy()
        _ = driver.send(.answered(Fixture.transaction().version, .committed(Fixture.commit)))
        for event in [.arrived(Fixture.transaction()), .swept([Fixture.transaction()])] as [PurchaseEvent] {
            let actions = driver.send(event)
            #expect(actions.finishes == [1] && actions.posts.isEmpty)
        }
    }

    @Test("409: finished, and the user is told")
    func ownedByOther() {
        var driver = Driver()
        driver.buy()
        let actions = driver.send(.answered(Fixture.transaction().version, .ownedByOther))
        #expect(actions.finishes == [1] && actions.replies == [.success(.ownedByOther)])
        #expect(actions.problems == [.ownedByOther(transaction: 1)])
    }

    @Test("Success is said only of what was granted", arguments: ["quarantined", "unclaimed"])
    func recorded(outcome: String) {
        var driver = Driver()
        driver.buy()
        let commit = Commit(outcome: outcome, event: "client:1", claim: "yours")
        let actions = driver.send(.answered(Fixture.transaction().version, .committed(commit)))
        #expect(actions.finishes == [1] && actions.replies == [.success(.recorded(outcome: outcome))])
    }

    @Test("A webhook that came first takes nothing from the buyer", arguments: ["duplicate", "stale", "ignored"])
    func webhookCameFirst(outcome: String) {
        var driver = Driver()
        driver.buy()
        let commit = Commit(outcome: outcome, event: "client:1", claim: "yours")
        let actions = driver.send(.answered(Fixture.transaction().version, .committed(commit)))
        let grant = Grant(product: Fixture.transaction().product, outcome: outcome)
        #expect(actions.finishes == [1] && actions.replies == [.success(.granted(grant))])
    }

    @Test(
        "400: never finished, kept, reported, and tried again by the next process, since the server may have been mended"
    )
    func refused() {
        var driver = Driver()
        driver.buy()
        let actions = driver.send(.answered(Fixture.transaction().version, .refused(code: "bad_signature")))
        #expect(actions.finishes.isEmpty && driver.machine.book.memos.count == 1)
        #expect(actions.problems == [.refused(transaction: 1, code: "bad_signature")])
        #expect(actions.replies == [.success(.refused)])
        #expect(driver.send(.resumed, after: 86_400).posts.isEmpty)
        #expect(driver.send(.swept([Fixture.transaction()])).posts.isEmpty)
        _ = driver.restart()
        #expect(driver.send(.swept([Fixture.transaction()])).asks == [true], "it is still the tap's")
    }

    @Test("A refused transaction that the store signs anew is posted anew")
    func signedAnew() {
        var driver = Driver()
        driver.buy()
        _ = driver.send(.answered(Fixture.transaction().version, .refused(code: "untrusted_chain")))
        let newer = Fixture.transaction(signing: 9)
        #expect(driver.send(.arrived(newer)).posts == [newer.version])
        #expect(driver.send(.answered(newer.version, .committed(Fixture.commit))).finishes == [1])
    }

    @Test("One UUID for all that a user buys: each product waits for its own approval")
    func oneToken() {
        var driver = Driver()
        for (number, product) in ["pro.annual", "coins"].enumerated() {
            _ = driver.send(.tapped(product: product, order: Fixture.order(), ticket: Ticket(number: number)))
            _ = driver.send(.storeAnswered(product: product, .pending))
        }
        #expect(driver.open(of: "ann").map(\.product) == ["coins", "pro.annual"])
        _ = driver.send(.arrived(Fixture.transaction(product: "coins")))
        #expect(driver.open(of: "ann").map(\.status) == [.kept, .pending])
        #expect(driver.restart().isEmpty == false && driver.open(of: "ann").map(\.product) == ["pro.annual"])
    }

    @Test("What the store account had before is told as that, and nobody has tapped for it to move")
    func ownedBefore() {
        let cases: [(bought: SignedTransaction, isListed: Bool, outcome: PurchaseOutcome)] = [
            (Fixture.transaction(), false, .granted(Fixture.grant)),
            (Fixture.transaction(), true, .alreadyOwned),
            (Fixture.transaction(token: Fixture.token(9)), false, .alreadyOwned),
            (Fixture.transaction(product: "pro.monthly"), true, .changesAtRenewal),
        ]
        for (bought, isListed, outcome) in cases {
            for claim in ["yours", "others"] {
                var driver = Driver()
                _ = driver.send(.tapped(product: product, order: Fixture.order(), ticket: ticket))
                let answer = isListed ? StoreOutcome.owned(bought) : .bought(bought)
                let isAsked: Bool? = outcome == .granted(Fixture.grant) ? true : nil
                #expect(driver.send(.storeAnswered(product: product, answer)).asks == [isAsked])
                let commit = Commit(outcome: "duplicate", event: "client:1", claim: claim)
                let told = driver.send(.answered(bought.version, .committed(commit))).replies.first
                if claim == "others" {
                    #expect(told == .success(.ownedByOther))
                } else if case .granted = outcome {
                    #expect(told == .success(.granted(Grant(product: product, outcome: "duplicate"))))
                } else {
                    #expect(told == .success(outcome))
                }
            }
        }
    }

    @Test("An old version's 200 finishes nothing while a newer one is unanswered")
    func olderAnswer() {
        var driver = Driver()
        driver.buy()
        _ = driver.send(.arrived(Fixture.transaction(signing: 9)))
        let actions = driver.send(.answered(Fixture.transaction().version, .committed(Fixture.commit)))
        #expect(actions.finishes.isEmpty)
        #expect(actions.posts == [Fixture.transaction(signing: 9).version])
        let newest = driver.send(.answered(Fixture.transaction(signing: 9).version, .committed(Fixture.commit)))
        #expect(newest.finishes == [1])
    }

    @Test("Refunded while running: access is dropped at once, the transaction is posted, then finished")
    func revoked() {
        var driver = Driver()
        _ = driver.send(.loggedIn(Fixture.stream(of: "ann")))
        var transaction = Fixture.transaction(token: nil)
        transaction.isRevoked = true
        let actions = driver.send(.arrived(transaction))
        #expect(actions.contains(.withdraw(transaction)))
        #expect(actions.posts == [transaction.version])
        #expect(actions.finishes.isEmpty)
    }

    @Test("An upgraded transaction is posted and finished like any other")
    func upgraded() {
        var driver = Driver()
        _ = driver.send(.loggedIn(Fixture.stream(of: "ann")))
        var transaction = Fixture.transaction(token: nil)
        transaction.isUpgraded = true
        #expect(driver.send(.arrived(transaction)).posts == [transaction.version])
        #expect(driver.send(.answered(transaction.version, .committed(Fixture.commit))).finishes == [1])
    }
}
