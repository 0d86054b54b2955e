import Glibc
import Support
import TestSupport
import Testing

@testable import API
@testable import Pages

@Suite struct StaticFilesTests {
    private let folder = TemporaryFolder()

    init() {
        mkdir(folder.path("public"), 0o755)
        _ = folder.write("<p>hello</p>", to: "public/index.html")
        _ = folder.write("secret", to: "public/.env")
        _ = folder.write("outside", to: "outside.txt")
        symlink(folder.path("outside.txt"), folder.path("public/link.txt"))
        mkfifo(folder.path("public/pipe"), 0o600)
    }

    private let readers = WorkerPool(name: "files", threads: 1, capacity: 1)

    private func response(
        _ path: String,
        ifNoneMatch: String? = nil,
        range: String? = nil,
        ifRange: String? = nil
    ) -> Response {
        StaticFiles(folder.path("public"), readers: readers, openFiles: 64)
            .response(path, ifNoneMatch: ifNoneMatch, range: range, ifRange: ifRange)
    }

    private func text(_ response: Response) -> String {
        var body = response.file
        return String(decoding: body?.next() ?? [], as: UTF8.self)
    }

    @Test func filesCarryTypeAndTag() throws {
        let response = response("/index.html")
        #expect(response.status == 200 && text(response) == "<p>hello</p>")
        let tag = try #require(response.headers.first { $0.name == "ETag" }?.value)
        #expect(response.headers.contains { $0 == ("Content-Type", "text/html; charset=utf-8") })
        #expect(self.response("/index.html", ifNoneMatch: "\"other\", \(tag)").status == 304)
        #expect(self.response("/index.html", ifNoneMatch: "\"other\"").status == 200)
    }

    struct Part: Sendable, CustomTestStringConvertible {
        var range: String
        var status: Int
        var text: String
        var testDescription: String { range }
    }

    @Test(arguments: [
        Part(range: "bytes=3-7", status: 206, text: "hello"),
        Part(range: "bytes=-4", status: 206, text: "</p>"),
        Part(range: "bytes=8-", status: 206, text: "</p>"),
        Part(range: "bytes=8-99", status: 206, text: "</p>"),
        Part(range: "bytes=12-", status: 416, text: ""),
        Part(range: "bytes=0-1,3-4", status: 200, text: "<p>hello</p>"),
        Part(range: "lines=1-2", status: 200, text: "<p>hello</p>"),
        Part(range: "bytes=5-2", status: 200, text: "<p>hello</p>"),
    ]) func partOfAFileIsAnswered(_ part: Part) {
        let response = response("/index.html", range: part.range)
        #expect(response.status == part.status && text(response) == part.text)
        let expected = ["bytes=12-": "bytes */12", "bytes=3-7": "bytes 3-7/12"][part.range]
        if let expected { #expect(response.headers.contains { $0 == ("Content-Range", expected) }) }
    }

    @Test func partOfAnotherVersionIsNotAnswered() throws {
        let tag = try #require(response("/index.html").headers.first { $0.name == "ETag" }?.value)
        #expect(response("/index.html", range: "bytes=0-1", ifRange: tag).status == 206)
        #expect(response("/index.html", range: "bytes=0-1", ifRange: "\"other\"").status == 200)
    }

    @Test func changedFileHasAnotherTag() throws {
        let files = StaticFiles(folder.path("public"), readers: readers, openFiles: 64)
        let tag = { files.response("/index.html").headers.first { $0.name == "ETag" }?.value }
        let old = try #require(tag())
        #expect(tag() == old)
        _ = folder.write("<p>changed</p>", to: "public/index.html")
        #expect(tag() != old)
    }

    @Test func folderAnswersWithItsIndex() {
        #expect(response("/").status == 200)
    }

    @Test(arguments: [
        "/../outside.txt", "/.env", "/./.env", "/link.txt", "/pipe", "/nothing", "/public", "//../outside.txt",
        "/..\\outside.txt", "/index.html/", "/\u{0}index.html",
    ]) func nothingElseIsServed(_ path: String) {
        #expect(response(path).status == 404)
    }
}
