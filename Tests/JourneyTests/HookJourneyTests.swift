import APIModel
import Crypto
import Domain
import Support
import Synchronization
import TestSupport
import Testing

/// The app's backend is told by the real program, whatever happens to either.
@Suite(.blocking) struct HookJourneyTests {
    private static let secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"

    /// Answers as its closure says, which gets how many requests came before.
    private final class Backend: Sendable {
        let server: AnsweringServer

        init(_ answer: @escaping @Sendable (Int) -> AnsweringServer.Answer = { _ in .init(200) }) {
            let count = Atomic(0)
            server = AnsweringServer { _ in answer(count.add(1, ordering: .relaxed).oldValue) }
        }

        var messages: [HookMessage] {
            server.requests.compactMap { JSON.decode(HookMessage.self, from: Array($0.body.utf8)) }
        }

        func wait(for count: Int) throws {
            try Deadline(.seconds(60)).wait(for: "\(count) messages") { server.requests.count >= count }
        }
    }

    private func server(_ urls: String..., environment: [String: String] = [:]) throws -> PaycastServer {
        let hooks = [
            "PAYCAST_HOOK_URLS": urls.joined(separator: ","), "PAYCAST_HOOK_SECRETS": HookJourneyTests.secret,
        ]
        return try PaycastServer(environment: hooks.merging(environment) { $1 })
    }

    private func trigger(_ type: String = "initial", user: String = "42", at server: PaycastServer, _ more: String...)
        throws
    {
        let trigger = server.paycast(["trigger", "apple", type, "--user", user] + more)
        #expect(try trigger.waitForExit(timeout: .seconds(60)) == 0, "\(trigger.errors)")
    }

    @Test func aMessageIsSignedAndSaysWhatTheAnswerSays() throws {
        let backend = Backend()
        let server = try server(backend.server.url + "/hooks?key=hidden")
        try trigger(at: server, "--expect-hook", "--timeout", "60")
        let request = try #require(backend.server.requests.first)
        let signer = WebhookSigner([try #require(WebhookSecret(HookJourneyTests.secret))])
        let (id, time) = (request.header("webhook-id") ?? "", request.header("webhook-timestamp") ?? "")
        let signature = request.header("webhook-signature") ?? ""
        #expect(signer.verifies(signature, id: id, time: time, body: Array(request.body.utf8)))
        #expect(request.query == "key=hidden" && request.header("content-type") == "application/json")
        #expect(request.header("user-agent")?.hasPrefix("paycast/") == true)
        let message = try #require(backend.messages.first)
        #expect(message.type == "entitlements.changed" && message.data.cause?.provider == "apple")
        let asked = try server.api("GET", "/users/42/entitlements")
        let answer = try #require(JSON.decode(EntitlementsAnswer.self, from: Array(asked.utf8)))
        #expect(message.data.entitlements == answer.entitlements && message.data.active == true)
        #expect(message.data.cursor == answer.since)
        #expect(!(try server.api("GET", "/hooks")).contains("hidden") && !server.process.errors.contains("hidden"))
    }

    struct Failure: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var answer: AnsweringServer.Answer
    }

    /// The next attempt comes after five seconds.
    @Test(arguments: [
        Failure(testDescription: "503", answer: .init(503)),
        Failure(testDescription: "404", answer: .init(404, body: "nobody here")),
        Failure(testDescription: "a redirect", answer: .init(302, headers: [("Location", "http://127.0.0.1:1/")])),
        Failure(testDescription: "none within 15 s", answer: .silence),
    ]) func aFailureIsRepeated(_ failure: Failure) throws {
        let backend = Backend { $0 == 0 ? failure.answer : .init(204) }
        let server = try server(backend.server.url)
        try trigger(at: server)
        try backend.wait(for: 2)
        let requests = backend.server.requests
        #expect(requests[0].header("webhook-id") == requests[1].header("webhook-id"))
        #expect(
            backend.messages.count == 2
                && backend.messages[0].data.entitlements == backend.messages[1].data.entitlements
        )
        try waitUntil("delivered", user: "42", at: server)
        #expect(try server.api("GET", "/hooks").contains(#""state":"ok""#))
    }

