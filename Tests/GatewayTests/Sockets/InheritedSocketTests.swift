import Glibc
import Support
import TestSupport
import Testing

@testable import Gateway

/// One socket that another process holds, for all loops.
@Suite(.blocking) struct InheritedSocketTests {
    private static let request = "GET /up HTTP/1.1\r\nHost: x\r\n\r\n"

    @Test(arguments: [1, 2, 3]) func loopsGetAsManyConnections(_ loops: Int) throws {
        let server = try ScriptedGateway(loops: loops, inheriting: HeldSocket())
        let clients = try (0..<12).map { _ in
            let client = try server.connect()
            try client.send(InheritedSocketTests.request)
            _ = try client.read(until: "up\n")
            return client
        }
        let counts = server.gateway.ports.map { port in
            let count = Promise<Int>()
            port.send(.run { count.fulfil($0.connections.count) })
            return count.wait()
        }
        #expect(counts == Array(repeating: clients.count / loops, count: loops))
    }

    @Test func eachLoopShakesHands() throws {
        let certificate = try TemporaryCertificate()
        let server = try ScriptedGateway(loops: 2, certificate: certificate, inheriting: HeldSocket())
        for _ in 0..<4 {
            let client = try TLSClient(port: server.gateway.port)
            try client.send("GET /up HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
            #expect(try client.readToEnd().text.hasSuffix("up\n"))
        }
    }

    /// Whoever connects while one drains, and after it, is the next one's.
    @Test func theNextGatewayAnswersWhoWaits() throws {
        let held = HeldSocket()
        let first = try ScriptedGateway(loops: 2, inheriting: held)
        first.gateway.drain()
        let clients = try (0..<8).map { _ in
            let client = try first.connect()
            try client.send(InheritedSocketTests.request)
            return client
        }
        let next = try ScriptedGateway(loops: 2, inheriting: held)
        for client in clients { #expect(try client.read(until: "up\n").hasPrefix("HTTP/1.1 200 ")) }
        withExtendedLifetime((first, next)) {}
    }

    struct Other: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var family = AF_INET
        var type = SOCK_STREAM
    }

    @Test(arguments: [
        Other(testDescription: "does not listen"), Other(testDescription: "UDP", type: SOCK_DGRAM),
        Other(testDescription: "not of the Internet", family: AF_UNIX),
    ]) func anotherDescriptorIsNone(_ other: Other) {
        let descriptor = socket(other.family, Int32(other.type.rawValue | SOCK_CLOEXEC.rawValue), 0)
        #expect(InheritedSocket(descriptor) == nil)
        close(descriptor)
        #expect(InheritedSocket(-1) == nil)
    }
}
