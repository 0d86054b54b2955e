import Glibc
import Pages
import TestSupport
import Testing

@testable import API

@Suite struct OpenFilesTests {
    private let folder = TemporaryFolder()

    private func share(_ name: String, in files: OpenFiles) throws -> OpenFile? {
        let descriptor = open(folder.path + "/" + name, O_RDONLY | O_CLOEXEC)
        var status = stat()
        try #require(descriptor >= 0 && fstat(descriptor, &status) == 0)
        return files.share(descriptor, status: status)
    }

    @Test func downloadsOfOneFileShareItsDescriptor() throws {
        folder.write("one", to: "a")
        let files = OpenFiles(limit: 1)
        let first = try share("a", in: files)
        let second = try share("a", in: files)
        #expect(first != nil && first === second)
    }

    /// Whoever downloads the old version keeps it.
    @Test func changedFileIsAnother() throws {
        folder.write("one", to: "a")
        let files = OpenFiles(limit: 2)
        let old = try share("a", in: files)
        folder.write("three", to: "a")
        let new = try share("a", in: files)
        #expect(new != nil && old !== new)
    }

    @Test func limitHoldsUntilOneIsReleased() throws {
        folder.write("one", to: "a")
        folder.write("two", to: "b")
        let files = OpenFiles(limit: 1)
        var first = try share("a", in: files)
        #expect(first != nil)
        #expect(try share("b", in: files) == nil)
        first = nil
        #expect(try share("b", in: files) != nil)
    }
}