    /// More than a kilobyte of an answer is not read.
    /// Without it, the page works, and nobody notices that the backend does not.
    @Test func readyWarnsAfterAnHour() throws {
        let backend = Backend { _ in .init(500) }
        let server = try server(backend.server.url)
        try trigger(at: server)
        try backend.wait(for: 1)
        #expect(try !server.api("GET", "/ready").contains("hooks: "))
        // The hour begins with the failure, which is committed after the backend's answer.
        try Deadline(.seconds(60)).wait { try server.api("GET", "/hooks").contains(#""state":"failing""#) }
        _ = try server.api("PUT", "/demo/api/clock", body: #"{"advance":3700}"#)
        try Deadline(.seconds(60)).wait { try server.api("GET", "/ready").contains("has failed since") }
        #expect(try server.api("GET", "/ready").contains(#""ready":true"#))
        #expect(try server.api("GET", "/metrics").contains("paycast_hook_addresses_failing 1"))
    }

    @Test func aLongAnswerIsCut() throws {
        let backend = Backend { _ in .init(200, body: [UInt8](repeating: 120, count: 1 << 20)) }
        let server = try server(backend.server.url)
        try trigger(at: server, "--expect-hook", "--timeout", "60")
        #expect(backend.server.requests.count == 1)
    }

    /// Half an answer is none, although its status says so.
    @Test func aCutAnswerIsRepeated() throws {
        let count = Atomic(0)
        let backend = SocketServer { socket in
            let head = try socket.read(until: "\r\n\r\n").lowercased()
            let line = head.split(separator: "\r\n").first { $0.hasPrefix("content-length:") }
            _ = try socket.read(count: line.flatMap { Int($0.dropFirst("content-length: ".count)) } ?? 0)
            let isFirst = count.add(1, ordering: .relaxed).oldValue == 0
            try socket.send("HTTP/1.1 200 OK\r\nContent-Length: \(isFirst ? 10 : 2)\r\n\r\nok")
        }
        let server = try server(backend.url)
        try trigger(at: server, "--expect-hook", "--timeout", "60")
        #expect(count.load(ordering: .relaxed) == 2)
    }

    /// Of an authority that nobody knows.
    @Test func aStrangersCertificateIsNotTrusted() throws {
        let certificate = try TemporaryCertificate()
        let backend = try PaycastServer(["--dev"] + certificate.settings)
        let server = try server(backend.url + "/hooks")
        try trigger(at: server)
        _ = try server.process.errorLine { $0.contains("hook fails") && $0.contains("no authority that this machine") }
        #expect(
            try run("hooks", "list", "--user", "42", at: server).contains("not trusted: it comes from no authority")
        )
        // One that the environment names is; that server has nothing at this address.
        let trusting = try self.server(
            backend.url + "/nowhere",
            environment: ["SSL_CERT_FILE": certificate.certificateFile]
        )
        try trigger(at: trusting)
        _ = try trusting.process.errorLine { $0.contains("hook fails") && $0.contains("it answers 404") }
    }

    @Test func goneIsLeftAloneUntilItIsNamedAgain() throws {
        let backend = Backend { $0 == 0 ? .init(410) : .init(200) }
        let server = try server(backend.server.url)
        try trigger(at: server)
        _ = try server.process.errorLine { $0.contains("hook stopped") }
        try trigger("cancel", at: server)
        #expect(try server.api("GET", "/hooks").contains(#""state":"gone""#))
        try Deadline(.seconds(60)).wait { try server.api("GET", "/ready").contains("has answered 410") }
        #expect(backend.server.requests.count == 1)
        server.process.send(.hangUp)
        try backend.wait(for: 2)
        #expect(
            backend.messages.last?.data.superseded == 1
                && backend.messages.last?.data.contracts?.first?.state == "cancelled"
        )
    }

    /// The first attempt is under way, or has not begun, when the server dies.
    @Test func killedBetweenCommitAndDelivery() throws {
        let backend = Backend { $0 == 0 ? .silence : .init(200) }
        let server = try server(backend.server.url)
        try trigger(at: server)
        try backend.wait(for: 1)
        try server.restart(with: .kill)
        try backend.wait(for: 2)
        try waitUntil("delivered", user: "42", at: server)
        #expect(
            backend.messages.count == 2
                && backend.messages[1].data.entitlements == backend.messages[0].data.entitlements
        )
    }

    @Test func anAddressThatHangsDelaysNoOther() throws {
        let (silent, quick) = (Backend { _ in .silence }, Backend())
        let server = try server(silent.server.url, quick.server.url)
        for user in 1...12 { try trigger(user: "u\(user)", at: server) }
        try quick.wait(for: 12)
        #expect(Set(quick.messages.compactMap(\.data.user)).count == 12)
        #expect(silent.server.requests.count <= 8)
    }

    @Test func rotatedSecretsSignTogether() throws {
        let folder = TemporaryFolder()
        let other = "whsec_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"
        let backend = Backend()
        let file = folder.write(HookJourneyTests.secret, to: "secrets")
        let server = try PaycastServer(environment: [
            "PAYCAST_HOOK_URLS": backend.server.url, "PAYCAST_HOOK_SECRETS_FILE": file,
        ])
        folder.write("\(other),\(HookJourneyTests.secret)", to: "secrets")
        server.process.send(.hangUp)
        _ = try server.process.errorLine { $0.contains("changed=PAYCAST_HOOK_SECRETS") }
        try trigger(at: server)
        try backend.wait(for: 1)
        #expect(backend.server.requests[0].header("webhook-signature")?.split(separator: " ").count == 2)
    }

