import Crypto
import Domain
import Encoding
import HTTPClient
import Simulator
import Support
import TestSupport
import Testing

/// What old versions of an app hold, and what its backend stored of them.
@Suite(.blocking) struct ReceiptJourneyTests {
    @Test(arguments: [CMSSigner.Form(), .indefinite]) func receiptOpensThePage(_ form: CMSSigner.Form) throws {
        let app = try AppPost()
        let page = try app.page("42")
        let body = try ["receipt": app.receipt(app.receiptPayload, as: form), "user": "42"]
        let posted = try app.post("/receipts/apple", members: body, isTrusted: true)
        #expect(posted.status == 200)
        #expect(posted["outcome"] == "applied")
        #expect(posted["source"] == "receipt")
        #expect(try page.message().id == posted["cursor"])
        #expect(try app.told(page, of: "42").isEmpty)
        #expect(try app.post("/receipts/apple", members: body, isTrusted: true)["outcome"] == "duplicate")
        #expect(try app.told(page, of: "42").isEmpty)
    }

    /// Apple is asked, in development its stand-in, and its newer word counts: the receipt alone would open the page.
    @Test func appleKnowsBetterThanTheReceipt() throws {
        let app = try AppPost()
        var refund = app.purchase("1000000000000001", ago: 30)
        (refund.type, refund.subtype) = ("REFUND", nil)
        refund.facts.state = .active
        #expect(try app.remember(refund).status == 200)
        let body = try ["receipt": app.receipt(app.receiptPayload), "user": "42"]
        let posted = try app.post("/receipts/apple", members: body, isTrusted: true)
        #expect(posted.status == 200)
        #expect(posted["source"] == "store")
        #expect(try app.entitlements(of: "42").contains(#""active":false"#))
    }

    /// Anybody can write another's transaction id into a receipt of iOS 6, or sign one of iOS 7 himself.
    @Test(arguments: [true, false]) func anIDInAReceiptIsNoProof(_ isOfIOS6: Bool) throws {
        let app = try AppPost()
        let bought = app.purchase("1000000000000001", ago: 30)
        #expect(try app.remember(bought).status == 200)
        let owner = try ["receipt": app.receipt(app.receiptPayload), "user": "42"]
        #expect(try app.post("/receipts/apple", members: owner, isTrusted: true).status == 200)
        #expect(try app.entitlements(of: "42").contains(#""active":true"#))
        let thief = ["receipt": try isOfIOS6 ? receiptOfIOS6 : foreignReceipt(app), "user": "thief"]
        let posted = try app.post("/receipts/apple", members: thief, isTrusted: true)
        #expect(posted.status == 200 && posted["claim"] == "unproven", "\(posted)")
        #expect(try app.entitlements(of: "42").contains(#""active":true"#))
        #expect(try !app.entitlements(of: "thief").contains(#""active":true"#))
    }

    private var receiptOfIOS6: String {
        let info = #"{ "bid" = "com.example.paycast"; "transaction-id" = "1000000000000001"; }"#
        let list = #"{ "purchase-info" = "\#(Base64.encode(Array(info.utf8)))"; "environment" = "Sandbox"; }"#
        return Base64.encode(Array(list.utf8))
    }

    private func foreignReceipt(_ app: AppPost) throws -> String {
        let authority = try DevelopmentAuthority.create()
        let signer = CMSSigner(chain: authority.chain, key: authority.leafKey)
        return Base64.encode(try signer.sign(app.receiptPayload.bytes, form: []))
    }

