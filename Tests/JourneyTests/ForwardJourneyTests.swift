import Domain
import Support
import Synchronization
import TestSupport
import Testing

@testable import Simulator

/// One Sandbox address at Apple, many staging servers.
@Suite(.blocking) struct ForwardJourneyTests {
    /// A server that forwards, and one that it forwards to; both trust the second one's store.
    private struct Servers {
        let staging: PaycastServer
        let entrance: PaycastServer
        let signer: AppStoreSigner

        init(also others: String...) throws {
            staging = try PaycastServer()
            signer = try DevelopmentWorkspace.existing(in: staging.folder.path).signer
            let addresses = [staging.url + "/webhooks/apple"] + others
            entrance = try PaycastServer(environment: [
                "PAYCAST_FORWARD": addresses.joined(separator: ","),
                "PAYCAST_APPLE_ROOTS": staging.folder.path + "/.paycast/root.pem",
            ])
        }
    }

    private func body(_ signer: AppStoreSigner, id: String = OrderToken.random().description) throws -> String {
        let token = OrderToken.random()
        let notification = SimulatedEvent(
            type: "SUBSCRIBED",
            subtype: "INITIAL_BUY",
            facts: Simulator.SimulatedSubscription(product: "paycast.pro.monthly", order: token),
            token: token,
            now: Clock().now(),
            id: id
        )
        return String(decoding: try SimulatedAppStore(signer: signer).body(notification), as: UTF8.self)
    }

    private func post(_ body: String, to server: PaycastServer) throws -> String {
        let socket = try server.connect()
        try socket.send("POST /webhooks/apple HTTP/1.1\r\nHost: x\r\nConnection: close\r\n")
        try socket.send("Content-Length: \(body.utf8.count)\r\n\r\n\(body)")
        return String(decoding: try socket.readToEnd(), as: UTF8.self)
    }

    private func waitForEvent(_ id: String, at server: PaycastServer) throws {
        let tail = server.paycast("tail", "--since", "start", "--until", "event=\(id)", "--timeout", "40")
        #expect(try tail.waitForExit(timeout: .seconds(45)) == 0, "\(tail.errors)")
    }

    @Test func reachesAllByteForByte() throws {
        let recorder = AnsweringServer { _ in .init(200) }
        let servers = try Servers(also: recorder.url + "/a/secret")
        let id = OrderToken.random().description
        let body = try body(servers.signer, id: id)
        #expect(try post(body, to: servers.entrance).contains(#""outcome":"unclaimed""#))
        try waitForEvent(id, at: servers.staging)
        try Deadline(.seconds(60)).wait { recorder.requests.count == 1 }
        #expect(recorder.requests[0].body == body)
        #expect(!servers.entrance.process.errors.contains("secret"))
    }

    /// Down, then up again: nothing is lost.
    @Test func waitsForAServerThatIsDown() throws {
        let servers = try Servers()
        try servers.staging.stop()
        let id = OrderToken.random().description
        #expect(try post(body(servers.signer, id: id), to: servers.entrance).contains("200 OK"))
        _ = try servers.entrance.process.errorLine { $0.contains("job postponed") }
        try servers.staging.start()
        try waitForEvent(id, at: servers.staging)
    }

    /// A server that never answers holds up nobody but itself.
    @Test func silentServerDelaysNoAnswer() throws {
        let silent = AnsweringServer { _ in .silence }
        let servers = try Servers(also: silent.url)
        var times: [UInt64] = []
        for _ in 0..<20 {
            let start = monotonicNanoseconds()
            #expect(try post(body(servers.signer), to: servers.entrance).contains("200 OK"))
            times.append(monotonicNanoseconds() - start)
        }
        // Each that waited would take the 10 s after which the silent one is given up.
        #expect(times.sorted()[17] < 2_000_000_000, "\(times)")
    }

    /// A staging server that is there is told at once, and not after one that never answers.
    @Test func silentServerDelaysNoOther() throws {
        let (silent, recorder) = (AnsweringServer { _ in .silence }, AnsweringServer { _ in .init(200) })
        let servers = try Servers(also: silent.url, recorder.url)
        for count in 1...3 {
            #expect(try post(body(servers.signer), to: servers.entrance).contains("200 OK"))
            try Deadline(.seconds(60)).wait { recorder.requests.count == count }
        }
        #expect(!servers.entrance.process.errors.contains("job postponed"))
        #expect(silent.requests.count == 1)
    }

    /// Two that forward to each other: what comes round again is a duplicate, and goes no further.
    @Test func circleEnds() throws {
        let entrance = Mutex<(PaycastServer, Int)?>(nil)
        let back = AnsweringServer { request in
            guard let (server, _) = entrance.withLock({ $0 }), let answer = try? post(request.body, to: server) else {
                return .init(503)
            }
            entrance.withLock { $0?.1 += answer.contains(#""outcome":"duplicate""#) ? 1 : 100 }
            return .init(200)
        }
        let servers = try Servers(also: back.url)
        entrance.withLock { $0 = (servers.entrance, 0) }
        #expect(try post(body(servers.signer), to: servers.entrance).contains("200 OK"))
        try Deadline(.seconds(60)).wait {
            try metrics(servers.entrance).contains("paycast_jobs_waiting 0") && entrance.withLock { $0?.1 != 0 }
        }
        #expect(back.requests.count == 1)
        #expect(entrance.withLock { $0?.1 } == 1)
    }

    private func metrics(_ server: PaycastServer) throws -> String {
        let socket = try server.connect()
        try socket.send("GET /metrics HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
        return String(decoding: try socket.readToEnd(), as: UTF8.self)
    }
}
