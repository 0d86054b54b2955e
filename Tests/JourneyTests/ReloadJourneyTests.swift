import HTTPClient
import Simulator
import TestSupport
import Testing

/// What an operator changes while the server runs.
@Suite(.blocking) struct ReloadJourneyTests {
    private let folder = TemporaryFolder()

    @Test(arguments: [RunningProcess.Signal.hangUp, .user1, .user2])
    func staysUpAndDrains(_ signal: RunningProcess.Signal) throws {
        let server = try PaycastServer()
        server.process.send(signal)
        #expect(try status("/up", on: server) == 200)
        if case .hangUp = signal { _ = try server.process.errorLine { $0.contains(" reloaded changed=nothing") } }
        server.process.send(.terminate)
        #expect(try server.process.waitForExit() == 0)
        #expect(server.process.errors.contains(" stopped"))
    }

    @Test func keysAreReplaced() throws {
        let environment = [
            "PAYCAST_API_KEY_FILE": folder.write("old-old-old-old-old\n", to: "api"),
            "PAYCAST_STREAM_KEYS_FILE": folder.write("old-stream-old-stream\n", to: "stream"),
        ]
        let server = try PaycastServer([], environment: environment)
        let old = try answer("/users/42/stream", key: "old-old-old-old-old", on: server)
        #expect(old.status == 200)
        folder.write("new-new-new-new-new\n", to: "api")
        folder.write("new-stream-new-stream,old-stream-old-stream\n", to: "stream")
        try reload(server, change: "changed=\"PAYCAST_API_KEY, PAYCAST_STREAM_KEYS\"")
        #expect(try status("/users/42/stream", key: "old-old-old-old-old", on: server) == 401)
        let new = try answer("/users/42/stream", key: "new-new-new-new-new", on: server)
        // The new key signs, and a name that the old one signed is still good.
        for page in [old, new] {
            let path = try #require(address(in: page.text))
            #expect(try EventStreamClient(port: server.port, path: path).status == 200)
        }
        #expect(address(in: old.text) != address(in: new.text))
        folder.write("new-stream-new-stream\n", to: "stream")
        try reload(server, change: "changed=PAYCAST_STREAM_KEYS")
        #expect(try EventStreamClient(port: server.port, path: address(in: old.text) ?? "").status == 403)
    }

    @Test func rightIsTakenAway() throws {
        let file = folder.write("support:read:0123456789abcdef\n", to: "keys")
        let server = try PaycastServer([], environment: ["PAYCAST_KEYS_FILE": file])
        #expect(try status("/users/42/entitlements", key: "0123456789abcdef", on: server) == 200)
        #expect(try status("/recoveries", key: "0123456789abcdef", on: server) == 403)
        folder.write("support:act:0123456789abcdef\n", to: "keys")
        try reload(server, change: "changed=PAYCAST_KEYS")
        #expect(try status("/users/42/entitlements", key: "0123456789abcdef", on: server) == 403)
        #expect(try status("/recoveries", key: "0123456789abcdef", on: server) == 200)
    }

    /// A `tail` that may not read any more says so and ends, in place of asking for ever.
    @Test func tailEndsWithoutItsRight() throws {
        let key = "0123456789abcdef"
        let file = folder.write("support:personal+read:\(key)\n", to: "keys")
        let server = try PaycastServer([], environment: ["PAYCAST_KEYS_FILE": file])
        let words = ["tail", "--audit", "--since", "start", "--limit", "2", "--timeout", "60", "--key", key]
        let tail = server.paycast(words)
        #expect(try status("/users/42/events?bodies=true", key: key, on: server) == 200)
        _ = try tail.line { $0.contains("user=42") }
        folder.write("support:read:\(key)\n", to: "keys")
        try reload(server, change: "changed=PAYCAST_KEYS")
        #expect(try tail.waitForExit() == 1)
        #expect(tail.errors.contains("missing_right") && !tail.errors.contains("trying again"), "\(tail.errors)")
    }