    /// What the receipt proves is given at once. Apple is asked later, and knows of a refund.
    @Test func appleThatDoesNotAnswerIsAskedLater() throws {
        let address = SharedValue<String?>(nil)
        let apple = AnsweringServer { request in
            guard let url = address.value else { return .silence }
            let target = "\(url)/demo/api/apple/Sandbox\(request.path)?\(request.query)"
            let headers = [("Authorization", request.header("Authorization") ?? "")]
            let answer = try? HTTPClient(timeout: .seconds(20)).send(request.method, to: target, headers: headers)
            return answer.map { AnsweringServer.Answer($0.status, body: $0.body) } ?? .init(503)
        }
        let app = try AppPost(["PAYCAST_APPLE_API_URL": apple.url])
        var refund = app.purchase("1000000000000001", ago: 30)
        (refund.type, refund.subtype) = ("REFUND", nil)
        refund.facts.state = .active
        #expect(try app.remember(refund).status == 200)
        let page = try app.page("42")
        let body = try ["receipt": app.receipt(app.receiptPayload), "user": "42"]
        let posted = try app.post("/receipts/apple", members: body, isTrusted: true)
        #expect(posted.status == 200 && posted["source"] == "receipt", "\(posted)")
        #expect(try page.message().id == posted["cursor"])
        #expect(try app.entitlements(of: "42").contains(#""active":true"#))
        // Nobody waits for Apple again just now.
        let start = monotonicNanoseconds()
        #expect(try app.post("/receipts/apple", members: body, isTrusted: true)["outcome"] == "duplicate")
        #expect(monotonicNanoseconds() - start < 8_000_000_000)
        address.replace(with: app.server.url)
        try Deadline(.seconds(90)).wait(for: "Apple's word") {
            try app.entitlements(of: "42").contains(#""active":false"#)
        }
    }

    /// Nobody vouches for it but Apple.
    @Test func unprovenReceiptWaitsForApple() throws {
        let app = try AppPost(["PAYCAST_APPLE_API_URL": "http://127.0.0.1:1"])
        for receipt in [receiptOfIOS6, try foreignReceipt(app)] {
            let posted = try app.post("/receipts/apple", members: ["receipt": receipt], isTrusted: true)
            #expect(posted.status == 503 && posted["error"] == "store_unreachable", "\(posted)")
        }
    }

    @Test func everyPurchaseIsCommittedAndTheNewestAnswers() throws {
        let app = try AppPost()
        var payload = app.receiptPayload
        payload.purchases.insert(
            ReceiptPayload.purchase("9", of: "9", product: "map", at: "2020-01-01T00:00:00Z", until: "", type: 0),
            at: 0
        )
        let body = try ["receipt": app.receipt(payload), "user": "42"]
        let posted = try app.post("/receipts/apple", members: body, isTrusted: true)
        #expect(posted["outcome"] == "applied")
        let events = posted.body.split(separator: #""contract":""#).dropFirst().map { $0.prefix { $0 != "\"" } }
        #expect(events == ["9", "1000000000000001"])
        let held = try app.entitlements(of: "42")
        #expect(held.contains(#""state":"owned""#) && held.contains(#""state":"active""#))
    }

    /// A receipt stays valid for ever; what Apple signed after it wins, whichever is here first.
    @Test(arguments: [true, false]) func olderReceiptOpensNothingAfterARefund(_ isReceiptFirst: Bool) throws {
        let app = try AppPost()
        let token = try app.order(of: "42")
        var bought = app.purchase("1000000000000001", token: token, ago: 60)
        (bought.type, bought.subtype) = ("REFUND", nil)
        bought.facts.state = .active
        var payload = app.receiptPayload
        let date = Instant(milliseconds: (Clock().now() - .seconds(600)).seconds * 1000).iso8601
        payload[12] = .date(date)
        payload.setPurchase(1704, value: .date(date))
        let body = try ["receipt": app.receipt(payload), "user": "42"]
        if isReceiptFirst {
            #expect(try app.post("/receipts/apple", members: body, isTrusted: true)["outcome"] == "applied")
        }
        #expect(try app.webhook(bought)["outcome"] == "applied")
        if !isReceiptFirst { _ = try app.post("/receipts/apple", members: body, isTrusted: true) }
        #expect(try app.entitlements(of: "42").contains(#""active":false"#))
    }

    @Test func storedAnswerBringsASubscriber() throws {
        let app = try AppPost()
        let page = try app.page("42")
        let now = Clock().now().milliseconds
        let answer = """
            {"status":0,"environment":"Sandbox","receipt":{"bundle_id":"com.example.paycast","request_date_ms":"\(now)",
            "in_app":[]},"latest_receipt_info":[{"product_id":"pro","transaction_id":"2","original_transaction_id":"1",
            "purchase_date_ms":"\(now - 1000)","expires_date_ms":"\(now + 86_400_000)"}],"pending_renewal_info":
            [{"original_transaction_id":"1","auto_renew_product_id":"pro","auto_renew_status":"0"}]}
            """
        let body = "{\"verifyReceipt\":\(answer),\"user\":\"42\"}"
        let posted = try app.post("/receipts/apple", body: body, isTrusted: true)
        #expect(posted["outcome"] == "applied")
        #expect(posted["source"] == "verify_receipt")
        #expect(try page.message().id == posted["cursor"])
        #expect(try app.entitlements(of: "42").contains(#""state":"cancelled""#))
    }

    /// The user whom a stored answer named gives way to what an order says since.
    @Test func storedAnswerTakesNothingFromANewerBuyer() throws {
        let app = try AppPost()
        let bought = app.purchase("1", token: try app.order(of: "new"), ago: 600)
        #expect(try app.webhook(bought)["outcome"] == "applied")
        let past = Clock().now().milliseconds - 86_400_000
        let answer = """
            {"status":0,"environment":"Sandbox","receipt":{"bundle_id":"com.example.paycast","request_date_ms":"\(past)"},
            "latest_receipt_info":[{"product_id":"pro","transaction_id":"2","original_transaction_id":"1",
            "purchase_date_ms":"\(past - 1000)","expires_date_ms":"\(past + 1000)"}]}
            """
        for isAsked in [true, false] {
            let body = "{\"verifyReceipt\":\(answer),\"user\":\"old\",\"asked\":\(isAsked)}"
            let posted = try app.post("/receipts/apple", body: body, isTrusted: true)
            #expect(posted.status == (isAsked ? 409 : 200), "\(posted)")
            #expect(posted["claim"] == (isAsked ? nil : "others"), "\(posted)")
        }
        #expect(try app.entitlements(of: "new").contains(#""active":true"#))
    }
}
