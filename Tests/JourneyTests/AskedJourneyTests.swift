import Crypto
import Domain
import Encoding
import Simulator
import Support
import TestSupport
import Testing

/// Who has a purchase after a post: only what a user asked for by a tap is taken from its owner.
@Suite(.blocking) struct AskedJourneyTests {
    fileprivate static let lineage = "1000000000000001"

    /// How an app from before StoreKit 2 and a newer one show the same purchase.
    enum Proof: String, CaseIterable {
        case transaction, receipt

        var path: String { self == .transaction ? "/transactions/apple" : "/receipts/apple" }

        func members(in app: AppPost) throws -> [String: String] {
            guard self == .receipt else {
                return [
                    "signedTransaction": try app.store.transaction(app.purchase(AskedJourneyTests.lineage, ago: 30))
                ]
            }
            return ["receipt": try app.receipt(app.receiptPayload)]
        }
    }

    @Test(arguments: Proof.allCases) func onlyATapMovesIt(_ proof: Proof) throws {
        let app = try AppPost()
        let (ann, bob) = (try app.page("ann"), try app.page("bob"))
        let bought = app.purchase(Self.lineage, token: try app.order(of: "ann"))
        #expect(try app.webhook(bought)["outcome"] == "applied")
        _ = try app.told(ann, of: "ann")
        let body = try proof.members(in: app).merging(["stream": app.stream(of: "bob")]) { $1 }
        for _ in 1...2 {
            let posted = try app.post(proof.path, members: body)
            #expect(posted.status == 200 && posted["claim"] == "others", "\(posted)")
        }
        #expect(try app.told(ann, of: "ann").allSatisfy { !$0.contains("moved") })
        #expect(try app.told(bob, of: "bob") == [])
        #expect(try app.entitlements(of: "ann").contains(#""active":true"#))
        let restored = try app.post(proof.path, members: body, isAsked: true)
        #expect(restored.status == 200 && restored["claim"] == "yours", "\(restored)")
        #expect(try app.entitlements(of: "ann").contains(#""active":false"#))
        #expect(try app.entitlements(of: "bob").contains(#""active":true"#))
    }

    @Test(arguments: Proof.allCases) func aRefusedTapSaysSo(_ proof: Proof) throws {
        let app = try AppPost(["PAYCAST_TRANSFERS": "keep"])
        let bought = app.purchase(Self.lineage, token: try app.order(of: "ann"))
        #expect(try app.webhook(bought)["outcome"] == "applied")
        let body = try proof.members(in: app).merging(["stream": app.stream(of: "bob")]) { $1 }
        #expect(try app.post(proof.path, members: body)["claim"] == "others")
        let asked = try app.post(proof.path, members: body, isAsked: true)
        #expect(asked.status == 409 && asked["error"] == "owned_by_other", "\(asked)")
        #expect(try app.entitlements(of: "ann").contains(#""active":true"#))
    }

    /// What carries no token is the first poster's, and nobody else's without a tap.
    @Test(arguments: Proof.allCases) func whatHasNoOwnerIsTheFirstPosters(_ proof: Proof) throws {
        let app = try AppPost()
        for (user, claim) in [("ann", "yours"), ("bob", "others"), ("ann", "yours")] {
            let body = try proof.members(in: app).merging(["stream": app.stream(of: user)]) { $1 }
            let posted = try app.post(proof.path, members: body)
            #expect(posted.status == 200 && posted["claim"] == claim, "\(user): \(posted)")
        }
        #expect(try app.entitlements(of: "ann").contains(#""active":true"#))
        let nobody = try app.post(proof.path, members: proof.members(in: app), isTrusted: true)
        #expect(nobody.status == 200 && !nobody.body.contains(#""claim""#), "\(nobody)")
    }

    /// The app has minted the token itself, and tells us late.
    @Test func anOrderThatComesLateIsItsUsers() throws {
        let app = try AppPost()
        let token = OrderToken.random()
        let bought = app.purchase(Self.lineage, token: token)
        #expect(try app.webhook(bought)["outcome"] == "unclaimed")
        let body = ["signedTransaction": try app.store.transaction(bought), "stream": try app.stream(of: "bob")]
        #expect(try app.post("/transactions/apple", members: body)["claim"] == "yours")
        let order = ["user": "ann", "product": "paycast.pro.monthly", "token": token.description]
        #expect(try app.post("/orders", members: order, isTrusted: true).status == 201)
        #expect(try app.entitlements(of: "ann").contains(#""active":true"#))
        #expect(try app.entitlements(of: "bob").contains(#""active":false"#))
        #expect(try app.post("/transactions/apple", members: body)["claim"] == "others")
    }

