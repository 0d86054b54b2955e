import APIModel
import Domain
import Server
import Simulator
import Stores
import Support

/// Examines a server's environment and the server itself, and says what is wrong and what to do.
public struct Doctor: Command {
    public static let name = "doctor"
    public static let summary = "check a server's settings and say what to fix"
    public static let help = """
        Check a server and its environment, and say what is wrong and how to fix it.

        Usage: paycast doctor [OPTIONS]

        Run it where the server runs, with the same environment. Prints one
        line per check, “ok”, “warn” or “FAIL”; exits 1 when something fails. Never
        prints a secret. Asks the stores' APIs whether they accept the keys, and Apple
        for a test notification. In the folder of a running “demo” or “serve --dev” it
        checks that server, whose stand-ins answer for the stores.

        Options:
          --dev                 check the settings as “serve --dev” does; implied where
                                .paycast/address names the server
          --ready               only this: ask the server whether it is ready, as the
                                health check of a container does
          --public URL          only this: open a page of each kind (events over
                                HTTP/1.1 and HTTP/2, WebSocket, Action Cable) through
                                the public address, publish something to it, and say
                                what fails and which line of the proxy's configuration
                                is missing
          --patient SECONDS     … and leave the pages alone that long: a proxy may cut
                                them
          --origin ORIGIN       … as pages of this site, https://shop.example.com
          --ca FILE             … and trust only this authority (PEM)
          --send                also let the server send its test message to each
                                address of the app's backend (PAYCAST_HOOK_URLS)
          --json                an array of {level, what, detail}
        \(RemoteServer.optionsHelp)

        Example: paycast doctor --server https://pay.example.com
                 paycast doctor --public https://pay.example.com --patient 75
        """

    private let remote: RemoteServer
    /// Set by `--dev`, or by the address if this folder's development server announced it.
    private let isDevelopment: Bool
    private let printsJSON: Bool
    /// Whether the app's backend may be sent a test.
    private let sendsTests: Bool
    /// With `--ready`, only this is asked.
    private let asksOnlyIfReady: Bool
    /// With `--public`, only this is checked.
    private let pages: PublicCheck?
    private let environment = processEnvironment()

    public init(_ arguments: inout Arguments) throws(UsageError) {
        remote = try RemoteServer(&arguments)
        let isSaid = try arguments.flag("--dev")
        isDevelopment = isSaid || remote.isOfThisFolder
        printsJSON = try arguments.flag("--json")
        sendsTests = try arguments.flag("--send")
        asksOnlyIfReady = try arguments.flag("--ready")
        pages = try PublicCheck(&arguments, remote: remote)
    }

    public func run() throws(CommandFailure) -> Int32 {
        if asksOnlyIfReady { return report(ServerCheck.readiness(of: remote)) }
        if let pages { return report(try pages.findings()) }
        let workspace = try? DevelopmentWorkspace.existing(in: ".")
        var findings = [mode]
        do throws(ConfigurationError) {
            let configuration = try Configuration(isDevelopment: isDevelopment, environment: environment)
            findings.append(
                .ok(
                    "settings",
                    detail: "this environment's settings are valid; the flags of a running server are not visible here"
                )
            )
            findings += configuration.warnings.map { .warn("settings", detail: $0) }
            findings += secrets(workspace)
            findings += AllChecks(
                configuration: configuration,
                remote: remote,
                workspace: workspace,
                sendsTests: sendsTests
            ).findings()
        } catch {
            findings += error.problems.map { .fail($0.name, detail: $0.text) }
            // A setting with a problem is already reported, so its secret is not checked again.
            let named = Set(error.problems.map(\.name))
            findings += secrets(workspace).filter { !named.contains($0.what) && !named.contains("\($0.what)_FILE") }
            findings.append(.warn("server, stores", detail: "are not checked until the settings are right"))
        }
        return report(findings)
    }

    private var mode: Finding {
        guard isDevelopment else {
            return .ok("mode", detail: "production: this environment's settings are checked as “serve” checks them")
        }
        let reason = remote.isOfThisFolder ? ".paycast/address here names \(remote.url)" : "--dev says so"
        return .ok("mode", detail: "development: \(reason)")
    }

    private func report(_ findings: [Finding]) -> Int32 {
        if printsJSON {
            printJSON(JSON.encode(findings.map(\.members)))
        } else {
            for finding in findings { printText(finding.line) }
        }
        return findings.contains { $0.level == .fail } ? 1 : 0
    }

    private func secrets(_ workspace: DevelopmentWorkspace?) -> [Finding] {
        let keys = workspace.map { [$0.apiKey, $0.streamKey] + $0.storeSecrets.values }
        // Secrets in files are checked like the others.
        let given = SecretsCheck.names.reduce(into: environment) { given, name in
            given[name] = Secret.text(name, in: environment)
        }
        return SecretsCheck(
            environment: given,
            isDevelopment: isDevelopment,
            developmentKeys: keys ?? []
        ).findings
    }
}

extension Finding {
    var line: String {
        let level = level.rawValue + String(repeating: " ", count: 6 - level.rawValue.count)
        return level + what + String(repeating: " ", count: max(2, 22 - what.count)) + detail
    }

    var members: [String: String] { ["level": level.rawValue.lowercased(), "what": what, "detail": detail] }
}
