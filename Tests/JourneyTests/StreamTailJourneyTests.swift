import Domain
import TestSupport
import Testing

/// Two terminals: one follows a stream as a page does, the other publishes.
@Suite(.blocking) struct StreamTailJourneyTests {
    private static let transports = ["websocket", "cable", "sse"]

    @Test(arguments: transports) func showsWhatAPageReceives(_ transport: String) throws {
        let server = try PaycastServer()
        let tail = server.paycast("tail", "--stream", "room", "--over", transport, "--html", "--until", "text=Hello")
        try publish(
            server,
            until: tail,
            "--stream",
            "room",
            "--action",
            "update",
            "--target",
            "a",
            "--html",
            "<b>Hello</b> you"
        )
        #expect(try tail.waitForExit() == 0)
        let lines = tail.output.split(separator: "\n")
        #expect(lines.count == 2, "\(tail.output)")
        for word in ["  update ", "  #a ", " 93 B ", "  Hello you"] { #expect(lines.first?.contains(word) == true) }
        #expect(
            lines.last
                == #"<turbo-stream action="update" target="a"><template><b>Hello</b> you</template></turbo-stream>"#
        )
        #expect(tail.errors.isEmpty)
    }

    /// Nothing is shown twice, and what the page's own element is told is not shown at all. A WebSocket does not say where a
    /// message was.
    @Test(arguments: transports, [RunningProcess.Signal.kill, .terminate])
    func goesOnAfterARestart(_ transport: String, _ signal: RunningProcess.Signal) throws {
        let server = try PaycastServer()
        let tail = server.paycast(
            "tail",
            "--stream",
            "room",
            "--over",
            transport,
            "--json",
            "--until",
            "target=last",
            "--timeout",
            "60"
        )
        try publish(server, until: tail, "--stream", "room", "--action", "remove", "--target", "first")
        try server.stop(with: signal)
        _ = try tail.errorLine { $0.contains("trying again in") }
        try server.start()
        let publication = server.paycast("publish", "--stream", "room", "--action", "remove", "--target", "last")
        #expect(try publication.waitForExit() == 0)
        #expect(try tail.waitForExit() == 0)
        #expect(tail.errors.contains("connected again, continuing after "))
        let lines = tail.output.split(separator: "\n")
        #expect(
            lines.first?.contains(#""target":"first""#) == true && lines.last?.contains(#""target":"last""#) == true
        )
        #expect(lines.count == 2, "\(tail.output)")
        #expect(lines.allSatisfy { $0.contains(#""cursor":""#) == (transport != "websocket") })
    }

    /// The server signs the name; the purchase turns the page.
    @Test func followsTheUsersPage() throws {
        let server = try PaycastServer()
        let tail = server.paycast("tail", "--user", "42", "--page", "--until", "target=paywall", "--timeout", "60")
        try connected(tail, to: server)
        #expect(try server.paycast("trigger", "apple", "SUBSCRIBED/INITIAL_BUY", "--user", "42").waitForExit() == 0)
        #expect(try tail.waitForExit() == 0)
        #expect(tail.output.contains("#paywall"))
    }

    /// A name from a page's source needs no key, and nothing but the address.
    @Test(arguments: transports) func takesASignedNameAsItIs(_ transport: String) throws {
        let server = try PaycastServer()
        let signed = server.paycast("sign", "room")
        #expect(try signed.waitForExit() == 0)
        let folder = TemporaryFolder()
        let name = String(signed.output.split(separator: "\n").first ?? "")
        let url = "ws" + server.url.dropFirst("http".count)
        let words = ["tail", "--name", name, "--over", transport, "--url", url, "--limit", "1", "--timeout", "60"]
        let tail = PaycastProgram.start(words, folder: folder.path)
        try publish(server, until: tail, "--stream", "room", "--action", "remove", "--target", "a")
        #expect(try tail.waitForExit() == 0, "\(tail.errors)")
    }

    @Test func beginsAtTheStart() throws {
        let server = try PaycastServer()
        let publication = server.paycast("publish", "--stream", "room", "--action", "remove", "--target", "a")
        #expect(try publication.waitForExit() == 0)
        for transport in StreamTailJourneyTests.transports {
            let tail = server.paycast(
                "tail",
                "--stream",
                "room",
                "--over",
                transport,
                "--since",
                "start",
                "--limit",
                "1",
                "--timeout",
                "60"
            )
            #expect(try tail.waitForExit() == 0, "\(tail.errors)")
            #expect(tail.output.contains("  remove "))
        }
    }

    struct End: Sendable {
        var words: [String]
        var code: Int32
        var says: String
    }

