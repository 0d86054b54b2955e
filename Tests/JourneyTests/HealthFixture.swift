import Domain
import HTTPClient
import Simulator
import TestSupport
import Testing

/// A server that is paid and asked how it is, while something happens to its ledger.
struct HealthFixture {
    private let fixture: WebhookFixture
    private let client = HTTPClient(timeout: .seconds(20))

    var server: PaycastServer { fixture.server }
    var ledger: String { server.folder.path("paycast.db") }

    /// Its ledger has been closed and opened again, so that the file holds what the journal held.
    init(_ environment: [String: String] = [:]) throws {
        fixture = try WebhookFixture(environment: environment) { SimulatedRevenueCat($0) }
        #expect(try pay("first") == 200)
        try server.restart(with: .terminate)
    }

    /// The answer to a webhook; each id is a purchase of its own.
    func pay(_ id: String) throws -> Int {
        try fixture.post(try fixture.delivery("INITIAL_PURCHASE", id: id)).status
    }

    func outcome(of id: String) throws -> String {
        try fixture.post(try fixture.delivery("INITIAL_PURCHASE", id: id)).text
    }

    func ready() throws -> (status: Int, text: String) {
        let response = try client.send("GET", to: server.url + "/ready")
        return (response.status, String(decoding: response.body, as: UTF8.self))
    }

    /// Asks until it says so.
    func expectReady(_ isReady: Bool, saying text: String) throws {
        let deadline = Deadline(.seconds(30))
        var answer = try ready()
        while !deadline.hasPassed {
            if answer.status == (isReady ? 200 : 503), answer.text.contains(text) { return }
            answer = try ready()
        }
        Issue.record("\(answer)")
    }

    func metrics() throws -> String {
        String(decoding: try client.send("GET", to: server.url + "/metrics").body, as: UTF8.self)
    }

    @discardableResult
    func run(_ command: String, arguments words: String...) throws -> RunningProcess {
        let process = RunningProcess(command, arguments: words, folder: server.folder.path)
        #expect(try process.waitForExit() == 0, "\(command) \(words): \(process.errors)")
        return process
    }

    /// How often the log has a line with this text.
    func lines(_ text: String) -> Int {
        server.process.errors.split(separator: "\n").filter { $0.contains(text) }.count
    }
}
