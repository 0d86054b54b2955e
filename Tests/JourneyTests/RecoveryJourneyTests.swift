import Domain
import HTTPClient
import Support
import TestSupport
import Testing

/// What Apple said while nobody listened.
@Suite(.blocking) struct RecoveryJourneyTests {
    private func messages(of page: EventStreamClient, until mark: String) throws -> [String] {
        var messages: [String] = []
        while messages.last?.contains(mark) != true { messages.append(try page.message().data ?? "") }
        return messages
    }

    /// The server is down while three notifications are sent. At its start they are there, once each, and a page that
    /// comes back shows the last one's state.
    @Test func downWhileTheyWereSent() throws {
        let journey = try AppleJourney()
        let order = try journey.order(for: "42")
        try journey.server.stop()
        let (now, end) = (Clock().now(), Clock().now() + .seconds(86_400))
        // In another order than they were signed.
        for (type, subtype, age) in [
            ("DID_CHANGE_RENEWAL_STATUS", "AUTO_RENEW_DISABLED", 20), ("SUBSCRIBED", "INITIAL_BUY", 60),
            ("DID_CHANGE_RENEWAL_STATUS", "AUTO_RENEW_ENABLED", 40),
        ] {
            _ = try journey.say(
                type,
                subtype: subtype,
                of: order.token,
                until: end,
                at: now - .seconds(age),
                isLost: true
            )
        }
        try journey.server.start()
        let line = try journey.server.process.errorLine { $0.contains("history read") }
        #expect(line.contains("found=3") && line.contains("recovered=3"))
        let page = try EventStreamClient(port: journey.server.port, path: "/streams?name=\(order.stream)")
        let shown = try messages(of: page, until: #"target="subscription_status""#)
        #expect(shown.last?.contains(#"data-state="cancelled""#) == true)
        let again = try journey.recover(#"{"provider":"apple","since":"\#((now - .seconds(3600)).iso8601)"}"#)
        #expect(again.contains(#""found":3"#) && again.contains(#""recovered":0"#), "\(again)")
        #expect(again.contains(#""outcomes":{"duplicate":3}"#))
    }

    /// Delivered in the meantime, too: the second way of the same notification changes nothing.
    @Test func deliveredAndRecoveredIsOnce() throws {
        let journey = try AppleJourney()
        let order = try journey.order(for: "42")
        let body = try journey.say("SUBSCRIBED", of: order.token, until: Clock().now() + .seconds(86_400))
        #expect(try journey.post(body).contains(#""outcome":"applied""#))
        let report = try journey.recover(#"{"provider":"apple"}"#)
        #expect(report.contains(#""found":1"#) && report.contains(#""recovered":0"#), "\(report)")
    }

    /// Six pages of twenty, with Apple's pause between them: longer than the second after which a terminal is told more.
    @Test func aTerminalSeesHowFarItIs() throws {
        let journey = try AppleJourney()
        let order = try journey.order(for: "42")
        let (now, end) = (Clock().now(), Clock().now() + .seconds(86_400))
        for second in 0..<120 {
            _ = try journey.say("DID_RENEW", of: order.token, until: end, at: now - .seconds(second), isLost: true)
        }
        let command = "\(PaycastProgram.path) recover apple --since 1h"
        let terminal = RunningProcess(
            "script",
            arguments: ["-qec", command, "/dev/null"],
            folder: journey.server.folder.path
        )
        #expect(try terminal.waitForExit() == 0, "\(terminal.output)")
        #expect(terminal.output.contains(/… \d+ s, \d+0 found, \d+ recovered/), "\(terminal.output)")
        #expect(terminal.output.contains("found      120"), "\(terminal.output)")
        #expect(try journey.ask("GET", "/recoveries", key: true) == #"{"running":[]}"#)
    }

    /// Six pages, with a pause between them: who asks is told at once, and then how far it is.
    @Test func aLongHistoryHoldsNoRequest() throws {
        let journey = try AppleJourney()
        let order = try journey.order(for: "42")
        let (now, end) = (Clock().now(), Clock().now() + .seconds(86_400))
        for second in 0..<120 {
            _ = try journey.say("DID_RENEW", of: order.token, until: end, at: now - .seconds(second), isLost: true)
        }
        let since = (now - .seconds(3600)).iso8601
        let begun = try journey.post(
            Array(#"{"provider":"apple","since":"\#(since)"}"#.utf8),
            to: "/recoveries",
            key: true
        )
        #expect(begun.contains(#""state":"running""#) && begun.contains(#""found":0,"#), "\(begun)")
        let mark = try #require(begun.firstRange(of: #""id":""#))
        let id = begun[mark.upperBound...].prefix { $0 != "\"" }
        try Deadline(.seconds(60)).wait(for: "the end") {
            try journey.ask("GET", "/recoveries/\(id)", key: true).contains(#""state":"done""#)
        }
        let other = try journey.ask("GET", "/recoveries/\(id)0", key: true)
        #expect(other.contains(#""error":"unknown_recovery""#), "\(other)")
    }

    /// What the settings refuse is not passed over in silence.
    @Test func wrongSettingIsToldToTheOperator() throws {
        let journey = try AppleJourney(environment: ["PAYCAST_APPLE_BUNDLE_ID": "com.example.mistyped"])
        let order = try journey.order(for: "42")
        _ = try journey.say("SUBSCRIBED", of: order.token, until: Clock().now() + .seconds(86_400), isLost: true)
        let report = try journey.recover(#"{"provider":"apple"}"#)
        #expect(report.contains(#""refused":1"#) && report.contains("refused as wrong_app"), "\(report)")
        let ready = try HTTPClient(timeout: .seconds(20)).send("GET", to: journey.server.url + "/ready")
        #expect(ready.status == 503)
        #expect(String(decoding: ready.body, as: UTF8.self).contains("PAYCAST_APPLE_BUNDLE_ID"))
    }

    struct Request: Sendable {
        var body: String
        var key = true
        var expected: String
    }

    @Test(arguments: [
        Request(body: #"{"provider":"apple"}"#, key: false, expected: "unauthorized"),
        Request(body: "[]", expected: "invalid_json"),
        Request(body: #"{"provider":"nobody"}"#, expected: "invalid_provider"),
        Request(body: #"{"provider":"stripe"}"#, expected: "not_configured"),
        Request(body: #"{"provider":"apple","since":"yesterday"}"#, expected: "invalid_since"),
        Request(body: #"{"provider":"apple","since":"2999-01-01T00:00:00Z"}"#, expected: "invalid_since"),
    ]) func refuses(_ request: Request) throws {
        let journey = try AppleJourney()
        let answer = try journey.recover(request.body, key: request.key)
        #expect(answer.contains(#""error":"\#(request.expected)""#), "\(answer)")
    }

    @Test func namesTheStoresWhereNoneIsConfigured() throws {
        let server = try PaycastServer([], environment: ["PAYCAST_API_KEY": "key-key-key-key-key"])
        let body = #"{"provider":"nobody"}"#
        let socket = try server.connect()
        try socket.send(
            "POST /recoveries HTTP/1.1\r\nHost: x\r\nConnection: close\r\nAuthorization: Bearer key-key-key-key-key\r\n"
                + "Content-Length: \(body.utf8.count)\r\n\r\n\(body)"
        )
        let answer = String(decoding: try socket.readToEnd(), as: UTF8.self)
        #expect(answer.contains("provider must be one of apple, google."), "\(answer)")
    }

    @Test func unreachableAppleIsSaid() throws {
        let journey = try AppleJourney()
        journey.setDown(true)
        let answer = try journey.recover(#"{"provider":"apple"}"#)
        #expect(answer.contains(#""state":"failed""#) && !answer.contains(#""problems":[]"#), "\(answer)")
        #expect(!answer.contains(#""ended_at":null"#), "\(answer)")
        let command = journey.server.paycast("recover", "apple")
        #expect(try command.waitForExit() == 1)
        #expect(command.errors.hasPrefix("paycast: "), "\(command.errors)")
    }
}
