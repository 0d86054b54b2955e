import Domain
import HTTPClient
import TestSupport
import Testing

/// What is wrong with the templates is told wherever somebody may look for it.
@Suite(.blocking) struct TemplateJourneyTests {
    private let folder = TemporaryFolder()

    /// Those that the project ships.
    init() {
        for name in FragmentName.allCases {
            let file = "fragments/\(name.rawValue).html"
            folder.write(readFile("\(PaycastProgram.root)/public/\(file)") ?? "", to: "public/\(file)")
        }
    }

    @Test func namesWhatIsMissingAndMisnamed() throws {
        let success = folder.read("public/fragments/success.html") ?? ""
        folder.write(success, to: "public/fragments/sucess.html")
        folder.remove("public/fragments/success.html")
        let server = try PaycastServer(publicFolder: folder.path("public"))
        let told = [
            "fragments/sucess.html is never shown: no fragment is called sucess; did you mean success.html?",
            "fragments/success.html is missing: a page that would show it reloads instead",
        ]
        for text in told { _ = try server.process.errorLine { $0.contains("template") && $0.contains(text) } }
        let answer = try ready(server)
        #expect(answer.status == 200)
        for text in told { #expect(answer.text.contains(text)) }
        let doctor = doctor(in: server.folder.path)
        #expect(try doctor.waitForExit(timeout: .seconds(40)) == 0, "\(doctor.output)")
        // A server that runs says it once.
        for text in told {
            #expect(doctor.output.contains("\nwarn  ready                 \(text)"), "\(doctor.output)")
        }
        #expect(!doctor.output.contains("  templates  "), "\(doctor.output)")
        try server.stop(with: .terminate)
        let alone = self.doctor(in: server.folder.path)
        _ = try alone.waitForExit(timeout: .seconds(40))
        for text in told { #expect(alone.output.contains("\nwarn  templates             \(text)"), "\(alone.output)") }
    }

    /// The program's own are shown then, and whoever is asked says so.
    @Test(arguments: [true, false]) func aPublicFolderWithoutTemplatesIsComplete(isDevelopment: Bool) throws {
        folder.write("<p>hello</p>", to: "bare/index.html")
        let settings = [
            "PAYCAST_PUBLIC": folder.path("bare"), "PAYCAST_API_KEY": "api-key-of-the-tests-0123456789",
            "PAYCAST_STREAM_KEYS": "stream-key-of-the-tests-0123456789",
            "PAYCAST_STRIPE_SECRETS": "whsec_0123456789abcdef",
        ]
        let mode = isDevelopment ? ["--dev"] : []
        let server = try PaycastServer(mode, publicFolder: folder.path("bare"), environment: settings)
        // Only offers of its own a program in production has none.
        let offers = "fragments/paywall.html is missing: a page whose user's access ends reloads"
        #expect(try ready(server).text.contains(offers) == !isDevelopment)
        for (isRunning, line) in [(true, "\nwarn  ready                 "), (false, "\nwarn  templates             ")] {
            if !isRunning { try server.stop(with: .terminate) }
            let doctor = PaycastProgram.start(
                ["doctor", "--server", server.url] + mode,
                environment: settings,
                folder: server.folder.path
            )
            _ = try doctor.waitForExit(timeout: .seconds(40))
            #expect(!doctor.output.contains("has no templates"), "\(doctor.output)")
            #expect(doctor.output.contains(line + offers) == !isDevelopment, "\(doctor.output)")
            let own = "ok    templates             there is one for every state in the program: there is no "
            #expect(doctor.output.contains(own) == (isDevelopment && !isRunning), "\(doctor.output)")
        }
    }

    /// Who reads the language would get two languages on one page, and who wrote the file believes that it is shown.
    @Test func namesALanguageThatIsBegunAndOneThatIsTakenForAProduct() throws {
        let source = folder.read("public/fragments/success.html") ?? ""
        let ending = folder.read("public/fragments/ending.html") ?? ""
        folder.write(ending, to: "public/fragments/ending.pro.anual.html")
        folder.write(source, to: "public/fragments/success.fr.html")
        folder.write(source, to: "public/fragments/success.francais.html")
        let catalog = folder.write(#"{"products":{"pro.annual":{}}}"#, to: "catalog.json")
        let server = try PaycastServer(publicFolder: folder.path("public"), environment: ["PAYCAST_CATALOG": catalog])
        let begun =
            "fragments/*.fr.html do not translate ending, fix_billing, manage, moved, paused and 5 more"
        let taken =
            "fragments/success.francais.html is shown for no language: francais is taken for a product; did you mean "
            + "success.fr.html?"
        let unknown = "fragments/ending.pro.anual.html is for pro.anual, which is neither a product of the catalog nor"
        let told = [begun, taken, unknown]
        for text in told { _ = try server.process.errorLine { $0.contains("template") && $0.contains(text) } }
        let answer = try ready(server)
        let doctor = doctor(in: server.folder.path)
        _ = try doctor.waitForExit(timeout: .seconds(40))
        #expect(answer.status == 200)
        for text in told {
            #expect(answer.text.contains(text), "\(answer)")
            #expect(doctor.output.contains("\nwarn  ready                 \(text)"), "\(doctor.output)")
        }
        // A reload with a catalog that has the product, and the files that were missing.
        folder.write(#"{"products":{"pro.annual":{},"pro.anual":{}}}"#, to: "catalog.json")
        server.process.send(.hangUp)
        folder.remove("public/fragments/success.francais.html")
        for name in FragmentName.allCases where name != .success {
            let source = folder.read("public/fragments/\(name.rawValue).html") ?? ""
            folder.write(source, to: "public/fragments/\(name.rawValue).fr.html")
        }
        folder.write(ending, to: "public/fragments/ending.pro.anual.fr.html")
        try Deadline(.seconds(60)).wait(for: "a complete language") {
            let text = try ready(server).text
            return !told.contains { text.contains($0) }
        }
    }

    @Test func anUnknownValueIsRefusedAtTheStartAndKeptOutLater() throws {
        let good = folder.read("public/fragments/success.html") ?? ""
        let bad = good.replacing("{{product}}", with: "{{prodct}}")
        let told = "fragments/success.html: line 2: there is no value {{prodct}}; did you mean {{product}}?"
        folder.write(bad, to: "public/fragments/success.html")
        let process = PaycastProgram.start(
            ["serve", "--dev", "--port", "0", "--public", folder.path("public")],
            folder: folder.path
        )
        #expect(try process.waitForExit() == 78)
        #expect(process.errors.contains(told), "\(process.errors)")
        let doctor = doctor(in: folder.path)
        #expect(try doctor.waitForExit(timeout: .seconds(40)) == 1)
        #expect(doctor.output.contains("FAIL  templates             \(told)"), "\(doctor.output)")

        folder.write(good, to: "public/fragments/success.html")
        let server = try PaycastServer(publicFolder: folder.path("public"))
        folder.write(bad, to: "public/fragments/success.html")
        _ = try server.process.errorLine { $0.contains("template broken, last good version kept") && $0.contains(told) }
        // Pages see nothing of it, so that no balancer may take the node out.
        let answer = try ready(server)
        #expect(answer.status == 200 && answer.text.contains(#""problems":[],"ready":true"#), "\(answer)")
        let since = "; pages get the last good version since 20"
        #expect(answer.text.contains(told + since), "\(answer)")
        let running = self.doctor(in: server.folder.path)
        #expect(try running.waitForExit(timeout: .seconds(40)) == 0, "\(running.output)")
        #expect(running.output.contains("\nwarn  ready                 \(told)\(since)"), "\(running.output)")
        folder.write(good + " ", to: "public/fragments/success.html")
        _ = try server.process.errorLine { $0.contains("template loaded") && $0.contains("success.html") }
        #expect(try ready(server).status == 200)
    }

    @Test func namesWhatIsRemovedAndWhatComesBack() throws {
        let server = try PaycastServer(publicFolder: folder.path("public"))
        let paywall = folder.read("public/fragments/paywall.html") ?? ""
        folder.remove("public/fragments/paywall.html")
        let line = try server.process.errorLine { $0.contains("template removed") }
        #expect(line.contains("file=paywall.html") && line.contains("reloads"), "\(line)")
        #expect(try ready(server).text.contains("fragments/paywall.html was removed: a page whose user's access ends"))
        #expect(!server.process.errors.contains("template loaded"))
        folder.write(paywall, to: "public/fragments/paywall.html")
        _ = try server.process.errorLine { $0.contains("template loaded file=paywall.html") }
        #expect(try ready(server).text.contains(#""warnings":[]"#))
    }

    private func ready(_ server: PaycastServer) throws -> (status: Int, text: String) {
        let response = try HTTPClient(timeout: .seconds(60)).send("GET", to: server.url + "/ready")
        return (response.status, String(decoding: response.body, as: UTF8.self).replacing("\\/", with: "/"))
    }

    private func doctor(in workspace: String) -> RunningProcess {
        PaycastProgram.start(
            ["doctor", "--dev"],
            environment: ["PAYCAST_PUBLIC": folder.path("public")],
            folder: workspace
        )
    }
}