    /// One line, and no second attempt at what cannot help.
    @Test(arguments: [
        End(words: ["--name", "forged--00"], code: 1, says: "refuses the name"),
        End(words: ["--name", "forged--00", "--over", "cable"], code: 1, says: "rejects the subscription"),
        End(words: ["--name", "forged--00", "--over", "sse"], code: 1, says: "forged_stream_name"),
        End(
            words: ["--stream", "a", "--url", "ws://127.0.0.1:1"],
            code: 1,
            says: "nothing answers at ws://127.0.0.1:1"
        ),
        End(words: ["--stream", "a", "--timeout", "1"], code: 1, says: "--timeout has passed"),
        End(words: ["--stream", "a", "--timeout", "1", "--until", "text=x"], code: 1, says: "--until in time"),
        End(words: ["--stream", "a", "--since", "1h"], code: 64, says: "--since must be a cursor"),
        End(words: ["--stream", "a", "--until", "type=x"], code: 64, says: "no field “type”"),
        End(words: ["--stream", "a", "--provider", "apple"], code: 64, says: "unknown option “--provider”"),
        End(words: ["--stream", "a", "--name", "b"], code: 64, says: "one of --stream"),
        End(words: ["--page"], code: 64, says: "--user"),
        End(words: ["--over", "sse"], code: 64, says: "--over needs --stream"),
        End(words: ["--stream", "a", "--over", "carrier pigeon"], code: 64, says: "websocket, cable, sse"),
        End(words: ["--stream", "a", "--url", "ftp://a"], code: 64, says: "wss://"),
        End(words: ["--stream", "a", "--ca", "/nowhere.pem"], code: 64, says: "/nowhere.pem"),
    ]) func endsWithOneLine(_ end: End) throws {
        let server = try PaycastServer()
        let tail = server.paycast(["tail"] + end.words)
        #expect(try tail.waitForExit() == end.code)
        #expect(tail.errors.contains(end.says), "\(tail.errors)")
        #expect(tail.errors.split(separator: "\n").count <= (end.code == 64 ? 2 : 1), "\(tail.errors)")
        #expect(tail.output.isEmpty)
    }

    @Test func controlCharactersStayOutOfTheTerminal() throws {
        let server = try PaycastServer()
        let tail = server.paycast("tail", "--stream", "room", "--html", "--limit", "1", "--timeout", "60")
        let html = "\u{1B}[2J\u{9B}31mred\u{7}"
        try publish(server, until: tail, "--stream", "room", "--action", "update", "--target", "a", "--html", html)
        #expect(try tail.waitForExit() == 0)
        #expect(tail.output.contains("red"))
        #expect(tail.output.unicodeScalars.allSatisfy { $0 == "\n" || $0.properties.generalCategory != .control })
    }

    @Test(arguments: transports) func trustsTheAuthorityThatIsNamed(_ transport: String) throws {
        let certificate = try TemporaryCertificate()
        let server = try PaycastServer(["--dev"] + certificate.settings)
        let words = [
            "tail", "--stream", "room", "--over", transport, "--since", "start", "--limit", "1", "--timeout", "60",
        ]
        let wary = server.paycast(words)
        #expect(try wary.waitForExit() == 1)
        #expect(wary.errors.contains("is not trusted"), "\(wary.errors)")
        let tail = server.paycast(words + ["--ca", certificate.certificateFile])
        let key = try #require(server.folder.read(".paycast/api.key"))
        let curl = RunningProcess(
            "curl",
            arguments: [
                "-sS", "--cacert", certificate.certificateFile, "-H",
                "Authorization: Bearer \(key.filter { $0 != "\n" })", "-d",
                #"{"stream":"room","action":"remove","target":"a"}"#, server.url + "/broadcasts",
            ]
        )
        #expect(try curl.waitForExit() == 0)
        #expect(try tail.waitForExit() == 0, "\(tail.errors)")
        let environment = ["SSL_CERT_FILE": certificate.certificateFile]
        let other = PaycastProgram.start(words, environment: environment, folder: server.folder.path)
        #expect(try other.waitForExit() == 0, "\(other.errors)")
    }

    // MARK: The doctor

    @Test func theDoctorOpensAPageOfEachKind() throws {
        let certificate = try TemporaryCertificate()
        let server = try PaycastServer(["--dev"] + certificate.settings)
        let words = ["doctor", "--public", server.url, "--server", server.url, "--ca", certificate.certificateFile]
        let doctor = server.paycast(words + ["--patient", "1"])
        #expect(try doctor.waitForExit() == 0, "\(doctor.output)\(doctor.errors)")
        for kind in ["events, HTTP/1.1", "events, HTTP/2", "WebSocket", "Action Cable"] {
            let line = doctor.output.split(separator: "\n").first { $0.hasPrefix("ok    \(kind) ") }
            #expect(line?.contains(" ms, fragment after ") == true && line?.hasSuffix("after 1 s of silence") == true)
        }
        let foreign = server.paycast(words + ["--json", "--origin", "https://shop.test"])
        #expect(try foreign.waitForExit() == 1)
        #expect(foreign.output.components("PAYCAST_ALLOWED_ORIGINS") == 4, "\(foreign.output)")
        let wary = server.paycast("doctor", "--public", server.url, "--patient", "0")
        #expect(try wary.waitForExit() == 64)
    }

    // MARK: -

    /// Publishes until the other terminal has received it, because nothing announces that a `tail` is connected.
    private func publish(_ server: PaycastServer, until tail: RunningProcess, _ words: String...) throws {
        try connected(tail, to: server)
        let publication = server.paycast(["publish"] + words)
        #expect(try publication.waitForExit() == 0, "\(publication.errors)")
        try Deadline(.seconds(60)).wait(for: "it to arrive") { !tail.output.isEmpty || !tail.isRunning }
    }

    /// The server counts its pages.
    private func connected(_ tail: RunningProcess, to server: PaycastServer) throws {
        try Deadline(.seconds(60)).wait(for: "the page") {
            let metrics = RunningProcess("curl", arguments: ["-s", "\(server.url)/metrics"])
            _ = try metrics.waitForExit()
            return metrics.output.contains("paycast_streams 1\n") || !tail.isRunning
        }
    }
}

extension String {
    fileprivate func components(_ word: String) -> Int { ranges(of: word).count }
}
