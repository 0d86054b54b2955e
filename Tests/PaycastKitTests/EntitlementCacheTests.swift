import Foundation
import Testing

@testable import PaycastKit

@Suite("The entitlements on disk, which an app may find in a state that it did not write")
struct EntitlementCacheTests {
    private let app = App()
    private let ann = Fixture.stream(of: "ann")
    private var file: URL { app.folder.url.appendingPathComponent("entitlements") }

    /// What stands in the file, and what becomes of it when the server has answered anew.
    struct Found: CustomTestStringConvertible, Sendable {
        var testDescription: String
        var isReplaced: Bool
        var problem: Problem?
        var spoil: @Sendable (Data) -> Data

        static let all = [
            Found(testDescription: "whole", isReplaced: true, problem: nil) { $0 },
            Found(testDescription: "a newer app's", isReplaced: false, problem: .unreadableFile("entitlements")) {
                Data(String(decoding: $0, as: UTF8.self).replacing("paycast-kit 1", with: "paycast-kit 2").utf8)
            },
            Found(testDescription: "cut", isReplaced: true, problem: .damagedFile("entitlements")) { $0.dropLast(3) },
            Found(testDescription: "nonsense", isReplaced: true, problem: .damagedFile("entitlements")) { _ in
                Data("nonsense".utf8)
            },
        ]
    }

    private func stored(_ product: String) -> StoredEntitlements {
        let held = Entitlement(product: product, state: "active", active: true)
        return StoredEntitlements(
            owner: ann.owner,
            entitlements: Entitlements(active: true, entitlements: [held]),
            knownAt: Fixture.start,
            stream: ann
        )
    }

    private func put(_ bytes: Data) throws {
        try FileManager.default.createDirectory(at: app.folder.url, withIntermediateDirectories: true)
        try bytes.write(to: file)
    }

    @Test("The server's next answer replaces it, unless a newer app wrote it", arguments: Found.all)
    func answered(found: Found) async throws {
        let bytes = found.spoil(try Envelope.seal(stored("pro.annual")))
        try put(bytes)
        let coins = #"{"active":true,"entitlements":[{"product":"coins","state":"active","active":true}]}"#
        await app.server.answer("entitlements", 200, coins)
        let purchases = app.launch()
        purchases.logIn(ann)
        #expect(await app.eventually { await purchases.currentEntitlements().opens("coins") })
        purchases.stop()
        if found.isReplaced {
            #expect(try Outbox(folder: app.folder.url).open().entitlements?.entitlements.opens("coins") == true)
        } else {
            #expect(try Data(contentsOf: file) == bytes)
        }
        var problems: [Problem] = []
        for await problem in purchases.problems { problems.append(problem) }
        #expect(problems == [found.problem].compactMap(\.self))
    }

    @Test("A log-out removes it, whoever wrote it: the next user of the device is shown nothing", arguments: Found.all)
    func loggedOut(found: Found) async throws {
        try put(found.spoil(try Envelope.seal(stored("pro.annual"))))
        await app.server.answer("entitlements", nil)
        let purchases = app.launch()
        defer { purchases.stop() }
        purchases.logOut()
        #expect(await app.eventually { !FileManager.default.fileExists(atPath: file.path) })
    }

    @Test("A file that cannot be read is left alone, and replaced once it can be")
    func locked() throws {
        let outbox = Outbox(folder: app.folder.url)
        // Nobody reads a folder as a file, not even root.
        try FileManager.default.createDirectory(at: file, withIntermediateDirectories: true)
        try outbox.save(stored("pro.annual"))
        #expect(try outbox.open().unreadable == ["entitlements"] && app.folder.names == ["entitlements"])
        try FileManager.default.removeItem(at: file)
        try put(try Envelope.seal(stored("coins")))
        try outbox.save(stored("pro.annual"))
        #expect(try outbox.open().entitlements == stored("pro.annual"))
    }
}
