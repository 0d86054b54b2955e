import Domain
import Simulator
import TestSupport
import Testing

/// What StoreKit gave an app, before, after and beside Apple's webhook.
@Suite(.blocking) struct TransactionJourneyTests {
    private func success(_ told: [String]) -> Int {
        told.filter { $0.contains(#"target="paywall""#) }.count
    }

    @Test func appComesFirstAndTheWebhookIsSilent() throws {
        let app = try AppPost()
        let page = try app.page("42")
        let bought = app.purchase("2000000000000001", token: try app.order(of: "42"))
        let body = try ["signedTransaction": app.store.transaction(bought), "stream": app.stream(of: "42")]
        let posted = try app.post("/transactions/apple", members: body)
        #expect(posted.status == 200)
        #expect(posted["outcome"] == "applied")
        #expect(posted["claim"] == "yours")
        #expect(posted["event"]?.hasPrefix("client:") == true)
        #expect(try success(app.told(page, of: "42")) == 1)
        #expect(try app.webhook(bought).status == 200)
        #expect(try app.told(page, of: "42") == [])
        let again = try app.post("/transactions/apple", members: body)
        #expect(again["outcome"] == "duplicate")
        #expect(again["cursor"] == posted["cursor"])
        #expect(try app.entitlements(of: "42").contains(#""active":true"#))
    }

    @Test func webhookComesFirstAndTheAppIsSilent() throws {
        let app = try AppPost()
        let page = try app.page("42")
        let bought = app.purchase("2000000000000001", token: try app.order(of: "42"))
        #expect(try app.webhook(bought)["outcome"] == "applied")
        #expect(try success(app.told(page, of: "42")) == 1)
        let body = try ["signedTransaction": app.store.transaction(bought), "stream": app.stream(of: "42")]
        let posted = try app.post("/transactions/apple", members: body)
        #expect(posted.status == 200)
        #expect(try app.told(page, of: "42") == [])
    }

    /// No order announced it: the session tells whose it is.
    @Test func pageClaimsWhatNobodyOrdered() throws {
        let app = try AppPost()
        let page = try app.page("42")
        let bought = app.purchase("2000000000000001")
        #expect(try app.webhook(bought)["outcome"] == "unclaimed")
        let body = try ["signedTransaction": app.store.transaction(bought), "stream": app.stream(of: "42")]
        let posted = try app.post("/transactions/apple", members: body)
        #expect(posted["claim"] == "yours")
        #expect(try success(app.told(page, of: "42")) == 1)
    }

    @Test func backendPostsForItsUser() throws {
        let app = try AppPost()
        let transaction = try app.store.transaction(app.purchase("2000000000000001"))
        let nobody = try app.post("/transactions/apple", members: ["signedTransaction": transaction], isTrusted: true)
        #expect(nobody["outcome"] == "unclaimed")
        let user = ["signedTransaction": transaction, "user": "7"]
        #expect(try app.post("/transactions/apple", members: user, isTrusted: true)["claim"] == "yours")
        #expect(try app.entitlements(of: "7").contains(#""active":true"#))
        #expect(try app.post("/transactions/apple", members: user).status == 401, "a user without the key")
    }

    /// Without a claim the order that the transaction carries tells the user.
    @Test func tokenDecidesWithoutAUser() throws {
        let app = try AppPost()
        let bought = app.purchase("2000000000000001", token: try app.order(of: "42"))
        let body = try ["signedTransaction": app.store.transaction(bought)]
        #expect(try app.post("/transactions/apple", members: body, isTrusted: true)["outcome"] == "applied")
        #expect(try app.entitlements(of: "42").contains(#""active":true"#))
    }

    /// Signed and valid for ever: it opens nothing that a refund closed.
    @Test func oldTransactionIsStaleAfterARefund() throws {
        let app = try AppPost()
        let page = try app.page("42")
        let bought = app.purchase("2000000000000001", token: try app.order(of: "42"), ago: 3600)
        #expect(try app.webhook(bought)["outcome"] == "applied")
        var refund = app.purchase("2000000000000001", token: bought.token, ago: 1800)
        (refund.type, refund.subtype) = ("REFUND", nil)
        refund.facts.state = .active
        #expect(try app.webhook(refund)["outcome"] == "applied")
        #expect(try app.told(page, of: "42").last?.contains("revoked") == true)
        let body = try ["signedTransaction": app.store.transaction(bought), "stream": app.stream(of: "42")]
        #expect(try app.post("/transactions/apple", members: body)["outcome"] == "stale")
        #expect(try app.told(page, of: "42") == [])
        #expect(try app.entitlements(of: "42").contains(#""active":false"#))
    }

    @Test func anotherUsersClaimMovesTheContractAndTellsBothInOneCommit() throws {
        let app = try AppPost()
        let (loser, winner) = (try app.page("old"), try app.page("new"))
        let bought = app.purchase("2000000000000001", token: try app.order(of: "old"))
        #expect(try app.webhook(bought)["outcome"] == "applied")
        _ = try app.told(loser, of: "old")
        let body = try ["signedTransaction": app.store.transaction(bought), "stream": app.stream(of: "new")]
        let posted = try app.post("/transactions/apple", members: body, isAsked: true)
        #expect(posted["claim"] == "yours")
        let (lost, won) = (try loser.message(), try winner.message())
        #expect(lost.data?.contains("moved") == true)
        #expect(won.data?.contains(#"target="paywall""#) == true)
        #expect(lost.id == won.id && lost.id == posted["cursor"])
        #expect(try app.entitlements(of: "old").contains(#""active":false"#))
        #expect(try app.entitlements(of: "new").contains(#""active":true"#))
    }

    @Test func whatIsKeptForItsUserIsRefusedToOthers() throws {
        let app = try AppPost(["PAYCAST_TRANSFERS": "keep"])
        let bought = app.purchase("2000000000000001", token: try app.order(of: "old"))
        #expect(try app.webhook(bought)["outcome"] == "applied")
        let body = try ["signedTransaction": app.store.transaction(bought), "stream": app.stream(of: "new")]
        let posted = try app.post("/transactions/apple", members: body, isAsked: true)
        #expect(posted.status == 409)
        #expect(posted["error"] == "owned_by_other")
        #expect(try app.entitlements(of: "old").contains(#""active":true"#))
        #expect(try app.entitlements(of: "new").contains(#""active":false"#))
    }

    /// StoreKit delivers it no more, once it is committed here.
    @Test func finishedTransactionIsReportedToApple() throws {
        let app = try AppPost()
        let bought = app.purchase("2000000000000001")
        #expect(try app.remember(bought).status == 200)
        let body = "{\"signedTransaction\":\"\(try app.store.transaction(bought))\",\"finish\":true}"
        #expect(try app.post("/transactions/apple", body: body, isTrusted: true).status == 200)
        var answer = ""
        while !answer.contains(#""finished":["2"#) {
            answer = try app.post("/demo/api/apple/jobs", body: "", method: "GET").body
        }
    }

    /// What the ledger keeps holds no key.
    @Test func streamIsNotKept() throws {
        let app = try AppPost()
        let stream = try app.stream(of: "42")
        let transaction = try app.store.transaction(app.purchase("2000000000000001"))
        _ = try app.post("/transactions/apple", members: ["signedTransaction": transaction, "stream": stream])
        let kept = try app.post(
            "/users/42/events?bodies=true",
            body: "",
            isTrusted: true,
            method: "GET"
        ).body
        #expect(kept.contains(transaction.suffix(40)))
        #expect(!kept.contains(stream.suffix(40)))
    }
}
