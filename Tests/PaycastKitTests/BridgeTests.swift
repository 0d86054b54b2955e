import Foundation
import Testing

@testable import PaycastKit

@Suite("Messages of pages")
struct BridgeTests {
    private let app = App()

    private func ask(_ purchases: Purchases, _ event: String, _ json: String) async -> String {
        String(decoding: await purchases.handle(event, json: Data(json.utf8)), as: UTF8.self)
    }

    @Test("prices: the store's own; a product that it does not know hides no other")
    func prices() async {
        let purchases = app.launch()
        defer { purchases.stop() }
        let message = #"{"products":[{"product":"pro.annual","googleStoreProductId":"g"},{"product":"gone"}]}"#
        let terms = #""terms":{"pro.annual":{"displayPrice":"€ 79,99","id":"pro.annual","name":"Pro"}}"#
        #expect(
            await ask(purchases, "prices", message)
                == #"{"missing":["gone"],"prices":{"pro.annual":"€ 79,99"},\#(terms)}"#
        )
        await app.store.goOffline()
        #expect(await ask(purchases, "prices", message) == #"{"error":"store_failed","status":"error"}"#)
    }

    @Test("prices: the terms beside them, as far as the store tells any")
    func terms() async {
        let purchases = app.launch()
        defer { purchases.stop() }
        let introductory =
            #"{"displayPrice":"$0.00","isEligible":true,"payment":"free_trial","period":"P7D","periodCount":1,"price":0}"#
        #expect(
            await ask(purchases, "prices", #"{"products":[{"product":"pro.trial"}]}"#)
                == #"{"missing":[],"prices":{"pro.trial":"$79.99"},"terms":{"pro.trial":{"currency":"USD","#
                + #""displayPrice":"$79.99","id":"pro.trial","introductory":\#(introductory),"name":"Pro","#
                + #""period":"P1Y","price":79.99}}}"#
        )
    }

    @Test("appTransaction: the store account, with the signature that proves it to the app's backend")
    func appTransaction() async {
        let purchases = app.launch()
        defer { purchases.stop() }
        #expect(
            await ask(purchases, "appTransaction", "")
                == #"{"appTransactionId":"704912345678901234","signedAppTransaction":"header.download.signature"}"#
        )
        await app.store.goOffline()
        #expect(await ask(purchases, "appTransaction", "") == #"{"error":"offline","status":"error"}"#)
    }

    @Test("purchase: the outcomes, in the words of the page's script")
    func outcomes() {
        let outcomes: [(PurchaseOutcome, String)] = [
            (.granted(Fixture.grant), "granted"), (.pending, "pending"), (.cancelled, "cancelled"),
            (.kept(.offline), "kept"), (.recorded(outcome: "unclaimed"), "recorded"), (.ownedByOther, "owned_by_other"),
        ]
        for (outcome, status) in outcomes { #expect(PurchaseReply(outcome).status == status) }
    }

    @Test("purchase: with the offer that the page names")
    func offer() async {
        let purchases = app.launch()
        defer { purchases.stop() }
        let message = #"{"product":"pro.annual","order":"\#(Fixture.token(1))","offer":"back"}"#
        #expect(await ask(purchases, "purchase", message) == #"{"status":"cancelled"}"#)
        #expect(await app.store.offers == [.named(id: "back")])
        await app.store.fail(.notEligible)
        #expect(await ask(purchases, "purchase", message) == #"{"error":"not_eligible","status":"error"}"#)
    }

    @Test("purchase: of a consumable, that it is delivered, since nothing on the page need change with it")
    func delivered() async {
        let purchases = app.launch()
        defer { purchases.stop() }
        await app.server.answer("entitlements", nil)
        let stream = Fixture.stream(of: "ann").text
        for (product, status) in [("coins", "delivered"), ("pro.annual", "granted")] {
            let number = product == "coins" ? 1 : 2
            let token = Fixture.token(number)
            var transaction = Fixture.transaction(UInt64(number), product: product, token: token)
            transaction.productType = product == "coins" ? .consumable : .autoRenewable
            await app.store.answer(.bought(transaction))
            let message = #"{"product":"\#(product)","order":"\#(token)","stream":"\#(stream)"}"#
            #expect(await ask(purchases, "purchase", message) == #"{"status":"\#(status)"}"#)
        }
    }

    @Test("purchase, state and restore over one bought product")
    func story() async {
        let purchases = app.launch()
        defer { purchases.stop() }
        let stream = Fixture.stream(of: "ann").text
        await app.server.answer("transactions/apple", nil)
        await app.store.answer(.bought(Fixture.transaction()))
        let message = #"{"product":"pro.annual","order":"\#(Fixture.token(1))","stream":"\#(stream)"}"#
        #expect(await ask(purchases, "purchase", message) == #"{"reason":"offline","status":"kept"}"#)
        let state = await ask(purchases, "state", "")
        #expect(state.contains(#""kept":1"#))
        #expect(state.contains(#""purchases":[{"productId":"pro.annual","status":"kept"}]"#))
        let foreign = await ask(purchases, "state", #"{"stream":"\#(Fixture.stream(of: "bob").text)"}"#)
        #expect(foreign.contains(#""purchases":[]"#) && foreign.contains(#""entitlements":[]"#))
        _ = await ask(purchases, "state", #"{"stream":"\#(stream)"}"#)
        await app.server.answer("transactions/apple", 409, #"{"error":"owned_by_other","message":"."}"#)
        app.clock.advance(5)
        #expect(await app.eventually { await app.store.finished == [1] })
        #expect(
            await ask(purchases, "restore", #"{"stream":"\#(stream)"}"#)
                == #"{"status":"owned_by_other"}"#
        )
    }

    @Test("restore: the best news that is true, and never `kept`, which would lock the page's button")
    func restored() {
        let granted = PurchaseOutcome.granted(Fixture.grant)
        let recorded = PurchaseOutcome.recorded(outcome: "unclaimed")
        let cases: [(outcomes: [PurchaseOutcome], status: String)] = [
            ([], "nothing"), ([granted], "restored"), ([.ownedByOther, .kept(.offline), granted], "restored"),
            ([.ownedByOther], "owned_by_other"), ([.ownedByOther, .ownedByOther], "owned_by_other"),
            ([.kept(.offline)], "offline"), ([.ownedByOther, recorded, .kept(.busy)], "offline"),
            ([.ownedByOther, recorded, .kept(.refused)], "recorded"),
            ([.kept(.needsStream)], "failed"), ([.ownedByOther, .kept(.refused)], "failed"),
        ]
        for (outcomes, status) in cases {
            let items = outcomes.map { Restoration.Item(Fixture.transaction(), outcome: $0) }
            #expect(PurchaseReply(Restoration(items: items)).status == status, "\(outcomes)")
        }
    }

    @Test("restore: for the page's user; a closed password sheet is no error")
    func restoring() async {
        let purchases = app.launch()
        defer { purchases.stop() }
        await app.store.hold(Fixture.transaction(7, token: nil))
        let page = #"{"stream":"\#(Fixture.stream(of: "ann").text)"}"#
        #expect(
            await ask(purchases, "restore", page)
                == #"{"status":"restored"}"#
        )
        await app.store.closePasswordSheet()
        #expect(await ask(purchases, "restore", page) == #"{"status":"cancelled"}"#)
    }

    @Test("manage and redeem show the store's own sheets")
    func sheets() async {
        let purchases = app.launch()
        defer { purchases.stop() }
        #expect(await ask(purchases, "manage", "{}") == #"{"status":"shown"}"#)
        let page = #"{"stream":"\#(Fixture.stream(of: "ann").text)"}"#
        #expect(await ask(purchases, "redeem", page) == #"{"status":"shown"}"#)
        #expect(await app.store.sheets == ["manage", "redeem"])
    }

    @Test("redeem: what the code brings is for the user of the page in front, and not of the one before")
    func redeemed() async {
        let purchases = app.launch()
        defer { purchases.stop() }
        let signedUp = Fixture.stream(of: "42").text
        for user in ["guest", "42"] {
            _ = await ask(purchases, "state", #"{"stream":"\#(Fixture.stream(of: user).text)"}"#)
        }
        #expect(await ask(purchases, "redeem", #"{"stream":"\#(signedUp)"}"#) == #"{"status":"shown"}"#)
        app.store.bring(.signed(Fixture.transaction(7, token: nil)))
        #expect(await app.eventually { await app.store.finished == [7] })
        let post = await app.server.requests.first { $0.path == "transactions/apple" }
        let body = String(decoding: post?.body ?? Data(), as: UTF8.self)
        #expect(body.contains(signedUp))
    }

    @Test("restore and redeem: a page that names no user acts for nobody, unless the app has logged somebody in")
    func nobody() async {
        let purchases = app.launch()
        defer { purchases.stop() }
        await app.store.hold(Fixture.transaction(7, token: nil))
        _ = await ask(purchases, "state", #"{"stream":"\#(Fixture.stream(of: "ann").text)"}"#)
        for event in ["restore", "redeem"] {
            #expect(await ask(purchases, event, "{}") == #"{"error":"not_logged_in","status":"error"}"#)
        }
        #expect(await app.store.sheets.isEmpty)
        purchases.logIn(Fixture.stream(of: "ann"))
        #expect(await ask(purchases, "restore", "{}").contains(#""status":"restored""#))
    }

    @Test("refund: requested, cancelled, or why not")
    func refund() async {
        let purchases = app.launch()
        defer { purchases.stop() }
        let message = #"{"product":"pro.annual"}"#
        #expect(await ask(purchases, "refund", message) == #"{"status":"requested"}"#)
        await app.store.answerRefund(.success(.cancelled))
        #expect(await ask(purchases, "refund", message) == #"{"status":"cancelled"}"#)
        await app.store.answerRefund(.failure(.nothingBought))
        #expect(await ask(purchases, "refund", message) == #"{"error":"nothing_bought","status":"error"}"#)
    }

    @Test("Whatever a page sends, it gets an answer", arguments: ["", "{}", "[]", "nonsense", #"{"products":7}"#])
    func nonsense(json: String) async {
        let purchases = app.launch()
        defer { purchases.stop() }
        for event in ["prices", "purchase", "refund"] {
            #expect(await ask(purchases, event, json) == #"{"error":"invalid_message","status":"error"}"#)
        }
        #expect(await ask(purchases, "buy", json) == #"{"error":"unknown_event","status":"error"}"#)
    }
}
