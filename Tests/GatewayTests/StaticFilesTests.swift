import Glibc
import TestSupport
import Testing

@testable import Gateway

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

    private func response(_ path: String, ifNoneMatch: String? = nil) -> Response {
        StaticFiles(folder.path("public")).response(path, ifNoneMatch: ifNoneMatch)
    }

    @Test func filesCarryTypeAndTag() throws {
        let response = response("/index.html")
        #expect(response.status == 200 && String(decoding: response.body, as: UTF8.self) == "<p>hello</p>")
        let tag = try #require(response.headers.first { $0.name == "ETag" }?.value)
        #expect(response.headers.contains { $0 == ("Content-Type", "text/html; charset=utf-8") })
        #expect(self.response("/index.html", ifNoneMatch: "\"other\", \(tag)").status == 304)
        #expect(self.response("/index.html", ifNoneMatch: "\"other\"").status == 200)
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
