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
        let entitlements = Entitlements(active: true, entitlements: ["pro": Entitlement(active: true)], contracts: [])
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
        let maps = #"{"active":true,"entitlements":{"maps":{"active":true,"state":"owned"}},"contracts":[]}"#
        await app.server.answer("entitlements", 200, maps)
        let purchases = app.launch()
        defer { purchases.stop() }
        purchases.logIn(ann)
        #expect(await app.eventually { await purchases.isActive("maps") })
        #expect(try app.disk.entitlements?.entitlements.isActive("maps") == true)
        purchases.logOut()
        #expect(await app.eventually { !FileManager.default.fileExists(atPath: file.path) })
    }
}
