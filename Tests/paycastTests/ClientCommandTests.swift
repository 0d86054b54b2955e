import TestSupport
import Testing

/// What the client commands ask a server, and what they make of its answer.
@Suite(.blocking) struct ClientCommandTests {
    @Test func publishPostsAndPrintsTheCursors() throws {
        let recorder = Recorder(answer(202, json: #"{"cursors":["e-7","e-8"]}"#))
        let words = ["publish", "--user", "42", "--action", "update", "--target", "paywall", "--template", "success"]
        let process = start(
            words + ["--value", "product=Pro", "--transient"],
            on: recorder,
            environment: ["PAYCAST_API_KEY": "a, b"]
        )
        #expect(try process.waitForExit() == 0)
        #expect(process.output == "e-7\ne-8\n")
        let request = recorder.requests.first ?? ""
        #expect(request.hasPrefix("POST /broadcasts HTTP/1.1\r\n"))
        #expect(request.contains("Authorization: Bearer a\r\n"))
        #expect(request.contains("Content-Type: application/json\r\n"))
        let body =
            #"{"action":"update","target":"paywall","template":"success","transient":true,"user":"42","values":{"product":"Pro"}}"#
        #expect(request.hasSuffix("\r\n\r\n" + body))
    }

    @Test func publishReadsMarkupFromStdin() throws {
        let recorder = Recorder(answer(202, json: #"{"cursors":[]}"#))
        let process = start(["publish", "--stream", "s", "--html", "-"], on: recorder, input: "<p>\"é\"</p>\n")
        #expect(try process.waitForExit() == 0)
        #expect(recorder.requests.first?.hasSuffix(#"{"html":"<p>\"é\"</p>\n","stream":"s"}"#) == true)
    }

    @Test func orderPrintsWhatAPageNeeds() throws {
        let json =
            #"{"order":"o","user":"42","product":"p","stream":"user:42:paywall","signed_stream":"s","since":"e-0"}"#
        let recorder = Recorder(answer(201, json: json))
        let words = ["order", "--user", "42", "--product", "p", "--provider", "apple", "--kind", "consumable"]
        #expect(try start(words, on: recorder).waitForExit() == 0)
        #expect(recorder.requests.first?.hasPrefix("POST /orders ") == true)
        #expect(recorder.requests.first?.contains(#""kind":"consumable","product":"p","provider":"apple""#) == true)
        let process = start(words + ["--json"], on: recorder)
        #expect(try process.waitForExit() == 0)
        #expect(process.output == json + "\n")
    }

    @Test func refusalIsOneLineWithTheServersReason() throws {
        let recorder = Recorder(answer(409, json: #"{"error":"token_taken","message":"the token is another user's"}"#))
        let process = start(["order", "--user", "42", "--product", "p"], on: recorder)
        #expect(try process.waitForExit() == 1)
        #expect(process.errors == "paycast: the server refuses (409 token_taken): the token is another user's\n")
    }

    /// The server did a part of it: that part is told, then the next page is asked for.
    @Test func replayTellsWhatWasDoneAndWhatIsLeft() throws {
        let server = AnsweringServer { request in
            guard !request.body.contains(#""since":"e-2""#) else {
                return .init(200, body: #"{"changes":[],"left":[],"read":1,"skipped":[],"told":[]}"#)
            }
            let change = #"{"after":"active","before":"revoked","contract":"1001","event":"e1","user":"42"}"#
            let done = #""changes":[\#(change)],"read":2,"skipped":[],"told":[],"next":"e-2""#
            return .init(503, body: #"{"error":"busy","left":["1002"],"message":"again",\#(done)}"#)
        }
        let process = PaycastProgram.start(["replay", "--since", "start", "--server", server.url, "--key", "k"])
        #expect(try process.waitForExit() == 1)
        let lines = process.output.split(separator: "\n")
        #expect(lines.count == 3 && lines[0].contains("1001  user=- → 42  revoked → active"), "\(process.output)")
        #expect(lines.dropFirst() == ["1002  left unchanged", "3 read, 1 changed, 0 skipped, 1 left"])
        #expect(process.errors.hasSuffix(": replay them again\n"))
        #expect(server.requests.count == 2)
    }

    @Test func refusedReplayHasItsReason() throws {
        let recorder = Recorder(answer(503, json: #"{"error":"ledger_unavailable","message":"the ledger is busy"}"#))
        let process = start(["replay", "--user", "42"], on: recorder)
        #expect(try process.waitForExit() == 1)
        #expect(process.errors == "paycast: the server refuses (503 ledger_unavailable): the ledger is busy\n")
    }

    @Test func missingKeyIsExplained() throws {
        let recorder = Recorder(answer(401, json: #"{"error":"unauthorized","message":"no"}"#))
        let process = start(["order", "--user", "42", "--product", "p"], on: recorder)
        #expect(try process.waitForExit() == 1)
        #expect(process.errors.hasPrefix("paycast: no API key: pass --key"))
    }

    @Test func workspaceOfADevelopmentServerIsFound() throws {
        let recorder = Recorder(answer(202, json: #"{"cursors":["e-1"]}"#))
        let folder = TemporaryFolder()
        folder.write(recorder.url + "\n", to: ".paycast/address")
        folder.write("devkey\n", to: ".paycast/api.key")
        let process = PaycastProgram.start(["publish", "--user", "1", "--html", "x"], folder: folder.path)
        #expect(try process.waitForExit() == 0)
        #expect(recorder.requests.first?.contains("Authorization: Bearer devkey\r\n") == true)
    }

    /// A proxy of the environment is for the outside world.
    @Test func loopbackNeedsNoProxy() throws {
        let recorder = Recorder(answer(202, json: #"{"cursors":[]}"#))
        let environment = ["http_proxy": ReservedPort.unused.url]
        #expect(
            try start(["publish", "--user", "1", "--html", "x"], on: recorder, environment: environment).waitForExit()
                == 0
        )
    }

    @Test func signUsesTheFirstKey() throws {
        let folder = TemporaryFolder()
        let environment = ["PAYCAST_STREAM_KEYS": "new,old", "SECRET_KEY_BASE": "base"]
        let process = PaycastProgram.start(["sign", "user:42:paywall"], environment: environment, folder: folder.path)
        #expect(try process.waitForExit() == 0)
        // printf '"user:42:paywall"' | base64, and its HMAC-SHA256 by openssl with the key “new”.
        #expect(
            process.output
                == "InVzZXI6NDI6cGF5d2FsbCI=--1d838160945c5e4e4e3d10395ecf613bd903903314cc5a95cc528e8e568afff4\n"
        )
    }

    @Test func signWithoutAKeySaysWhichToSet() throws {
        let folder = TemporaryFolder()
        let process = PaycastProgram.start(["sign", "x"], folder: folder.path)
        #expect(try process.waitForExit() == 1)
        #expect(process.errors == "paycast: no key to sign with: set PAYCAST_STREAM_KEYS or SECRET_KEY_BASE\n")
    }

    private func start(
        _ words: [String],
        on recorder: Recorder,
        environment: [String: String] = [:],
        input: String = ""
    ) -> RunningProcess {
        PaycastProgram.start(words + ["--server", recorder.url], environment: environment, input: input)
    }

    private func answer(_ status: Int, json: String) -> String {
        "HTTP/1.1 \(status) X\r\nContent-Type: application/json\r\nContent-Length: \(json.utf8.count)\r\n\r\n\(json)"
    }
}
