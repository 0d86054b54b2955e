import Domain
import Simulator
import TestSupport
import Testing

/// One id of the app's backend, from the tap to the lines of the store's webhook.
@Suite(.blocking) struct TraceJourneyTests {
    private static let trace = "4bf92f3577b34da6a3ce929d0e0e4736"
    private static let other = "0af7651916cd43dd8448eb211c80319c"

    private func header(_ trace: String) -> [(String, String)] { [("traceparent", "00-\(trace)-00f067aa0ba902b7-01")] }

    private func place(_ order: [String: String], on app: AppPost, _ headers: [(String, String)]) throws
        -> AppPost.Answer
    {
        try app.post("/orders", body: AppPost.json(order), isTrusted: true, headers: headers)
    }

    /// In its files, to the last byte.
    private func isInTheLedger(of app: AppPost) -> Bool {
        ["paycast.db", "paycast.db-wal"].contains { file in
            Array((app.server.folder.read(file) ?? "").utf8).firstRange(of: Array(Self.trace.utf8)) != nil
        }
    }

    @Test func oneIDLeadsFromTheTapToTheWebhook() throws {
        let app = try AppPost()
        let order = ["user": "42", "product": "paycast.pro.monthly"]
        let placed = try place(order, on: app, header(Self.trace))
        #expect(placed.status == 201)
        let token = try #require(placed["order"])
        let shown = try app.post("/orders/\(token)", body: "", isTrusted: true, method: "GET")
        #expect(shown["trace_id"] == Self.trace)
        #expect(try app.server.process.errorLine { $0.contains("order placed") }.hasSuffix(" trace_id=\(Self.trace)"))

        let bought = app.purchase("2000000000000001", token: .init(token))
        #expect(try app.webhook(bought)["outcome"] == "applied")
        let line = try app.server.process.errorLine { $0.contains("webhook committed") }
        #expect(line.contains("INFO    webhook committed provider=apple outcome=applied event="))
        #expect(line.hasSuffix(" trace_id=\(Self.trace)"))

        // The app posts the purchase while it works on another tap: the newest is what counts.
        let post = AppPost.json(["signedTransaction": try app.store.transaction(bought), "user": "42"])
        let posted = try app.post("/transactions/apple", body: post, isTrusted: true, headers: header(Self.other))
        #expect(posted.status == 200)
        let committed = try app.server.process.errorLine { $0.contains("purchase committed") }
        #expect(committed.hasSuffix(" trace_id=\(Self.other)"))
        #expect(try app.webhook(bought)["outcome"] == "duplicate")
        let again = try app.server.process.errorLine { $0.contains("outcome=duplicate") }
        #expect(again.contains("webhook committed") && again.hasSuffix(" trace_id=\(Self.other)"))

        let html = AppPost.json(["user": "42", "html": #"<turbo-stream action="remove" target="mark"></turbo-stream>"#])
        #expect(try app.post("/broadcasts", body: html, isTrusted: true, headers: header(Self.trace)).status == 202)
        let broadcast = try app.server.process.errorLine { $0.contains("broadcast received") }
        #expect(broadcast.hasSuffix(" fragments=1 trace_id=\(Self.trace)"))
    }

    struct Case: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var headers: [(String, String)]
    }

    @Test(arguments: [
        Case(testDescription: "none", headers: []),
        Case(testDescription: "a malformed one", headers: [("traceparent", "00-\(trace)-01")]),
        Case(
            testDescription: "two",
            headers: [trace, other].map { ("traceparent", "00-\($0)-00f067aa0ba902b7-01") }
        ),
    ]) func withoutATraceThereIsNoField(_ example: Case) throws {
        let app = try AppPost(["PAYCAST_LOG_LEVEL": "debug"])
        let placed = try place(["user": "42", "product": "paycast.pro.monthly"], on: app, example.headers)
        #expect(placed.status == 201)
        let token = try #require(placed["order"])
        #expect(try app.webhook(app.purchase("2000000000000001", token: .init(token)))["outcome"] == "applied")
        for message in ["order placed", "webhook committed"] {
            let line = try app.server.process.errorLine { $0.contains(message) }
            #expect(line.contains("DEBUG") && !line.contains("trace_id"))
        }
        #expect(try app.post("/orders/\(token)", body: "", isTrusted: true, method: "GET")["trace_id"] == nil)
    }

    @Test func repeatedRequestTellsWhereTheNewestTapWas() throws {
        let app = try AppPost()
        let order = ["user": "42", "product": "paycast.pro.monthly"]
        let first = try place(order, on: app, header(Self.trace))
        for (headers, expected) in [([], Self.trace), (header(Self.other), Self.other)] {
            let again = try place(order, on: app, headers)
            #expect(again["order"] == first["order"])
            let shown = try app.post("/orders/\(first["order"] ?? "")", body: "", isTrusted: true, method: "GET")
            #expect(shown["trace_id"] == expected)
        }
    }

    @Test func nothingOfItIsLeftOfAnErasedUser() throws {
        let app = try AppPost()
        let placed = try place(["user": "42", "product": "paycast.pro.monthly"], on: app, header(Self.trace))
        let token = try #require(placed["order"])
        let bought = app.purchase("2000000000000001", token: .init(token))
        #expect(try app.webhook(bought)["outcome"] == "applied")
        #expect(isInTheLedger(of: app))
        let erase = app.server.paycast("erase", "--user", "42", "--reason", "request of 1 May")
        #expect(try erase.waitForExit() == 0, "\(erase.errors)")
        #expect(try app.post("/orders/\(token)", body: "", isTrusted: true, method: "GET").status == 404)
        #expect(!isInTheLedger(of: app))
        #expect(try app.webhook(app.purchase("2000000000000001", token: .init(token), ago: 60))["outcome"] == "ignored")
        let line = try app.server.process.errorLine { $0.contains("outcome=ignored") || $0.contains("user erased") }
        #expect(!line.contains(Self.trace))
    }
}
