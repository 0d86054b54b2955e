import Foundation
import Testing

@testable import PaycastKit

@Suite("The user's stream")
struct StreamListenerTests {
    private let app = App()
    private let ann = Fixture.stream(of: "ann")

    private func query() async -> [String: String]? { await app.server.requests.last { $0.path == "streams" }?.query }

    @Test("Read as the server writes it, cut anywhere")
    func parser() {
        let text = "retry: 2000\r\nid: e-0\n\n:\n\nid: e-1\ndata: <turbo-stream>\ndata: </turbo-stream>\n\ndata"
        let expected = [
            ServerSentEvent(id: "e-0", retry: 2), ServerSentEvent(id: "e-1", hasData: true),
        ]
        for length in 1...text.utf8.count {
            var parser = ServerSentEventParser()
            var events: [ServerSentEvent] = []
            var rest = Data(text.utf8)
            while !rest.isEmpty {
                events += parser.take(rest.prefix(length))
                rest = Data(rest.dropFirst(length))
            }
            #expect(events == expected, "cut every \(length) bytes")
        }
    }

    @Test(
        "Followed while somebody reads the entitlements; news are asked for, and a lost connection goes on from its cursor"
    )
    func news() async {
        let purchases = app.launch()
        defer { purchases.stop() }
        purchases.logIn(ann)
        _ = await purchases.currentEntitlements()
        #expect(await app.server.connections.isEmpty)
        let reader = Task { for await _ in purchases.entitlements {} }
        #expect(await app.eventually { await app.server.connections.count == 1 })
        #expect(await query() == ["name": ann.rawValue])
        await app.server.connections[0].yield(ServerSentEvent(id: "e-1"))
        #expect(await app.eventually { await app.server.count("entitlements") == 2 })
        await app.server.connections[0].yield(ServerSentEvent(id: "e-2", hasData: true))
        #expect(await app.eventually { await app.server.count("entitlements") == 3 })

        await app.server.connections[0].finish()
        #expect(
            await app.eventually {
                app.clock.advance(0.5)
                return await app.server.connections.count == 2
            }
        )
        #expect(await query() == ["name": ann.rawValue, "since": "e-2"])
        await app.server.connections[1].yield(ServerSentEvent(id: "e-2"))
        reader.cancel()
        #expect(await app.eventually { await app.server.closed == 2 })
        #expect(await app.server.count("entitlements") == 3)
    }

    @Test("Not followed while the app is behind others")
    func background() async {
        let purchases = app.launch()
        defer { purchases.stop() }
        purchases.logIn(ann)
        let reader = Task { for await _ in purchases.entitlements {} }
        defer { reader.cancel() }
        #expect(await app.eventually { await app.server.connections.count == 1 })
        let feed = purchases.engine.feed
        await feed.hear(.leftFront)
        #expect(await app.eventually { await app.server.closed == 1 })
        await feed.hear(.networkIsBack)
        app.clock.advance(600)
        await feed.hear(.cameToFront)
        #expect(await app.eventually { await app.server.connections.count == 2 })
    }
}
