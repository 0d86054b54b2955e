import TestSupport
import Testing

/// A notification that Apple itself signed, at the time when it was posted. Skipped where the data is not there.
@Suite(.enabled(if: Genuine.body != nil, "../shared/data/apple is not on this machine"), .blocking)
struct GenuineNotificationTests {
    private static let token = "a5af9b36-0e4d-4665-8351-0e4003752165"

    private func server(at now: String, bundle: String? = Genuine.bundle) throws -> PaycastServer {
        // The stand-in beside the server does not know what Apple itself signed.
        var settings = ["PAYCAST_DEV_NOW": now, "PAYCAST_LEEWAY_SECONDS": "0"]
        settings["PAYCAST_APPLE_BUNDLE_ID"] = bundle
        return try PaycastServer(environment: settings)
    }

    private func order(on server: PaycastServer) throws -> String {
        let order = server.paycast(
            "order",
            "--user",
            "42",
            "--product",
            "purchasekit.pro.annual",
            "--token",
            Self.token
        )
        #expect(try order.waitForExit() == 0, "\(order.errors)")
        let line = try #require(order.output.split(separator: "\n").first { $0.hasPrefix("signed_stream") })
        return String(line.split(separator: " ").last ?? "")
    }

    private func post(to server: PaycastServer) throws -> String {
        let body = try #require(Genuine.body)
        let socket = try server.connect()
        try socket.send("POST /webhooks/apple HTTP/1.1\r\nHost: x\r\nConnection: close\r\n")
        try socket.send("Content-Length: \(body.utf8.count)\r\n\r\n\(body)")
        return String(decoding: try socket.readToEnd(), as: UTF8.self)
    }

    @Test(arguments: [Genuine.bundle, nil]) func swapsThePageOfWhoOrderedOnce(_ bundle: String?) throws {
        let server = try server(at: "2025-12-18T21:47:00Z", bundle: bundle)
        let page = try EventStreamClient(port: server.port, path: "/streams?name=\(try order(on: server))")
        #expect(try page.block().id != nil)
        #expect(try post(to: server).contains(#""outcome":"applied""#))
        #expect(try page.message().data?.contains(#"target="paywall""#) == true)
        #expect(try post(to: server).contains(#""outcome":"duplicate""#))
        try server.stop(with: .terminate)
        #expect(try page.messagesToEnd().isEmpty)
    }

    @Test func waitsForItsOrder() throws {
        let server = try server(at: "2025-12-18T21:47:00Z")
        let sign = server.paycast("sign", "user:42:paywall")
        #expect(try sign.waitForExit() == 0)
        let name = sign.output.split(separator: "\n").first ?? ""
        let page = try EventStreamClient(port: server.port, path: "/streams?name=\(name)")
        #expect(try page.block().id != nil)
        #expect(try post(to: server).contains(#""outcome":"unclaimed""#))
        _ = try order(on: server)
        #expect(try page.message().data?.contains(#"data-state="active""#) == true)
    }

    /// The period ends at 22:47:33. A loaded machine needs seconds for what comes before.
    @Test func accessEndsByItself() throws {
        let server = try server(at: "2025-12-18T22:47:13Z")
        let page = try EventStreamClient(port: server.port, path: "/streams?name=\(try order(on: server))")
        #expect(try page.block().id != nil)
        #expect(try post(to: server).contains(#""outcome":"applied""#))
        #expect(try page.message().data?.contains(#"data-state="active""#) == true)
        #expect(try page.message().data?.contains(#"data-state="expired""#) == true)
    }
}

enum Genuine {
    static let bundle: String? = "com.masilotti.purchasekit.base"
    static let body = readFile(PaycastProgram.root + "/../shared/data/apple/did-renew-sandbox.json")
}
