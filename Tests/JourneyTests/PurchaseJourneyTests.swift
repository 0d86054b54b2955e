import Domain
import TestSupport
import Testing

/// From an order to the page of the user who paid.
@Suite(.blocking) struct PurchaseJourneyTests {
    @Test func paidOrderOpensThePage() throws {
        let server = try PaycastServer()
        let order = try PrintedAnswer(server.paycast("order", "--user", "42", "--product", "paycast.pro.monthly"))
        let page = try EventStreamClient(port: server.port, path: "/streams?name=\(try order["signed_stream"])")
        #expect(page.status == 200)
        let delivery = try PrintedAnswer(
            server.paycast("trigger", "apple", "SUBSCRIBED/INITIAL_BUY", "--order", order["order"])
        )
        #expect(try delivery["outcome"] == "applied")
        let message = try page.message()
        #expect(message.data?.contains(#"target="paywall""#) == true)
        #expect(message.id == (try delivery["cursor"]))
    }

    /// Killed after the answer and before the page was there: its cursor brings it all.
    @Test func pageResumesOnAnotherProcess() throws {
        let server = try PaycastServer()
        let order = try PrintedAnswer(server.paycast("order", "--user", "42", "--product", "paycast.pro.monthly"))
        let delivery = try PrintedAnswer(
            server.paycast("trigger", "apple", "SUBSCRIBED/INITIAL_BUY", "--order", order["order"])
        )
        try server.restart()
        let page = try EventStreamClient(
            port: server.port,
            path: "/streams?name=\(try order["signed_stream"])",
            headers: [("Last-Event-ID", try order["since"])]
        )
        #expect(try page.message().id == (try delivery["cursor"]))
    }

    @Test func sameOrderAgainIsTheSame() throws {
        let server = try PaycastServer()
        let words = ["order", "--user", "42", "--product", "p", "--token", "0f8fad5b-d9cb-469f-a165-70867728950e"]
        let first = try PrintedAnswer(server.paycast(words))
        #expect(try first["order"] == "0f8fad5b-d9cb-469f-a165-70867728950e")
        #expect(try PrintedAnswer(server.paycast(words))["order"] == (try first["order"]))
        let stolen = server.paycast(words.map { $0 == "42" ? "43" : $0 })
        #expect(try stolen.waitForExit() == 1)
        #expect(stolen.errors.contains("409"))
    }

    /// Bought before anybody was known to have ordered: the order that comes later claims it.
    @Test func purchaseWaitsForItsOrder() throws {
        let server = try PaycastServer()
        let token = OrderToken.random().description
        let delivery = try PrintedAnswer(server.paycast("trigger", "apple", "SUBSCRIBED/INITIAL_BUY", "--order", token))
        #expect(try delivery["outcome"] == "unclaimed")
        let order = try PrintedAnswer(
            server.paycast("order", "--user", "42", "--product", "paycast.pro.monthly", "--token", token)
        )
        let page = try EventStreamClient(port: server.port, path: "/streams?name=\(try order["signed_stream"])")
        #expect(try page.message().data?.contains(#"target="paywall""#) == true)
        let tail = server.paycast("tail", "--since", "start", "--until", "kind=order.claimed", "--timeout", "40")
        #expect(try tail.waitForExit() == 0)
    }

    @Test(arguments: [("TEST", "ignored"), ("A_TYPE_OF_TOMORROW", "unclaimed")])
    func triggerTellsTheOutcome(_ type: String, outcome: String) throws {
        let server = try PaycastServer()
        #expect(try PrintedAnswer(server.paycast("trigger", "apple", type, "--force"))["outcome"] == outcome)
    }

    @Test func publishedMarkupReachesASignedStream() throws {
        let server = try PaycastServer()
        let sign = server.paycast("sign", "room:1")
        #expect(try sign.waitForExit() == 0)
        let name = sign.output.split(separator: "\n")[0]
        let page = try EventStreamClient(port: server.port, path: "/streams?name=\(name)")
        let markup = #"<turbo-stream action="remove" target="x"></turbo-stream>"#
        let publish = server.paycast("publish", "--stream", "room:1", "--html", "-", input: markup)
        #expect(try publish.waitForExit() == 0)
        let message = try page.message()
        #expect(message.data == markup)
        #expect(publish.output == (message.id ?? "") + "\n")
    }
}
