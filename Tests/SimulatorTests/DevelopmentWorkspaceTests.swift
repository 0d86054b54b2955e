import Crypto
import Domain
import Glibc
import Simulator
import Support
import Testing

@Suite struct DevelopmentWorkspaceTests {
    private func temporaryFolder() throws -> String {
        var template = Array("/tmp/paycast-workspace.XXXXXX".utf8CString)
        return String(cString: try #require(mkdtemp(&template)))
    }

    @Test func isTheSameAfterARestart() throws {
        let folder = try temporaryFolder()
        let first = try DevelopmentWorkspace.open(in: folder)
        let second = try DevelopmentWorkspace.open(in: folder)
        #expect(first.root == second.root)
        #expect(first.apiKey == second.apiKey)
        #expect(first.streamKey == second.streamKey)
        #expect(first.storeSecrets == second.storeSecrets)
        #expect(Set(first.storeSecrets.keys) == [.stripe, .revenuecat, .purchasekit])
        #expect(first.apiKey != first.streamKey)
        #expect(first.apiKey.utf8.count == 64)
        #expect(try TrustedRoots.load(from: "\(first.path)/root.pem") == TrustedRoots(pem: first.root))
    }

    @Test func belongsToItsOwnerAlone() throws {
        let workspace = try DevelopmentWorkspace.open(in: temporaryFolder())
        for name in ["authority.pem", "api.key", "stream.key", ""] {
            var status = stat()
            #expect(stat("\(workspace.path)/\(name)", &status) == 0)
            #expect(status.st_mode & 0o077 == 0)
        }
    }

    /// Several processes open a new workspace at once: each step of each may come between the steps of the others.
    @Test func racersSeeOneWorkspace() async throws {
        let folder = try temporaryFolder()
        let seen = await withTaskGroup(of: String?.self) { group in
            for _ in 0..<8 {
                group.addTask {
                    let workspace = try? DevelopmentWorkspace.open(in: folder)
                    return workspace.map { "\($0.root)\($0.apiKey)\($0.streamKey)" }
                }
            }
            var seen: Set<String?> = []
            for await workspace in group { seen.insert(workspace) }
            return seen
        }
        #expect(seen.count == 1 && !seen.contains(nil))
    }

    @Test func addressIsWhatTheServerWroteLast() throws {
        let folder = try temporaryFolder()
        let workspace = try DevelopmentWorkspace.open(in: folder)
        #expect(workspace.address == nil)
        #expect(workspace.clockOffset == .zero)
        try workspace.write(address: "http://127.0.0.1:1")
        try workspace.write(address: "http://127.0.0.1:8080", clockOffset: .seconds(-86_400))
        let reader = try DevelopmentWorkspace.existing(in: folder)
        #expect(reader.address == "http://127.0.0.1:8080")
        #expect(reader.clockOffset == .seconds(-86_400))
    }

    /// A command beside a server that starts for the first time: some files are there, each whole, and others are not yet.
    @Test(arguments: ["authority.pem", "google.pem", "api.key", "stream.key", "stripe.key"])
    func whatIsBeingMadeIsNotDamaged(_ name: String) throws {
        let folder = try temporaryFolder()
        let file = "\(try DevelopmentWorkspace.open(in: folder).path)/\(name)"
        #expect(unlink(file) == 0)
        #expect(throws: WorkspaceError.unfinished(path: file)) { try DevelopmentWorkspace.existing(in: folder) }
        _ = try DevelopmentWorkspace.open(in: folder)
        _ = try DevelopmentWorkspace.existing(in: folder)
    }

    @Test func saysWhatIsWrong() throws {
        let folder = try temporaryFolder()
        #expect(throws: WorkspaceError.missing(path: "\(folder)/.paycast")) {
            try DevelopmentWorkspace.existing(in: folder)
        }
        let path = try DevelopmentWorkspace.open(in: folder).path
        try SmallFile.replace("\(path)/api.key", contents: [])
        #expect(throws: WorkspaceError.damaged(path: "\(path)/api.key")) { try DevelopmentWorkspace.open(in: folder) }
        try SmallFile.replace("\(path)/authority.pem", contents: Array("junk".utf8))
        #expect(throws: WorkspaceError.damaged(path: "\(path)/authority.pem")) {
            try DevelopmentWorkspace.open(in: folder)
        }
        #expect(throws: WorkspaceError.self) { try DevelopmentWorkspace.open(in: "\(folder)/none") }
    }
}
