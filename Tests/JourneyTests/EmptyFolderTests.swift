import FoundationEssentials
import HTTPClient
import TestSupport
import Testing

/// The program in a folder with nothing in it: it carries the demo and the templates in itself.
@Suite(.blocking) struct EmptyFolderTests {
    private let folder = TemporaryFolder()
    private let client = HTTPClient(timeout: .seconds(20))

    private func start(_ words: [String], environment: [String: String] = [:]) throws -> (RunningProcess, String) {
        let process = PaycastProgram.start(words + ["--port", "0"], environment: environment, folder: folder.path)
        let line = try process.line { $0.hasPrefix("paycast listening on ") }
        return (process, String(line.split(separator: " ").last ?? ""))
    }

    private func get(_ url: String) throws -> (status: Int, text: String) {
        let response = try client.send("GET", to: url)
        return (response.status, String(decoding: response.body, as: UTF8.self))
    }

    @Test func demoServesAllThatThePublicFolderHas() throws {
        let (demo, url) = try start(["demo"])
        let original = PaycastProgram.root + "/public/demo"
        let files = try FileManager.default.contentsOfDirectory(atPath: original)
        #expect(files.count >= 4)
        for file in files {
            let answer = try get("\(url)/demo/\(file)")
            #expect(answer.status == 200)
            #expect(answer.text == readFile("\(original)/\(file)"), "\(file)")
        }
        #expect(try get(url + "/").text.contains("data-subscribe"))
        let words = ["trigger", "apple", "SUBSCRIBED/INITIAL_BUY", "--user", "demo", "--expect", "success"]
        let buyer = PaycastProgram.start(words, folder: folder.path)
        #expect(try buyer.waitForExit() == 0, "\(buyer.errors)")
        #expect(try get(url + "/").text.contains(#"data-state="active""#))
        demo.send(.terminate)
        #expect(try demo.waitForExit() == 0, "\(demo.errors)")
        #expect(!demo.errors.contains("public"), "\(demo.errors)")
    }

    @Test func aFolderOverridesSingleFilesAndItsTemplatesAreTheSet() throws {
        folder.write("p {}", to: "public/demo/demo.css")
        let (demo, url) = try start(["demo"])
        #expect(try get(url + "/demo/demo.css").text == "p {}")
        #expect(try get(url + "/demo/demo.js").status == 200)
        demo.send(.terminate)
        #expect(try demo.waitForExit() == 0)
        folder.write(#"<p id="paywall">Welcome</p>"#, to: "public/fragments/success.html")
        let (own, address) = try start(["demo"])
        #expect(try !get(address + "/").text.contains("data-subscribe"), "no paywall.html: the offers are elsewhere")
        own.send(.terminate)
        #expect(try own.waitForExit() == 0)
    }

    /// The demo's offers are nobody else's.
    @Test func productionServesTemplatesAndNoDemo() throws {
        let key = "0123456789abcdef0123456789abcdef"
        let environment = ["PAYCAST_API_KEY": key, "PAYCAST_STREAM_KEYS": key]
        let (server, url) = try start(["serve"], environment: environment)
        for path in ["/", "/demo/demo.css", "/demo/index.html", "/demo/bridge.js", "/demo/api/apple/device/products"] {
            #expect(try get(url + path).status == 404, "\(path)")
        }
        #expect(server.errors.contains("the built-in templates"), "\(server.errors)")
        server.send(.terminate)
        #expect(try server.waitForExit() == 0)
    }
}