    @Test func storeSecretIsReplaced() throws {
        let file = folder.write("Bearer old", to: "revenuecat")
        let fixture = try WebhookFixture(environment: ["PAYCAST_REVENUECAT_AUTHORIZATION_FILE": file]) { _ in
            SimulatedRevenueCat(secret: "Bearer old")
        }
        var delivery = try fixture.delivery("INITIAL_PURCHASE")
        try fixture.expect(delivery, status: 200, text: "applied")
        folder.write("Bearer new", to: "revenuecat")
        try reload(fixture.server, change: "changed=PAYCAST_REVENUECAT_AUTHORIZATION")
        try fixture.expect(delivery, status: 401, text: "unauthorized")
        delivery.headers = [("Authorization", "Bearer new")]
        try fixture.expect(delivery, status: 200, text: "duplicate")
    }

    /// A broken catalog holds up nothing else, and the last good one stays.
    @Test func catalogIsReplacedByAGoodOne() throws {
        let environment = [
            "PAYCAST_CATALOG": catalog("silver"),
            "PAYCAST_API_KEY_FILE": folder.write("one", to: "api"),
        ]
        let fixture = try WebhookFixture(environment: environment) { SimulatedRevenueCat($0) }
        let server = fixture.server
        try fixture.expect(try fixture.delivery("INITIAL_PURCHASE"), status: 200, text: "applied")
        #expect(try entitlements(key: "one", on: server).contains("\"silver\""))
        _ = catalog("gold")
        try reload(server, change: "changed=PAYCAST_CATALOG")
        #expect(try entitlements(key: "one", on: server).contains("\"gold\""))
        folder.write("{\"products\":[]}", to: "catalog.json")
        folder.write("two", to: "api")
        try reload(server, change: "changed=PAYCAST_API_KEY")
        let problem = try server.process.errorLine { $0.contains("setting=PAYCAST_CATALOG") }
        #expect(problem.contains("products is not an object") && problem.contains("send SIGHUP again"))
        #expect(try warnings(of: server).contains("PAYCAST_CATALOG: not reloaded, the old one stays"))
        #expect(try entitlements(key: "two", on: server).contains("\"gold\""))
        _ = catalog("platinum")
        try reload(server, change: "changed=PAYCAST_CATALOG")
        // The line of the first reload reads the same.
        try Deadline(.seconds(60)).wait { try !warnings(of: server).contains("not reloaded") }
    }

    private func warnings(of server: PaycastServer) throws -> String {
        try answer("/ready", key: "two", on: server).text
    }

    private func catalog(_ group: String) -> String {
        folder.write("{\"products\":{\"paycast.pro.monthly\":{\"group\":\"\(group)\"}}}", to: "catalog.json")
    }

    private func reload(_ server: PaycastServer, change: String) throws {
        server.process.send(.hangUp)
        _ = try server.process.errorLine { $0.contains(" reloaded ") && $0.hasSuffix(change) }
    }

    private func entitlements(key: String, on server: PaycastServer) throws -> String {
        try answer("/users/42/entitlements", key: key, on: server).text
    }

    private func status(_ path: String, key: String = "", on server: PaycastServer) throws -> Int {
        try answer(path, key: key, on: server).status
    }

    private func answer(_ path: String, key: String, on server: PaycastServer) throws -> (status: Int, text: String) {
        let headers = [("Authorization", "Bearer \(key)")]
        let response = try HTTPClient(timeout: .seconds(60)).send("GET", to: server.url + path, headers: headers)
        return (response.status, String(decoding: response.body, as: UTF8.self))
    }

    /// The path of the event stream that a page is told.
    private func address(in page: String) -> String? {
        guard let start = page.firstRange(of: "/streams?name=") else { return nil }
        return String(page[start.lowerBound...].prefix { $0 != "\"" })
    }
}
