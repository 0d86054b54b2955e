import Glibc
import TestSupport
import Testing

/// What every command does with its stdout, and with text that others wrote. The real binary.
@Suite(.blocking) struct OutputTests {
    struct Hostile: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var scalar: Unicode.Scalar
    }

    static let hostile = [
        Hostile(testDescription: "escape", scalar: "\u{1B}"), Hostile(testDescription: "delete", scalar: "\u{7F}"),
        Hostile(testDescription: "C1 control sequence", scalar: "\u{9B}"),
        Hostile(testDescription: "Arabic letter mark", scalar: "\u{61C}"),
        Hostile(testDescription: "right-to-left mark", scalar: "\u{200F}"),
        Hostile(testDescription: "line separator", scalar: "\u{2028}"),
        Hostile(testDescription: "right-to-left override", scalar: "\u{202E}"),
        Hostile(testDescription: "isolate", scalar: "\u{2066}"),
    ]

    /// In JSON, only what is not a C0 control can stand raw.
    @Test(arguments: hostile) func neverReachesTheTerminal(_ hostile: Hostile) throws {
        let raw = hostile.scalar.value < 0x20 ? "\\u001b" : String(hostile.scalar)
        let order =
            #"{"order":"o","user":"42","product":"a\#(raw)b","stream":"s","signed_stream":"s","since":"e-0"}"#
        let entry = #"{"cursor":"e-2","type":"T\#(raw)","user":"4\#(raw)2","outcome":"applied","product":"\#(raw)"}"#
        let orders = AnsweringServer { _ in .init(201, body: order) }
        let feed = Recorder("HTTP/1.1 200 OK\r\n\r\nid: e-2\ndata: \(entry)\n\n")
        let refusal = AnsweringServer { _ in .init(409, body: #"{"error":"x","message":"a\#(raw)b"}"#) }
        let words = ["order", "--user", "42", "--product", "p"]
        for command in [
            words + ["--server", orders.url], words + ["--json", "--server", orders.url],
            words + ["--server", refusal.url], ["tail", "--limit", "1", "--server", feed.url],
            ["tail", "--json", "--limit", "1", "--server", feed.url],
        ] {
            let process = PaycastProgram.start(command)
            _ = try process.waitForExit()
            let shown = (process.output + process.errors).unicodeScalars
            #expect(!shown.isEmpty && !shown.contains(hostile.scalar), "\(command)")
        }
    }

    /// Escaped or not, it is the same JSON.
    @Test func jsonKeepsItsValue() throws {
        let server = AnsweringServer { _ in .init(201, body: #"{"product":"a\#u{9B}\#u{202E}é"}"#) }
        let process = PaycastProgram.start(
            ["order", "--user", "42", "--product", "p", "--json", "--server", server.url]
        )
        #expect(try process.waitForExit() == 0)
        #expect(process.output == #"{"product":"a\u009b\u202eé"}"# + "\n")
    }

    struct Unwritable: Sendable, CustomTestStringConvertible {
        var testDescription: String { "\(command) \(redirection)" }
        var command: String
        var redirection: String
    }

    @Test(
        arguments: [">/dev/full", ">&-"].flatMap { redirection in
            ["version", "help", "tail --limit 1", "order --user 42 --product p --json"].map {
                Unwritable(command: $0, redirection: redirection)
            }
        }
    ) func stdoutThatTakesNothingIsAFailure(_ given: Unwritable) throws {
        let server = AnsweringServer { request in
            request.path.hasPrefix("/feed")
                ? .init(200, body: "id: e-2\ndata: {\"cursor\":\"e-2\",\"type\":\"T\"}\n\n") : .init(201, body: "{}")
        }
        let result = try shell("\(given.command) \(given.redirection)", server: server.url)
        #expect(result.code == 1)
        #expect(result.errors.hasPrefix("paycast: stdout cannot be written ("))
        #expect(result.errors.split(separator: "\n").count == 1, "\(result.errors)")
    }

    /// The reader leaves after the first line; nothing else ever comes.
    @Test func tailEndsWithItsReader() throws {
        let feed = Recorder(
            ["HTTP/1.1 200 OK\r\n\r\nid: e-2\ndata: {\"cursor\":\"e-2\",\"type\":\"T\"}\n\n"],
            staysOpen: true
        )
        let result = try shell("tail --since start | head -1; echo ${PIPESTATUS[0]} >&2", server: feed.url)
        #expect(result.errors == "0\n")
    }

    private func shell(_ command: String, server: String) throws -> (code: Int32, errors: String) {
        let script = "\"$0\" \(command)"
        let process = RunningProcess(
            "/bin/bash",
            arguments: ["--norc", "-c", script, PaycastProgram.path],
            environment: ["PAYCAST_SERVER": server, "PAYCAST_API_KEY": "k"]
        )
        return (try process.waitForExit(), process.errors)
    }
}
