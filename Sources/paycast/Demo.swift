internal import Commands
internal import Glibc

/// Runs `serve --dev` on a ledger that is thrown away at the end.
struct Demo: Command {
    static let name = "demo"

    private let flags: [String: String]

    init(_ arguments: inout Arguments) throws(UsageError) {
        flags = try serverFlags(
            &arguments,
            named: Serve.options.filter { $0 != "--database" && !$0.hasPrefix("--tls") }
        )
    }

    func run() throws(CommandFailure) -> Int32 {
        let folder = try createTemporaryFolder()
        defer { removeFlatFolder(folder) }
        printError("Open the address below, then pay from another terminal in this folder:")
        printError("  paycast trigger apple SUBSCRIBED/INITIAL_BUY --user demo")
        return try serve(flags.merging(["--database": "sqlite:\(folder)/demo.db"]) { $1 }, isDevelopment: true)
    }
}

private func createTemporaryFolder() throws(CommandFailure) -> String {
    let parent = processEnvironment()["TMPDIR"] ?? "/tmp"
    var template = Array("\(parent)/paycast-demo-XXXXXX".utf8CString)
    guard mkdtemp(&template) != nil else { throw CommandFailure("cannot create a folder in \(parent): set TMPDIR") }
    return String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
}

/// The ledger's files lie side by side, so there are no subfolders.
private func removeFlatFolder(_ folder: String) {
    for suffix in ["", "-wal", "-shm", "-journal", "-lock"] { unlink("\(folder)/demo.db\(suffix)") }
    rmdir(folder)
}
