import Foundation
import Testing

@testable import PaycastKit

@Suite("The entitlements on disk")
struct EntitlementCacheTests {
    private let app = App()
    private let ann = Fixture.stream(of: "ann")
    private var file: URL { app.folder.url.appendingPathComponent("entitlements") }

    /// What an app may find there: its own, a cut file, nonsense.
    private func put(_ spoil: (Data) -> Data) throws {
        let held = Entitlement(product: "pro.annual", state: "active", active: true)
        let entitlements = Entitlements(active: true, entitlements: [held])
        try app.disk.save(
            StoredEntitlements(owner: ann.owner, entitlements: entitlements, knownAt: Fixture.start, stream: ann)
        )
        try spoil(Data(contentsOf: file)).write(to: file)
    }

    @Test(
        "The server's next answer replaces it, and a log-out removes it, whatever is in it",
        arguments: [0, 3, 10_000]
    )
    func replaced(cut: Int) async throws {
        try put { $0.dropLast(cut) }
        let coins = #"{"active":true,"entitlements":[{"product":"coins","state":"active","active":true}]}"#
        await app.server.answer("entitlements", 200, coins)
        let purchases = app.launch()
        defer { purchases.stop() }
        purchases.logIn(ann)
        #expect(await app.eventually { await purchases.currentEntitlements().opens("coins") })
        #expect(try app.disk.entitlements?.entitlements.opens("coins") == true)
        purchases.logOut()
        #expect(await app.eventually { !FileManager.default.fileExists(atPath: file.path) })
    }
}
