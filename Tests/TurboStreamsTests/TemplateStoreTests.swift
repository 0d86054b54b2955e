import Domain
import Foundation
import Testing

@testable import TurboStreams

@Suite struct TemplateStoreTests {
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
        let store = try TemplateStore(folder: folder.path)
        #expect(shown(store) == paywall("one"))
        #expect(store.refresh() == TemplateStore.Changes())
        try folder.write("success.html", source: paywall("second"))
        #expect(store.refresh().updated == ["success.html"])
        #expect(shown(store) == paywall("second"))
        try folder.remove("success.html")
        #expect(store.refresh() == TemplateStore.Changes(removed: ["success.html"]))
        #expect(shown(store) == nil)
        #expect(store.refresh() == TemplateStore.Changes())
    }

    @Test func whatTheProgramCarriesStandsForAFolderThatIsNotThere() throws {
        let folder = try Folder()
        let missing = folder.path + "/fragments"
        let builtIn = ["success.html": Array(paywall("built in").utf8)]
        let store = try TemplateStore(folder: missing, builtIn: builtIn)
        #expect(shown(store) == paywall("built in"))
        #expect(store.refresh() == TemplateStore.Changes())
        try FileManager.default.createDirectory(atPath: missing, withIntermediateDirectories: true)
        #expect(store.refresh().removed == ["success.html"])
        #expect(shown(store) == nil, "an empty folder has no templates")
        try folder.write("fragments/success.html", source: paywall("own"))
        #expect(store.refresh().updated == ["success.html"])
        #expect(shown(store) == paywall("own"))
        try folder.remove("fragments")
        #expect(store.refresh().updated == ["success.html"])
        #expect(shown(store) == paywall("built in"))
    }

    @Test func keepsTheLastGoodVersionOfABrokenFile() throws {
        let folder = try Folder()
        try folder.write("success.html", source: paywall("good"))
        let store = try TemplateStore(folder: folder.path)
        try folder.write("success.html", source: "<p>{{")
        #expect(store.refresh().broken.map(\.file) == ["success.html"])
        #expect(store.refresh() == TemplateStore.Changes())
        #expect(shown(store) == paywall("good"))
        #expect(store.problems == ["fragments/success.html: line 1: <p> is never closed; write </p>"])
        try folder.write("success.html", source: paywall("better"))
        store.refresh()
        #expect(shown(store) == paywall("better"))
        #expect(store.problems == [])
    }

    @Test func forgetsTheProblemOfARemovedFile() throws {
        let folder = try Folder()
        let store = try TemplateStore(folder: folder.path)
        try folder.write("Success.html", source: "")
        #expect(store.refresh().broken.count == 1)
        #expect(store.problems.first?.hasSuffix(". Did you mean success.html?") == true)
        try folder.remove("Success.html")
        #expect(store.refresh() == TemplateStore.Changes(removed: ["Success.html"]))
        #expect(store.problems == [])
        // It was never served.
        #expect(!store.warnings.contains { $0.cause == .removed })
    }

    @Test func refusesToStartWithAllProblems() throws {
        let folder = try Folder()
        try folder.write("success.html", source: "")
        try folder.write("news.html", source: "<p>")
        try folder.write("big.html", source: String(repeating: " ", count: TemplateFolder.largestFile + 1))
        let error = #expect(throws: TemplateProblems.self) { try TemplateStore(folder: folder.path) }
        #expect(error?.problems.map(\.file) == ["big.html", "news.html", "success.html"])
    }

    @Test func looksAtPlainHTMLFilesOnly() throws {
        let folder = try Folder()
        try folder.write("README.md", source: "<p>")
        try folder.write(".success.html.swp", source: "<p>")
        try folder.write(".#success.html", source: "<p>")
        try FileManager.default.createDirectory(atPath: folder.path + "/old.html", withIntermediateDirectories: false)
        let store = try TemplateStore(folder: folder.path)
        #expect(store.templates == TemplateSet())
    }

    @Test func aFolderThatDoesNotExistHasNoTemplates() throws {
        let store = try TemplateStore(folder: "/nonexistent/fragments")
        #expect(store.templates == TemplateSet())
    }

    private func paywall(_ text: String) -> String { "<p id=\"paywall\">\(text)</p>" }

    private func shown(_ store: TemplateStore) -> String? {
        store.renderer.element(.success, for: .paywall, values: [:]).map { String(decoding: $0, as: UTF8.self) }
    }
}
