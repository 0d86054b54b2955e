import TestSupport
import Testing

/// What the program brings along for pages and tools of other origins, from a server whose public folder is the app's own.
@Suite(.blocking) struct ShippedFileTests {
    private let folder = TemporaryFolder()
    private let server: PaycastServer

    init() throws {
        folder.write("export {}", to: "public/app.js")
        folder.write("{}", to: "public/private.json")
        server = try PaycastServer(publicFolder: folder.path("public"))
    }

    private func ask(_ method: String, path: String, adding more: String = "") throws -> (head: String, body: String) {
        let socket = try server.connect()
        try socket.send("\(method) \(path) HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\(more)\r\n")
        let head = try socket.read(until: "\r\n\r\n")
        return (head, String(decoding: try socket.readToEnd(), as: UTF8.self))
    }

    private func value(_ name: String, in head: String) -> String? {
        let line = head.split(separator: "\r\n").first { $0.hasPrefix(name + ": ") }
        return line.map { String($0.dropFirst(name.utf8.count + 2)) }
    }

    @Test(arguments: [
        ("/paycast.js", "text/javascript; charset=utf-8"), ("/paycast-native.js", "text/javascript; charset=utf-8"),
        ("/openapi.json", "application/json"),
    ])
    func isPartOfTheProgram(_ path: String, type: String) throws {
        let file = try #require(readFile(PaycastProgram.root + "/public" + path))
        let (head, body) = try ask("GET", path: path)
        #expect(head.hasPrefix("HTTP/1.1 200 ") && body == file)
        #expect(value("Content-Type", in: head) == type)
        let tag = try #require(value("ETag", in: head))
        #expect(try ask("GET", path: path, adding: "If-None-Match: \(tag)\r\n").head.hasPrefix("HTTP/1.1 304 "))
        let (length, nothing) = try ask("HEAD", path: path)
        #expect(value("Content-Length", in: length) == "\(file.utf8.count)" && nothing.isEmpty)
        #expect(try ask("POST", path: path, adding: "Content-Length: 0\r\n").head.hasPrefix("HTTP/1.1 405 "))
    }

    @Test(arguments: [
        ("/paycast.js", true), ("/paycast-native.js", true), ("/openapi.json", true), ("/app.js", true),
        ("/private.json", false),
    ])
    func anyOriginMayLoadScriptsAndTheDescription(_ path: String, mayLoad: Bool) throws {
        let (head, _) = try ask("GET", path: path)
        #expect(head.hasPrefix("HTTP/1.1 200 "))
        #expect(value("Access-Control-Allow-Origin", in: head) == (mayLoad ? "*" : nil))
        #expect(value("Cross-Origin-Resource-Policy", in: head) == (mayLoad ? "cross-origin" : nil))
    }
}
