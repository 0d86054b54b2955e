import TestSupport
import Testing

/// A Rails app from Debian's packages, with Action Cable's own `postgresql` adapter.
struct NotifyingApp {
    static let isInstalled =
        PostgresCluster.isInstalled
        && ["railties", "activerecord", "actioncable", "pg"].allSatisfy {
            readFile("/usr/share/doc/ruby-\($0)/copyright") != nil
        }

    let database: String
    var prefix = ""
    private let folder = TemporaryFolder()

    init(database: String, prefix: String = "") {
        self.database = database
        self.prefix = prefix
    }

    /// Starts the app, broadcasts each text to its stream, and ends it. Returns what happened to each.
    @discardableResult
    func broadcast(_ texts: [(stream: String, text: String)]) throws -> [String] {
        try run(texts.map { "\($0.stream)\t\($0.text)" })
    }

    /// What NOTIFY calls the streams.
    func channels(of streams: [String]) throws -> [String] { try run(streams) }

    private func run(_ lines: [String]) throws -> [String] {
        let process = RunningProcess(
            "ruby",
            arguments: [
                PaycastProgram.root + "/Tests/RailsTests/RailsCable/App/notify.rb", folder.path, database, prefix,
            ],
            environment: ["LANG": "C.UTF-8"],
            input: lines.map { $0 + "\n" }.joined()
        )
        #expect(try process.waitForExit(timeout: .seconds(60)) == 0, "\(process.errors)")
        return process.output.split(separator: "\n").dropFirst().map(String.init)
    }
}
