import Glibc
import TestSupport
import Testing

/// A Rails app from Debian's packages with the source of Solid Cable 3.0, the version whose Ruby Debian has: `gem fetch`
/// and `gem unpack` make a folder of it.
struct RailsApp {
    private static let source = getenv("SOLID_CABLE").map { String(cString: $0) } ?? ""
    static let isInstalled =
        ["rails", "activerecord", "activejob", "actioncable", "sqlite3", "pg"].allSatisfy {
            readFile("/usr/share/doc/ruby-\($0 == "rails" ? "railties" : $0)/copyright") != nil
        } && readFile(source + "/lib/solid_cable.rb") != nil

    let database: String
    let stream: String
    let prefix: String
    private let folder = TemporaryFolder()

    init(database: String, stream: String, prefix: String) {
        self.database = database
        self.stream = stream
        self.prefix = prefix
    }

    /// Starts the app, which makes its table if there is none, and ends it. Returns what it says of itself.
    @discardableResult
    func broadcast(_ texts: [String]) throws -> String {
        let process = RunningProcess(
            "ruby",
            arguments: [
                PaycastProgram.root + "/Tests/RailsTests/RailsCable/App/app.rb", folder.path, Self.source, database,
                stream,
                prefix,
            ],
            environment: ["LANG": "C.UTF-8"],
            input: texts.map { $0 + "\n" }.joined()
        )
        #expect(try process.waitForExit(timeout: .seconds(60)) == 0, "\(process.errors)")
        return process.output
    }
}