    @Test(arguments: [true, false]) func whatContradictsItsOrderIsNobodys(isAsked: Bool) throws {
        let app = try AppPost()
        let members = ["user": "ann", "product": "news", "provider": "google"]
        let order = try app.post("/orders", members: members, isTrusted: true)
        let bought = app.purchase(Self.lineage, token: order["order"].flatMap { OrderToken($0) })
        let body = ["signedTransaction": try app.store.transaction(bought), "stream": try app.stream(of: "ann")]
        for outcome in ["quarantined", "duplicate"] {
            let posted = try app.post("/transactions/apple", members: body, isAsked: isAsked)
            #expect(posted.status == 200 && posted["outcome"] == outcome, "\(posted)")
            #expect(posted["claim"] == "nobody", "\(posted)")
        }
    }

    /// Nobody vouches for what an app keeps: a signature proves it, or nothing does.
    @Test func aStreamIsNoKey() throws {
        let app = try AppPost()
        let receipt = try app.receipt(app.receiptPayload)
        let stream = try app.stream(of: "bob")
        let answer = #"{"verifyReceipt":{"status":0},"stream":"\#(stream)"}"#
        let posted = try app.post("/receipts/apple", body: answer)
        #expect(posted.status == 401 && posted["error"] == "unauthorized", "\(posted)")
        let forged = try app.post("/receipts/apple", members: ["receipt": receipt, "stream": stream + "0"])
        #expect(forged.status == 403 && forged["error"] == "forged_stream_name", "\(forged)")
        let named = try app.post("/receipts/apple", members: ["receipt": receipt, "user": "bob"])
        #expect(named.status == 401, "\(named)")
        #expect(try app.entitlements(of: "bob").contains(#""contracts":[]"#))
    }

    /// Ids are not secret. Whoever writes one into a receipt gets nothing by it, and learns nothing.
    @Test(arguments: [true, false]) func anIDGivesAStreamNothing(isAsked: Bool) throws {
        let app = try AppPost()
        let bought = app.purchase(Self.lineage, ago: 30)
        #expect(try app.remember(bought).status == 200)
        let authority = try DevelopmentAuthority.create()
        let signer = CMSSigner(chain: authority.chain, key: authority.leafKey)
        let foreign = Base64.encode(try signer.sign(app.receiptPayload.bytes, form: []))
        let body = ["receipt": foreign, "stream": try app.stream(of: "thief")]
        let posted = try app.post("/receipts/apple", members: body, isAsked: isAsked)
        #expect(posted.status == 200 && posted["claim"] == "unproven", "\(posted)")
        #expect(posted.body.contains(#""events":[]"#) && !posted.body.contains("monthly"), "\(posted)")
        #expect(try app.entitlements(of: "thief").contains(#""contracts":[]"#))
    }

    /// What strangers post waits in its own queue, which is short, and holds up no store.
    @Test(arguments: Proof.allCases) func aFloodIsTurnedAway(_ proof: Proof) throws {
        let app = try AppPost()
        let stream = try app.stream(of: "bob")
        let filler = String(repeating: "[],", count: 60_000)
        let body = #"{"receipt":"AAAA","signedTransaction":"a.b.c","stream":"\#(stream)0","x":[\#(filler)0]}"#
        let head =
            "POST \(proof.path) HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: \(body.utf8.count)\r\n\r\n"
        let sockets = try (0..<160).map { _ in try app.server.connect() }
        for socket in sockets { try socket.send(head + body) }
        #expect(try app.webhook(app.purchase("7")).status == 200)
        let answers = try sockets.map { String(decoding: try $0.readToEnd(), as: UTF8.self) }
        let refused = answers.filter { $0.contains(#""error":"forged_stream_name""#) }
        let busy = answers.filter { $0.hasPrefix("HTTP/1.1 503 ") && $0.contains("Retry-After: ") }
        #expect(refused.count + busy.count == answers.count && !busy.isEmpty && refused.count >= 100)
    }
}

extension AppPost {
    /// Of one subscription.
    var receiptPayload: ReceiptPayload {
        let now = Clock().now()
        return ReceiptPayload(
            bundle: "com.example.paycast",
            createdAt: Instant(milliseconds: (now - .seconds(60)).seconds * 1000).iso8601,
            expiresAt: Instant(milliseconds: (now + .seconds(86_400)).seconds * 1000).iso8601
        )
    }

    /// Signed as the development store does, in Base64.
    func receipt(_ payload: ReceiptPayload, as form: CMSSigner.Form = []) throws -> String {
        let authority = try #require(server.folder.read(".paycast/authority.pem"))
        let chain = try #require(PEM.blocks("CERTIFICATE", in: authority))
        let signer = CMSSigner(chain: chain, key: try PrivateKey(pem: authority))
        return Base64.encode(try signer.sign(payload.bytes, form: form))
    }
}
