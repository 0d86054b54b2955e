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

    @Test(
        "prices: the terms beside them, as far as the store tells any; only a page that wants it waits for the eligibility"
    )
    func terms() async {
        let purchases = app.launch()
        defer { purchases.stop() }
        let pages = [("", ""), (#","eligibility":true"#, #""isEligible":true,"#)]
        for (wish, isEligible) in pages {
            let introductory =
                #"{"displayPrice":"$0.00",\#(isEligible)"payment":"free_trial","period":"P7D","periodCount":1,"price":0}"#
            #expect(
                await ask(purchases, "prices", #"{"products":[{"product":"pro.trial"}]\#(wish)}"#)
                    == #"{"missing":[],"prices":{"pro.trial":"$79.99"},"terms":{"pro.trial":{"currency":"USD","#
                    + #""displayPrice":"$79.99","id":"pro.trial","introductory":\#(introductory),"name":"Pro","#
                    + #""period":"P1Y","price":79.99}}}"#
            )
        }
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
            (.alreadyOwned, "already_owned"), (.changesAtRenewal, "changes_at_renewal"), (.loggedOut, "logged_out"),
            (.refused, "refused"),
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
        let stream = Fixture.stream(of: "ann").rawValue
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
        let stream = Fixture.stream(of: "ann").rawValue
        await app.server.answer("transactions/apple", nil)
        await app.store.answer(.bought(Fixture.transaction()))
        let message = #"{"product":"pro.annual","order":"\#(Fixture.token(1))","stream":"\#(stream)"}"#
        #expect(await ask(purchases, "purchase", message) == #"{"reason":"offline","status":"kept"}"#)
        let state = await ask(purchases, "state", #"{"stream":"\#(stream)"}"#)
        #expect(state.contains(#""kept":1"#))
        #expect(state.contains(#""purchases":[{"productId":"pro.annual","status":"kept"}]"#))
        let foreign = await ask(purchases, "state", #"{"stream":"\#(Fixture.stream(of: "bob").rawValue)"}"#)
        #expect(
            foreign.contains(#""purchases":[]"#) && foreign.contains(#""kept":0"#)
                && foreign.contains(#""entitlements":{}"#)
        )
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
            ([.ownedByOther, recorded, .refused], "recorded"), ([.loggedOut, .refused], "logged_out"),
            ([.ownedByOther, .refused], "refused"),
        ]
        for (outcomes, status) in cases {
            let items = outcomes.map { Restoration.Item(product: "pro.annual", originalID: 1, outcome: $0) }
            #expect(PurchaseReply(Restoration(items: items)).status == status, "\(outcomes)")
        }
    }

    @Test("restore: for the page's user; a closed password sheet is no error")
    func restoring() async {
        let purchases = app.launch()
        defer { purchases.stop() }
        await app.store.hold(Fixture.transaction(7, token: nil))
        let page = #"{"stream":"\#(Fixture.stream(of: "ann").rawValue)"}"#
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
        let page = #"{"stream":"\#(Fixture.stream(of: "ann").rawValue)"}"#
        #expect(await ask(purchases, "redeem", page) == #"{"status":"shown"}"#)
        #expect(await app.store.sheets == ["manage", "redeem"])
    }

    @Test("redeem: what the code brings is for the user of the page in front, and not of the one before")
    func redeemed() async {
        let purchases = app.launch()
        defer { purchases.stop() }
        let signedUp = Fixture.stream(of: "42").rawValue
        for user in ["guest", "42"] {
            _ = await ask(purchases, "state", #"{"stream":"\#(Fixture.stream(of: user).rawValue)"}"#)
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
        _ = await ask(purchases, "state", #"{"stream":"\#(Fixture.stream(of: "ann").rawValue)"}"#)
        for event in ["restore", "redeem"] {
            #expect(await ask(purchases, event, "{}") == #"{"error":"not_logged_in","status":"error"}"#)
        }
        #expect(await app.store.sheets.isEmpty)
        purchases.logIn(Fixture.stream(of: "ann"))
        #expect(await ask(purchases, "restore", "{}").contains(#""status":"restored""#))
    }

    @Test("state: a page that names nobody is told nothing of the user of the page before, but of the app's own")
    func stateOfNobody() async {
        let purchases = app.launch()
        defer { purchases.stop() }
        let pro = #"{"active":true,"entitlements":{"pro":{"active":true}},"contracts":[]}"#
        await app.server.answer("entitlements", 200, pro)
        await app.server.answer("transactions/apple", nil)
        await app.store.answer(.bought(Fixture.transaction()))
        let stream = Fixture.stream(of: "ann").rawValue
        let message = #"{"product":"pro.annual","order":"\#(Fixture.token(1))","stream":"\#(stream)"}"#
        #expect(await ask(purchases, "purchase", message) == #"{"reason":"offline","status":"kept"}"#)
        let page = #"{"stream":"\#(stream)"}"#
        #expect(await app.eventually { await ask(purchases, "state", page).contains(#"{"pro":{"active":true}}"#) })
        #expect(
            await ask(purchases, "state", "") == #"{"entitlements":{},"kept":0,"purchases":[],"status":"unknown"}"#
        )
        purchases.logIn(Fixture.stream(of: "ann"))
        #expect(await app.eventually { await ask(purchases, "state", "").contains(#""status":"kept""#) })
        #expect(await ask(purchases, "state", "").contains(#"{"pro":{"active":true}}"#))
    }

    @Test(
        "state: answered again with news, it brings no page to the front: two pages of two users would take turns for ever"
    )
    func news() async {
        let purchases = app.launch()
        defer { purchases.stop() }
        let (ann, bob) = (Fixture.stream(of: "ann"), Fixture.stream(of: "bob"))
        _ = await ask(purchases, "state", #"{"stream":"\#(ann.rawValue)"}"#)
        _ = await purchases.handle("state", json: Data(#"{"stream":"\#(bob.rawValue)"}"#.utf8), isNews: true)
        app.store.bring(.signed(Fixture.transaction(7, token: nil)))
        #expect(await app.eventually { await app.store.finished == [7] })
        let post = await app.server.requests.first { $0.path == "transactions/apple" }
        let body = String(decoding: post?.body ?? Data(), as: UTF8.self)
        #expect(body.contains(ann.rawValue))
    }

    @Test("purchase, prices and refund: the short message of other pages is understood, too")
    func shortMessage() async {
        let purchases = app.launch(orders: FixedOrders())
        defer { purchases.stop() }
        let prices = await ask(purchases, "prices", #"{"products":[{"productId":"pro.annual"}]}"#)
        #expect(prices.contains(#""prices":{"pro.annual":"€ 79,99"}"#))
        for (userId, token) in [(Fixture.token(7).uuidString, Fixture.token(7)), ("42", Fixture.token(1))] {
            let message = #"{"productId":"pro.annual","userId":"\#(userId)"}"#
            #expect(await ask(purchases, "purchase", message) == #"{"status":"cancelled"}"#)
            #expect(await app.store.purchases.last == token)
        }
        #expect(await ask(purchases, "refund", #"{"productId":"pro.annual"}"#) == #"{"status":"requested"}"#)
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

@Suite("Which frames may speak for a page")
struct PageGateTests {
    struct Case: CustomTestStringConvertible, Sendable {
        var testDescription: String
        var isMainFrame = true
        var origin = "https://shop.example.com"
        var isHeard: Bool

        static let all = [
            Case(testDescription: "the app's own page", isHeard: true),
            Case(testDescription: "with a port of its own", origin: "http://mac.local:3000", isHeard: true),
            Case(testDescription: "a frame of the app's own page", isMainFrame: false, isHeard: false),
            Case(
                testDescription: "a frame of an advertiser",
                isMainFrame: false,
                origin: "https://ads.example",
                isHeard: false
            ),
            Case(
                testDescription: "another site's page",
                origin: "https://shop.example.com.evil.example",
                isHeard: false
            ),
            Case(testDescription: "without TLS", origin: "http://shop.example.com", isHeard: false),
            Case(testDescription: "another port", origin: "https://shop.example.com:8443", isHeard: false),
            Case(testDescription: "a page of no origin", origin: "://", isHeard: false),
        ]
    }

    @Test("The main frame of the app's own pages, and no other", arguments: Case.all)
    func frames(of it: Case) {
        var gate = PageGate(origins: ["https://shop.example.com", "http://mac.local:3000"])
        let message = ["1", "7", "restore"]
        gate.hear(message, json: Data("{}".utf8), isMainFrame: it.isMainFrame, origin: it.origin)
        #expect((gate.take(message) != nil) == it.isHeard)
        #expect(gate.take(message) == nil, "once")
    }

    @Test("What a page has said is taken from it, though a frame says another thing under the same id")
    func content() {
        var gate = PageGate(origins: ["https://shop.example.com"])
        let (own, foreign) = (Data(#"{"stream":"ann"}"#.utf8), Data(#"{"stream":"eve"}"#.utf8))
        let message = ["1", "7", "restore"]
        gate.hear(message, json: own, isMainFrame: true, origin: "https://shop.example.com")
        gate.hear(message, json: foreign, isMainFrame: false, origin: "https://shop.example.com")
        #expect(gate.take(["2", "7", "restore"]) == nil, "another web view's")
        #expect(gate.take(message) == own && gate.take(message) == nil)
        for number in 0..<1_000 {
            gate.hear(["1", "\(number)", "state"], json: own, isMainFrame: true, origin: "https://shop.example.com")
        }
        #expect(gate.take(["1", "0", "state"]) == nil && gate.take(["1", "999", "state"]) == own)
    }
}
