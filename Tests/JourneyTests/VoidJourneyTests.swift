import Crypto
import Domain
import HTTPClient
import Simulator
import Support
import TestSupport
import Testing

/// Refunds whose push was lost.
@Suite(.blocking) struct VoidJourneyTests {
    /// A server whose Google is another development server: its stand-in knows the service account by its key file.
    private struct Fixture {
        let google: PaycastServer
        let server: PaycastServer
        private let store: SimulatedGooglePlay
        private let token: OrderToken
        private let stream: String
        private let facts: SimulatedSubscription
        private let client = HTTPClient(timeout: .seconds(20))

        init() throws {
            google = try PaycastServer()
            let pem = try DevelopmentWorkspace.existing(in: google.folder.path).google.pem()
            let key = pem.split(separator: "\n").joined(separator: "\\n")
            let account = #"{"type":"service_account","client_email":"a@b.example","private_key_id":"1","#
            let address = "\(google.url)/demo/api/google"
            let file = google.folder.path + "/account.json"
            let json = #"\#(account)"private_key":"\#(key)\n","token_uri":"\#(address)/token"}"#
            try SmallFile.replace(file, contents: Array(json.utf8))
            server = try PaycastServer(environment: [
                "PAYCAST_GOOGLE_CREDENTIALS": file, "PAYCAST_GOOGLE_API_URL": address,
                "PAYCAST_GOOGLE_PACKAGE": SimulatedGooglePlay.package,
            ])
            store = SimulatedGooglePlay(key: try DevelopmentWorkspace.existing(in: server.folder.path).google)
            let order = try PrintedAnswer(
                server.paycast("order", "--user", "42", "--product", "paycast.pro.monthly", "--provider", "google")
            )
            token = try #require(OrderToken(try order["order"]))
            stream = try order["signed_stream"]
            facts = SimulatedSubscription(product: "paycast.pro.monthly", order: token)
        }

        func page() throws -> EventStreamClient {
            try EventStreamClient(port: server.port, path: "/streams?name=\(stream)")
        }

        /// Google knows of it from now on.
        func say(_ type: String) throws -> SimulatedDelivery {
            let event = SimulatedEvent(type: type, facts: facts, token: token, now: Clock().now())
            let delivery = try store.delivery(event)
            for document in delivery.documents + delivery.history {
                let address = "\(google.url)/demo/api/google" + document.path
                #expect(try client.send("PUT", to: address, body: document.json).status == 200)
            }
            return delivery
        }

        func post(_ delivery: SimulatedDelivery) throws {
            let address = server.url + delivery.path
            let answer = try client.send("POST", to: address, headers: delivery.headers, body: delivery.body)
            #expect(answer.status == 204, "\(String(decoding: answer.body, as: UTF8.self))")
        }

        func recover() throws -> PrintedAnswer {
            try PrintedAnswer(server.paycast("recover", "google", "--since", "1h"))
        }
    }

    /// The server hears nothing of the refund. The next poll does, and the open page is told.
    @Test func openPageIsSwapped() throws {
        let fixture = try Fixture()
        let page = try fixture.page()
        try fixture.post(fixture.say("SUBSCRIPTION_PURCHASED"))
        #expect(try page.message().data?.contains(#"data-state="active""#) == true)
        let push = try fixture.say("VOIDED_PURCHASE")
        #expect(try fixture.recover()["recovered"] == "1")
        #expect(try page.message().data?.contains(#"data-state="revoked""#) == true)
        // The push comes after all.
        try fixture.post(push)
        let again = try fixture.recover()
        #expect(try (again["found"], again["recovered"]) == ("1", "0"))
        try fixture.post(fixture.say("TEST"))
        let tail = fixture.server.paycast("tail", "--since", "start", "--until", "type=TEST", "--timeout", "20")
        #expect(try tail.waitForExit(timeout: .seconds(25)) == 0, "\(tail.errors)")
        #expect(tail.output.split(separator: "VOIDED_PURCHASE").count == 2, "once: \(tail.output)")
    }

    /// By itself, at the start.
    @Test func refundWhileTheServerWasDown() throws {
        let fixture = try Fixture()
        try fixture.post(fixture.say("SUBSCRIPTION_PURCHASED"))
        try fixture.server.stop()
        _ = try fixture.say("VOIDED_PURCHASE")
        try fixture.server.start()
        let line = try fixture.server.process.errorLine { $0.contains("voided purchases read") }
        #expect(line.contains("found=1") && line.contains("recovered=1"), "\(line)")
        let page = try fixture.page()
        var shown = ""
        while !shown.contains(#"target="subscription_status""#) { shown = try page.message().data ?? "" }
        #expect(shown.contains(#"data-state="revoked""#), "\(shown)")
    }
}
