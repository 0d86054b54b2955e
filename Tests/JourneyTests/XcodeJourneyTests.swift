import Domain
import Encoding
import Simulator
import Support
import TestSupport
import Testing

/// Buying in a simulator: StoreKit testing in Xcode signs, the app posts, and the page changes without any store.
@Suite(.blocking) struct XcodeJourneyTests {
    private func transaction(
        _ id: String,
        token: OrderToken? = nil,
        product: String = "paycast.pro.monthly",
        environment: String = "Xcode",
        ago: Int64 = 60
    ) -> String {
        let date = "\((Clock().now() - .seconds(ago)).milliseconds).4871"
        let end = "\((Clock().now() + .seconds(86_400)).milliseconds).4871"
        let token = token.map { #","appAccountToken":"\#($0)""# } ?? ""
        return #"{"transactionId":"\#(id)","originalTransactionId":"\#(id)","bundleId":"com.example.paycast","#
            + #""environment":"\#(environment)","productId":"\#(product)","subscriptionGroupIdentifier":"6F3A93AB","#
            + #""type":"Auto-Renewable Subscription","purchaseDate":\#(date),"originalPurchaseDate":\#(date),"#
            + #""expiresDate":\#(end),"signedDate":\#(date),"inAppOwnershipType":"PURCHASED","quantity":1\#(token)}"#
    }

    @Test func buyingInTheSimulatorSwapsThePage() throws {
        let (app, xcode) = (try AppPost(), try XcodeSigner())
        let page = try app.page("42")
        let bought = try xcode.sign(transaction("0", token: try app.order(of: "42")))
        let body = ["signedTransaction": bought, "stream": try app.stream(of: "42")]
        let posted = try app.post("/transactions/apple", members: body)
        #expect(posted.status == 200 && posted["outcome"] == "applied" && posted["claim"] == "yours", "\(posted)")
        #expect(try page.message().data?.contains(#"target="paywall""#) == true)
        let held = try app.entitlements(of: "42")
        #expect(held.contains(#""active":true"#) && held.contains(#""environment":"Xcode""#), "\(held)")
        #expect(try app.post("/transactions/apple", members: body)["outcome"] == "duplicate")
        let log = try app.server.process.errorLine { $0.contains("xcode transaction taken") }
        #expect(log.contains("--dev") && !log.contains(bought.suffix(20)))
        // There is nobody to finish it at.
        let finish = #"{"signedTransaction":"\#(bought)","finish":true}"#
        #expect(try app.post("/transactions/apple", body: finish, isTrusted: true).status == 200)
    }

    /// The simulated store and Xcode number alike, and neither touches the other's purchase.
    @Test func sameNumbersAreTwoPurchases() throws {
        let (app, xcode) = (try AppPost(), try XcodeSigner())
        let bought = app.purchase("0", token: try app.order(of: "store"), ago: 60)
        #expect(try app.webhook(bought)["outcome"] == "applied")
        let before = try app.entitlements(of: "store").split(separator: #","since""#)[0]
        let local = try xcode.sign(transaction("0", ago: 0))
        let body = ["signedTransaction": local, "stream": try app.stream(of: "simulator")]
        #expect(try app.post("/transactions/apple", members: body)["claim"] == "yours")
        #expect(try app.entitlements(of: "store").hasPrefix(before))
        #expect(try app.entitlements(of: "simulator").contains(#""environment":"Xcode""#))
        var refund = app.purchase("0", token: bought.token, ago: 0)
        (refund.type, refund.subtype) = ("REFUND", nil)
        refund.facts.state = .active
        #expect(try app.webhook(refund)["outcome"] == "applied")
        #expect(try app.entitlements(of: "store").contains(#""active":false"#))
        #expect(try app.entitlements(of: "simulator").contains(#""active":true"#))
    }

    /// A key of one's own opens nothing that is said to be bought in a store.
    @Test(arguments: ["Production", "Sandbox", "LocalTesting", ""]) func isNoStore(_ environment: String) throws {
        let (app, xcode) = (try AppPost(), try XcodeSigner())
        let forged = try xcode.sign(transaction("0", environment: environment))
        let body = ["signedTransaction": forged, "stream": try app.stream(of: "42")]
        let answer = try app.post("/transactions/apple", members: body)
        #expect(answer.status == 400 && answer["error"] == "untrusted_chain", "\(answer)")
        #expect(try app.entitlements(of: "42").contains(#""contracts":[]"#))
    }

    /// Without `--dev` nobody believes Xcode, and what a development server has taken opens nothing.
    @Test func productionRefusesItAndHonoursNone() throws {
        let (app, xcode) = (try AppPost(), try XcodeSigner())
        let body = ["signedTransaction": try xcode.sign(transaction("0")), "stream": try app.stream(of: "42")]
        #expect(try app.post("/transactions/apple", members: body)["claim"] == "yours")
        try app.server.stop(with: .terminate)
        let (apiKey, streamKey) = (app.workspace.apiKey, app.workspace.streamKey)
        let production = try PaycastServer(
            ["--database", "sqlite:\(app.server.folder.path)/paycast.db"],
            environment: [
                "PAYCAST_API_KEY": apiKey, "PAYCAST_STREAM_KEYS": streamKey, "PAYCAST_SANDBOX_USERS": "*",
                "PAYCAST_APPLE_BUNDLE_ID": "com.example.paycast", "PAYCAST_APPLE_APP_ID": "1",
            ]
        )
        let answer = try send("POST /transactions/apple", to: production, body: AppPost.json(body))
        #expect(answer.hasPrefix("HTTP/1.1 400 ") && answer.contains(#""error":"invalid_certificates""#), "\(answer)")
        let held = try send("GET /users/42/entitlements", to: production, key: apiKey)
        #expect(held.contains(#""active":false"#) && !held.contains(#""active":true"#), "\(held)")
        #expect(held.contains(#""environment":"Xcode""#))
    }

    private func send(_ line: String, to server: PaycastServer, body: String = "", key: String = "") throws -> String {
        let socket = try server.connect()
        let length = body.isEmpty ? "" : "Content-Length: \(body.utf8.count)\r\n"
        let head = "Host: localhost\r\nAuthorization: Bearer \(key)\r\nConnection: close\r\n\(length)\r\n"
        try socket.send("\(line) HTTP/1.1\r\n\(head)\(body)")
        return String(decoding: try socket.readToEnd(), as: UTF8.self)
    }
}
