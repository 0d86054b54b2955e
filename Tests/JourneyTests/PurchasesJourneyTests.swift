import API
import APIModel
import Domain
import Encoding
import Support
import TestSupport
import Testing

/// What somebody paid, from a store's words to the app, the backend and the bookkeeper, by the real program on both engines.
@Suite(.blocking) struct PurchasesJourneyTests {
    enum Engine: String, CaseIterable, Sendable {
        case file, shared

        static let installed = allCases.filter { $0 == .file || PostgresCluster.isInstalled }
    }

    private static let secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"

    /// Two periods and coins, of which one is given back.
    @Test(arguments: Engine.installed) func fromTheStoreToTheBookkeeper(_ engine: Engine) throws {
        let backend = AnsweringServer { _ in .init(200) }
        let cluster = engine == .shared ? try PostgresCluster() : nil
        let types = "#purchase.made+purchase.refunded+purchase.delivered+purchase.revoked"
        let app = try AppPost(
            [
                "PAYCAST_HOOK_URLS": backend.url + types, "PAYCAST_HOOK_SECRETS": PurchasesJourneyTests.secret,
            ].merging(cluster.map { ["DATABASE_URL": $0.url] } ?? [:]) { $1 }
        )
        let server = app.server
        let order = try PrintedAnswer(server.paycast("order", "--user", "42", "--product", "=coins"))["order"]
        let coins = ["--order", order, "--kind", "consumable", "--product", "=coins"]
        for words in [
            ["initial", "--user", "42"], ["renew", "--user", "42"], ["ONE_TIME_CHARGE"] + coins, ["REFUND"] + coins,
        ] {
            let trigger = server.paycast(["trigger", "apple"] + words)
            #expect(try trigger.waitForExit(timeout: .seconds(60)) == 0, "\(trigger.errors)")
        }
        let rows = try purchases(at: "/users/42/purchases", of: app)
        #expect(rows.map(\.product) == ["=coins", "paycast.pro.monthly", "paycast.pro.monthly"])
        #expect(rows.map(\.price) == [9990, 9990, 9990] && rows.map(\.refunded) == [9990, nil, nil])
        #expect(Set(rows.map(\.transaction)).count == 3 && rows.allSatisfy { $0.currency == "USD" })
        #expect(rows[0].order == order && rows[2].order != nil)
        let monthly = try purchases(at: "/users/42/purchases?product=paycast.pro.monthly&limit=1", of: app)
        #expect(monthly == [rows[1]])

        // A page has the stream's name in place of a key, and is not told what would let it take the purchase.
        let name = try PrintedAnswer(server.paycast("order", "--user", "42", "--product", "other"))["signed_stream"]
        let page = try ask("/purchases?name=\(PercentEncoding.encode(name))", of: app, isTrusted: false)
        #expect(page.status == 200)
        guard case .array(let told)? = JSONNode(page.body)?["purchases"] else {
            Issue.record("\(page.body)")
            return
        }
        #expect(told.map { $0["transaction"]?.text } == rows.map(\.transaction))
        for member in ["contract", "order", "user", "tax"] { #expect(told.allSatisfy { $0[member] == nil }) }
        #expect(try ask("/purchases", of: app, isTrusted: false).status == 401)
        #expect(try ask("/purchases?name=forged", of: app, isTrusted: false).status == 403)
        for query in ["before=x", "limit=0", "limit=101"] {
            #expect(try ask("/users/42/purchases?\(query)", of: app).status == 400, "\(query)")
        }
        #expect(try ask("/purchases?since=yesterday", of: app).status == 400)
        #expect(try ask("/purchases?before=x", of: app).status == 400)

        // The backend knows by the type what is money and what is goods.
        try Deadline(.seconds(60)).wait(for: "the messages") { backend.requests.count >= 6 }
        let messages = backend.requests.compactMap { JSON.decode(HookMessage.self, from: Array($0.body.utf8)) }
        let made = messages.filter { $0.type == "purchase.made" }.compactMap(\.data.purchase)
        #expect(Set(made.map(\.transaction)) == Set(rows.map(\.transaction)) && made.count == 3)
        // No position, which would fall back with a restored backup.
        for message in messages where ["purchase.made", "purchase.refunded"].contains(message.type) {
            let committedAt = Instant(iso8601: message.timestamp)?.milliseconds
            #expect(message.data.purchase?.version.map { Int64($0) } == committedAt, "\(message)")
        }
        let ofCoins = messages.filter { $0.data.purchase?.transaction == rows[0].transaction }.map(\.type)
        #expect(Set(ofCoins) == ["purchase.made", "purchase.delivered", "purchase.refunded", "purchase.revoked"])

        let feed = try ask("/users/42/events", of: app)
        let events = try #require(JSON.decode(UserEventsAnswer.self, from: Array(feed.body.utf8))?.events)
        #expect(events.compactMap(\.purchase) == ["purchase.refunded"] + Array(repeating: "purchase.made", count: 3))
        #expect(events.compactMap(\.transaction).first == rows[0].transaction)

        try checkExports(of: rows, at: server)
    }

    private func checkExports(of rows: [PurchaseItem], at server: PaycastServer) throws {
        let table = server.paycast("export", "--purchases", "--since", "1d")
        #expect(try table.waitForExit(timeout: .seconds(60)) == 0, "\(table.errors)")
        let lines = table.output.split(separator: "\r\n")
        #expect(lines.count == 4 && lines[0].hasPrefix("purchased_at,environment,store,"))
        #expect(lines.dropFirst().allSatisfy { $0.contains(",USD,9.99,,") && $0.contains(",42,") })
        #expect(lines.count { $0.contains(",'=coins,consumable,") && $0.contains(",9.99,,9.99,") } == 1)
        let later = server.paycast("export", "--purchases", "--since", "2999-01-01")
        #expect(try later.waitForExit(timeout: .seconds(60)) == 0)
        #expect(later.output.split(separator: "\r\n").count == 1)
        let export = server.paycast("export", "--user", "42")
        #expect(try export.waitForExit(timeout: .seconds(60)) == 0, "\(export.errors)")
        #expect(JSON.decode(UserExport.self, from: Array(export.output.utf8))?.purchases == rows)
    }

    private func purchases(at path: String, of app: AppPost) throws -> [PurchaseItem] {
        try #require(JSON.decode(PurchasesAnswer.self, from: Array(app.get(path).body.utf8))?.purchases)
    }

    private func ask(_ path: String, of app: AppPost, isTrusted: Bool = true) throws -> AppPost.Answer {
        try app.post(path, body: "", isTrusted: isTrusted, method: "GET")
    }
}
