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
        #expect(
            await ask(purchases, "prices", #"{"products":["pro.annual","gone"]}"#)
                == #"{"missing":["gone"],"prices":{"pro.annual":"€ 79,99"}}"#
        )
        let own = #"{"products":[{"product":"coins","productId":"coins","appleStoreProductId":"coins"}]}"#
        #expect(await ask(purchases, "prices", own) == #"{"missing":[],"prices":{"coins":"€ 0,99"}}"#)
        #expect(await !app.store.isEnvironmentAsked, "only PurchaseKit's pages need it")
        let page =
            #"{"products":[{"appleStoreProductId":"coins","googleStoreProductId":"c","googleStoreBasePlanId":"b"}]}"#
        #expect(
            await ask(purchases, "prices", page) == #"{"missing":[],"prices":{"coins":"€ 0,99"}}"#,
            "holds no price"
        )
        #expect(await app.eventually { await app.store.isEnvironmentAsked })
        await app.store.tellEnvironment()
        let told = #"{"environment":"sandbox","missing":[],"prices":{"coins":"€ 0,99"}}"#
        #expect(await app.eventually { await ask(purchases, "prices", page) == told })
        await app.store.goOffline()
        #expect(await ask(purchases, "prices", page) == #"{"error":"store_failed","status":"error"}"#)
    }

    @Test("prices: the terms beside them, as far as the store tells any")
    func terms() async {
        let purchases = app.launch()
        defer { purchases.stop() }
        let introductory =
            #"{"displayPrice":"$0.00","isEligible":true,"payment":"free_trial","period":"P7D","periodCount":1,"price":0}"#
        #expect(
            await ask(purchases, "prices", #"{"products":["pro.trial","coins"]}"#)
                == #"{"missing":[],"prices":{"coins":"€ 0,99","pro.trial":"$79.99"},"terms":{"pro.trial":"#
                + #"{"currency":"USD","introductory":\#(introductory),"period":"P1Y","price":79.99}}}"#
        )
    }

    @Test("purchase: the three forms that pages send")
    func forms() throws {
        let token = Fixture.token(1)
        func read(_ json: String) throws -> PurchaseMessage {
            try JSONDecoder().decode(PurchaseMessage.self, from: Data(json.utf8))
        }
        let paycast = try read(#"{"product":"p","order":"\#(token)","stream":"a--b","metadata":{"url":"https://x"}}"#)
        #expect(paycast.form == .paycast && paycast.order == Order(token: token, stream: "a--b"))
        #expect(try read(#"{"product":"p"}"#).order == nil)
        let kit = try read(
            #"{"appleStoreProductId":"p","googleStoreProductId":"g","correlationId":"\#(token)","xcodeCompletionUrl":"u"}"#
        )
        #expect(kit.form == .purchaseKit && kit.product == "p" && kit.order?.token == token)
        let simple = try read(#"{"productId":"p","userId":"\#(token.uuidString.lowercased())"}"#)
        #expect(simple.form == .simple && simple.order?.token == token)
        #expect(throws: (any Error).self) { try read(#"{"productId":"p","userId":"42"}"#) }
    }

    @Test("purchase: the outcomes, in our words and in PurchaseKit's")
    func outcomes() {
        let outcomes: [(PurchaseOutcome, String, String)] = [
            (.granted(Fixture.grant), "granted", "success"), (.pending, "pending", "pending"),
            (.cancelled, "cancelled", "cancelled"), (.kept(.offline), "kept", "success"),
            (.recorded(outcome: "unclaimed"), "recorded", "success"), (.ownedByOther, "owned_by_other", "error"),
        ]
        for (outcome, ours, theirs) in outcomes {
            #expect(PurchaseReply(outcome).inWords(of: .paycast).status == ours)
            #expect(PurchaseReply(outcome).inWords(of: .simple).status == ours)
            #expect(PurchaseReply(outcome).inWords(of: .purchaseKit).status == theirs)
        }
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
        #expect(state.contains(#""kept":1"#) && state.contains(#""pending":[]"#))
        #expect(state.contains(#""purchases":[{"productId":"pro.annual","status":"kept"}]"#))
        let foreign = await ask(purchases, "state", #"{"stream":"\#(Fixture.stream(of: "bob").text)"}"#)
        #expect(foreign.contains(#""purchases":[]"#) && foreign.contains(#""entitlements":[]"#))
        _ = await ask(purchases, "state", #"{"stream":"\#(stream)"}"#)
        await app.server.answer("transactions/apple", 409, #"{"error":"owned_by_other","message":"."}"#)
        app.clock.advance(5)
        #expect(await app.eventually { await app.store.finished == [1] })
        #expect(
            await ask(purchases, "restore", #"{"stream":"\#(stream)"}"#)
                == #"{"items":[{"product":"pro.annual","status":"owned_by_other"}],"status":"owned_by_other","subscriptionIds":["1"]}"#
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
            let reply = RestoreReply(Restoration(items: items))
            #expect(reply.status == status, "\(outcomes)")
            #expect(reply.subscriptionIds.count == outcomes.count && reply.items.count == outcomes.count)
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
                == #"{"items":[{"product":"pro.annual","status":"granted"}],"status":"restored","subscriptionIds":["7"]}"#
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
