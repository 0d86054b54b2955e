import Stores
import TestSupport
import Testing

@testable import Commands

@Suite(.blocking) struct CableCheckTests {
    struct Case: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var hasSource = false
        var isRails = true
        var metrics: String?
        var level: Finding.Level?
        var hint = ""
    }

    private static let quiet = "# TYPE paycast_cable_commands_total counter\npaycast_cable_commands_total 0\n"
    private static let used = "paycast_cable_commands_total 12\n"

    @Test(arguments: [
        Case(testDescription: "pages and no Redis", metrics: used, level: .warn, hint: "solid_cable"),
        Case(
            testDescription: "pages and the server's Redis",
            metrics: used + "paycast_redis_connected 0\n",
            level: .ok,
            hint: "Redis"
        ),
        Case(
            testDescription: "pages and the server's cable database",
            metrics: used + "paycast_rails_cable_connected 1\n",
            level: .ok,
            hint: "cable database"
        ),
        Case(testDescription: "Redis in this environment alone", hasSource: true, metrics: used, level: .warn),
        Case(testDescription: "pages of no Rails app that we know", isRails: false, metrics: used, level: .warn),
        Case(testDescription: "no page", metrics: quiet, level: nil),
        Case(testDescription: "an older server", metrics: "", level: nil),
        Case(testDescription: "a server that says nothing", metrics: nil, level: .warn, hint: "nor REDIS_URL is set"),
        Case(testDescription: "the same, with Redis", hasSource: true, metrics: nil, level: nil),
        Case(testDescription: "the same, without Rails", isRails: false, metrics: nil, level: nil),
    ]) func judges(_ given: Case) {
        let finding = CableCheck(hasSource: given.hasSource, isRails: given.isRails, metrics: given.metrics).finding
        #expect(finding?.level == given.level)
        #expect(finding.map { $0.detail.contains(given.hint) } ?? true, "\(finding?.line ?? "")")
    }

    @Test func runningServerIsAsked() throws {
        let server = try PaycastServer()
        let doctor = { () throws -> String in
            let process = server.paycast("doctor")
            #expect(try process.waitForExit(timeout: .seconds(40)) == 0, "\(process.output)")
            return process.output
        }
        #expect(try !doctor().contains(" cable "))
        let sign = server.paycast("sign", "user:42:paywall")
        #expect(try sign.waitForExit() == 0)
        let name = sign.output.split(separator: "\n").first ?? ""
        let page = try CableClient(port: server.port)
        #expect(try page.subscribe(CableClient.identifier(String(name))) == "confirm_subscription")
        #expect(try doctor().contains("\nwarn  cable "))
    }
}
