import Domain
import Foundation
import Testing

@testable import Pages

@Suite struct TemplateLoaderTests {
    /// 3 December 2025, 12:00 UTC.
    private static let now = Instant(milliseconds: 1_764_763_200_000)

    /// A real folder, removed when the test lets go of it.
    final class Folder {
        let path = FileManager.default.temporaryDirectory.appendingPathComponent("fragments-\(UUID().uuidString)").path

        init() throws {
            try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        }

        deinit {
            try? FileManager.default.removeItem(atPath: path)
        }

        func write(_ file: String, source: String) throws {
            try Data(source.utf8).write(to: URL(fileURLWithPath: "\(path)/\(file)"))
        }

        func remove(_ file: String) throws {
            try FileManager.default.removeItem(atPath: "\(path)/\(file)")
        }
    }

    @Test func servesAChangedFile() throws {
        let folder = try Folder()
        try folder.write("success.html", source: paywall("one"))
        let loader = try TemplateLoader(folder: folder.path)
        #expect(shown(loader) == paywall("one"))
        #expect(loader.refresh(at: Self.now) == TemplateLoader.Changes())
        try folder.write("success.html", source: paywall("second"))
        #expect(loader.refresh(at: Self.now).updated == ["success.html"])
        #expect(shown(loader) == paywall("second"))
        try folder.remove("success.html")
        #expect(loader.refresh(at: Self.now) == TemplateLoader.Changes(removed: ["success.html"]))
        #expect(shown(loader) == nil)
        #expect(loader.refresh(at: Self.now) == TemplateLoader.Changes())
    }

    @Test func whatTheProgramCarriesStandsForAFolderThatIsNotThere() throws {
        let folder = try Folder()
        let missing = folder.path + "/fragments"
        let builtIn = ["success.html": Array(paywall("built in").utf8)]
        let loader = try TemplateLoader(folder: missing, builtIn: builtIn)
        #expect(shown(loader) == paywall("built in") && !loader.hasOwnFolder)
        #expect(loader.refresh(at: Self.now) == TemplateLoader.Changes())
        try FileManager.default.createDirectory(atPath: missing, withIntermediateDirectories: true)
        #expect(
            loader.refresh(at: Self.now) == TemplateLoader.Changes(hasOwnFolder: true),
            "nobody has removed anything"
        )
        #expect(!loader.warnings.contains { $0.isRemoved })
        #expect(loader.hasOwnFolder)
        #expect(shown(loader) == nil, "an empty folder has no templates")
        try folder.write("fragments/success.html", source: paywall("own"))
        #expect(loader.refresh(at: Self.now).updated == ["success.html"])
        #expect(shown(loader) == paywall("own"))
        try folder.remove("fragments")
        #expect(loader.refresh(at: Self.now).updated == ["success.html"])
        #expect(shown(loader) == paywall("built in"))
    }

    @Test func keepsTheLastGoodVersionOfABrokenFile() throws {
        let folder = try Folder()
        try folder.write("success.html", source: paywall("good"))
        let loader = try TemplateLoader(folder: folder.path)
        try folder.write("success.html", source: "<p>{{")
        #expect(loader.refresh(at: Self.now).broken.map(\.file) == ["success.html"])
        let later = Self.now + .seconds(60)
        #expect(loader.refresh(at: later) == TemplateLoader.Changes())
        #expect(shown(loader) == paywall("good"))
        let effect =
            "; pages get the last good version since 2025-12-03T12:00:00.000Z, and the server would not start again with it"
        #expect(loader.broken == ["fragments/success.html: line 1: <p> is never closed; write </p>" + effect])
        // Another mistake in it is no new beginning.
        try folder.write("success.html", source: "<b>{{ longer")
        #expect(loader.refresh(at: later).broken.count == 1)
        #expect(loader.broken == ["fragments/success.html: line 1: <b> is never closed; write </b>" + effect])
        try folder.write("success.html", source: paywall("better"))
        loader.refresh(at: Self.now)
        #expect(shown(loader) == paywall("better"))
        #expect(loader.broken == [])
        try folder.write("success.html", source: "<p>{{")
        loader.refresh(at: later)
        #expect(loader.broken.first?.contains("since 2025-12-03T12:01:00.000Z") == true)
    }

    @Test func forgetsTheProblemOfARemovedFile() throws {
        let folder = try Folder()
        let loader = try TemplateLoader(folder: folder.path)
        try folder.write("Success.html", source: "")
        #expect(loader.refresh(at: Self.now).broken.count == 1)
        #expect(loader.broken.first?.contains(". Did you mean success.html?; pages do without it since ") == true)
        try folder.remove("Success.html")
        #expect(loader.refresh(at: Self.now) == TemplateLoader.Changes(removed: ["Success.html"]))
        #expect(loader.broken == [])
        // It was never served.
        #expect(!loader.warnings.contains { $0.isRemoved })
    }

    @Test func refusesToStartWithAllProblems() throws {
        let folder = try Folder()
        try folder.write("success.html", source: "")
        try folder.write("news.html", source: "<p>")
        try folder.write("big.html", source: String(repeating: " ", count: TemplateFolder.largestFile + 1))
        let error = #expect(throws: TemplateProblems.self) { try TemplateLoader(folder: folder.path) }
        #expect(error?.problems.map(\.file) == ["big.html", "news.html", "success.html"])
    }

    @Test func looksAtPlainHTMLFilesOnly() throws {
        let folder = try Folder()
        try folder.write("README.md", source: "<p>")
        try folder.write(".success.html.swp", source: "<p>")
        try folder.write(".#success.html", source: "<p>")
        try FileManager.default.createDirectory(atPath: folder.path + "/old.html", withIntermediateDirectories: false)
        let loader = try TemplateLoader(folder: folder.path)
        #expect(loader.renderer == TemplateRenderer())
    }

    /// The catalog's entitlements decide what is probably a mistake, also after another catalog.
    @Test func warningsFollowTheCatalog() throws {
        let folder = try Folder()
        for name in FragmentName.allCases {
            let ids =
                name == .purchase
                ? "<p id=\"purchase\"></p>" : "<p id=\"{{paywall}}\"></p><p id=\"{{subscription_status}}\"></p>"
            try folder.write("\(name.rawValue).html", source: name == .success ? paywall("Pro") : ids)
        }
        let loader = try TemplateLoader(folder: folder.path)
        #expect(loader.warnings.isEmpty)
        loader.adopt(Catalog(entitlements: ["pro", "maps"].compactMap(EntitlementName.init)))
        #expect(loader.warnings.map(\.file) == ["success.html"])
        try FileManager.default.createDirectory(atPath: folder.path + "/maps", withIntermediateDirectories: false)
        try folder.write("maps/success.html", source: "<p id=\"paywall_maps\">Maps</p>")
        loader.refresh(at: Self.now)
        #expect(loader.warnings.isEmpty)
        loader.adopt(Catalog(entitlements: ["pro", "map"].compactMap(EntitlementName.init)))
        #expect(loader.warnings.map(\.file) == ["maps/", "success.html"])
    }

    @Test func aFolderThatDoesNotExistHasNoTemplates() throws {
        let loader = try TemplateLoader(folder: "/nonexistent/fragments")
        #expect(loader.renderer == TemplateRenderer())
    }

    private func paywall(_ text: String) -> String { "<p id=\"paywall\">\(text)</p>" }

    private func shown(_ loader: TemplateLoader) -> String? {
        loader.renderer.element(.success, for: .paywall, values: [:]).map { String(decoding: $0, as: UTF8.self) }
    }
}
