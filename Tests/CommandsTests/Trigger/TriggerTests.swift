import Simulator
import TestSupport
import Testing

/// The real `trigger` in the workspace of a development server; what it posts is checked where the store is simulated.
@Suite(.blocking) struct TriggerTests {
    private let folder = TemporaryFolder()
    private let order = "0f8fad5b-d9cb-469f-a165-70867728950e"

    init() throws {
        _ = try DevelopmentWorkspace.open(in: folder.path)
    }

    @Test func tellsWhatBecameOfIt() throws {
        let recorder = Recorder(answer(200, json: #"{"outcome":"applied","event":"id","cursor":"e-7"}"#))
        let process = trigger("SUBSCRIBED/INITIAL_BUY", "--order", order, on: recorder)
        #expect(try process.waitForExit() == 0, "\(process.errors)")
        #expect(process.output == "outcome  applied\nevent    id\ncursor   e-7\n")
        #expect(process.errors.isEmpty)
        let request = recorder.requests.first ?? ""
        #expect(request.hasPrefix("POST /webhooks/apple "))
        #expect(request.contains(#"{"signedPayload":""#))
        #expect(!request.contains("Authorization"))
    }

    @Test func printsTheAnswerAsItCame() throws {
        let json = #"{"outcome":"ignored","event":"id","cursor":"e-7"}"#
        let recorder = Recorder(answer(200, json: json))
        let process = trigger("TEST", "--json", on: recorder)
        #expect(try process.waitForExit() == 0, "\(process.errors)")
        #expect(process.output == json + "\n")
    }

    @Test func refusalExits1WithTheReason() throws {
        let recorder = Recorder(answer(503, json: #"{"error":"wrong_app","message":"not our bundle"}"#))
        let process = trigger("TEST", "--bundle", "com.example.other", on: recorder)
        #expect(try process.waitForExit() == 1)
        #expect(process.output.isEmpty)
        #expect(process.errors == "paycast: the server refuses (503 wrong_app): not our bundle\n")
    }

    /// A new type of the store's.
    @Test func unknownTypeIsSentByForce() throws {
        let recorder = Recorder(answer(200, json: #"{"outcome":"ignored"}"#))
        let process = trigger("SUBSCRIBE", "--order", order, "--force", on: recorder)
        #expect(try process.waitForExit() == 0, "\(process.errors)")
        #expect(process.errors.contains("did you mean SUBSCRIBED?"))
    }

    struct Slip: Sendable, CustomTestStringConvertible {
        var store: String
        var type: String
        var meant: String

        var testDescription: String { type }
    }

    @Test(arguments: [
        Slip(store: "apple", type: "SUBSCRIBE", meant: "SUBSCRIBED"),
        Slip(store: "apple", type: "DID_RENEWED/BILLING_RECOVERY", meant: "DID_RENEW"),
        Slip(store: "stripe", type: "invoice.payed", meant: "invoice.paid"),
        Slip(store: "revenuecat", type: "RENEWALL", meant: "RENEWAL"),
        Slip(store: "apple", type: "renw", meant: "renew"),
    ]) func unknownNameIsRefused(_ slip: Slip) throws {
        let process = PaycastProgram.start(["trigger", slip.store, slip.type, "--user", "42"], folder: folder.path)
        #expect(try process.waitForExit() == 64)
        #expect(process.output.isEmpty)
        #expect(process.errors.contains("Did you mean \(slip.meant)?"), "\(process.errors)")
    }

    @Test func withoutAWorkspaceSaysWhereToRunIt() throws {
        let empty = TemporaryFolder()
        let process = PaycastProgram.start(["trigger", "apple", "TEST"], folder: empty.path)
        #expect(try process.waitForExit() == 1)
        #expect(process.errors.contains("--dev"))
        #expect(empty.names.isEmpty)
    }

    private func trigger(_ words: String..., on recorder: Recorder) -> RunningProcess {
        PaycastProgram.start(["trigger", "apple"] + words + ["--server", recorder.url], folder: folder.path)
    }

    private func answer(_ status: Int, json: String) -> String {
        "HTTP/1.1 \(status) X\r\nContent-Type: application/json\r\nContent-Length: \(json.utf8.count)\r\n\r\n\(json)"
    }
}