    @Test func anErasureIsTold() throws {
        let backend = Backend()
        let server = try server(backend.server.url)
        try trigger(at: server, "--expect-hook", "--timeout", "60")
        let erase = server.paycast("erase", "--user", "42", "--reason", "request")
        #expect(try erase.waitForExit() == 0)
        try backend.wait(for: 2)
        #expect(backend.messages.last?.type == "user.erased" && backend.messages.last?.data.user == "42")
        try Deadline(.seconds(60)).wait { try server.api("GET", "/hooks/deliveries").contains(#""deliveries":[]"#) }
    }

    @Test func theCommandShowsTriesAndRepeats() throws {
        let isUp = Atomic(false)
        let backend = Backend { _ in isUp.load(ordering: .relaxed) ? .init(200) : .init(500) }
        let server = try server(backend.server.url)
        let expectation = server.paycast(
            "trigger",
            "apple",
            "initial",
            "--user",
            "42",
            "--expect-hook",
            "--timeout",
            "1"
        )
        #expect(try expectation.waitForExit() == 1 && expectation.errors.contains("has not accepted it"))
        #expect(try run("hooks", at: server).contains("failing"))
        #expect(try run("hooks", "test", at: server).hasPrefix("FAIL"))
        let waiting = try run("hooks", "list", "--state", "waiting", at: server)
        let id = try #require(waiting.split(separator: " ").first)
        isUp.store(true, ordering: .relaxed)
        #expect(try run("hooks", "resend", String(id), at: server).contains("waiting"))
        #expect(try server.api("GET", "/audit?user=42").contains(#""action":"resend""#))
        try waitUntil("delivered", user: "42", at: server)
        #expect(try run("hooks", "test", at: server).hasPrefix("ok"))
        #expect(try run("doctor", "--send", at: server).contains("\(backend.server.url): it answers 200"))
        let unknown = server.paycast("hooks", "resend", "7")
        #expect(try unknown.waitForExit() == 1 && unknown.errors.contains("unknown_delivery"))
    }

    /// The receiver for development knows the workspace's secret, and passes on what is genuine.
    @Test func listenVerifiesAndForwards() throws {
        let backend = Backend()
        let port = ReservedPort()
        let server = try PaycastServer(environment: ["PAYCAST_HOOK_URLS": "http://127.0.0.1:\(port.number)"])
        let listen = server.paycast(
            "hooks",
            "listen",
            "--port",
            "\(port.number)",
            "--forward-to",
            backend.server.url + "/h"
        )
        _ = try listen.errorLine { $0.contains("listening") }
        try trigger(at: server)
        let line = try listen.line { $0.contains("entitlements.changed") }
        #expect(line.contains("user=42") && line.contains("forwarded, answered 200"))
        #expect(backend.server.requests.first?.header("webhook-signature") != nil)
        let socket = try RawSocket(port: port.number)
        try socket.send("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\n{}")
        #expect(String(decoding: try socket.readToEnd(), as: UTF8.self).hasPrefix("HTTP/1.1 400"))
        _ = try listen.line { $0.hasPrefix("REFUSED") }
        listen.send(.kill)
    }

    /// Any node commits, one tells, and another goes on when it dies.
    @Test(.enabled(if: PostgresCluster.isInstalled)) func anotherNodeGoesOn() throws {
        let isUp = Atomic(false)
        let backend = Backend { _ in isUp.load(ordering: .relaxed) ? .init(200) : .init(503) }
        let hooks = [
            "PAYCAST_HOOK_URLS": backend.server.url, "PAYCAST_HOOK_SECRETS": HookJourneyTests.secret,
        ]
        let nodes = try PostgresNodes(environments: [hooks, hooks])
        try trigger(at: nodes[0], "--key", "key-of-the-tests-0123456789abcdef")
        try trigger(user: "43", at: nodes[1], "--key", "key-of-the-tests-0123456789abcdef")
        try backend.wait(for: 1)
        let leader = nodes.nodes.firstIndex { $0.process.errors.contains("this node leads") } ?? 0
        try nodes[leader].stop()
        isUp.store(true, ordering: .relaxed)
        try Deadline(.seconds(90)).wait(for: "both users") {
            try nodes.ask("GET", "/hooks/deliveries?state=delivered", on: 1 - leader).contains(#""user":"43""#)
                && nodes.ask("GET", "/hooks/deliveries?state=delivered", on: 1 - leader).contains(#""user":"42""#)
        }
    }

    private func waitUntil(_ state: String, user: String, at server: PaycastServer) throws {
        try Deadline(.seconds(60)).wait(for: state) {
            try server.api("GET", "/hooks/deliveries?user=\(user)").contains("\"state\":\"\(state)\"")
        }
    }

    private func run(_ words: String..., at server: PaycastServer) throws -> String {
        let process = server.paycast(words)
        _ = try process.waitForExit()
        return process.output
    }
}

extension PaycastServer {
    fileprivate func api(_ method: String, _ path: String, body: String = "") throws -> String {
        let key = folder.read(".paycast/api.key")?.prefix { !$0.isNewline } ?? ""
        let socket = try connect()
        try socket.send(
            "\(method) \(path) HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer \(key)\r\nConnection: close\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)"
        )
        let answer = String(decoding: try socket.readToEnd(), as: UTF8.self)
        return answer.firstRange(of: "\r\n\r\n").map { String(answer[$0.upperBound...]) } ?? ""
    }
}
