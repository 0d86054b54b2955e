import Glibc
import HTTP
import TestSupport
import Testing

@testable import Gateway

@Suite(.blocking) struct ListeningSocketTests {
    private let listener: ListeningSocket
    private let events: EventLoop
    private let acceptor: Acceptor

    init() throws {
        listener = try #require(try BoundAddress(address: "127.0.0.1", port: 0, count: 1).listen().first)
        events = try EventLoop()
        acceptor = Acceptor(listener: listener, events: events)
        #expect(acceptor.start {})
    }

    struct Option: Sendable {
        let name: String
        let level: Int32
        let number: Int32
        let value: Int32
    }

    /// None is set for each connection, which would cost a system call each.
    @Test(arguments: [
        Option(name: "TCP_NODELAY", level: Int32(IPPROTO_TCP), number: TCP_NODELAY, value: 1),
        // For the kernel, the pauses of a reader that takes a few KB at a time add up, so it must not judge.
        Option(name: "TCP_USER_TIMEOUT", level: Int32(IPPROTO_TCP), number: TCP_USER_TIMEOUT, value: 0),
        Option(name: "SO_KEEPALIVE", level: SOL_SOCKET, number: SO_KEEPALIVE, value: 1),
    ]) func connectionsInherit(_ option: Option) throws {
        let client = try RawSocket(port: listener.port)
        try client.send("x")
        let connection = try accepted()
        var value: Int32 = 0
        var size = socklen_t(MemoryLayout<Int32>.size)
        getsockopt(connection, option.level, option.number, &value, &size)
        #expect(value == option.value, "\(option.name)")
        close(connection)
        close(listener.descriptor)
    }

    @Test func aConnectionComesWithItsFirstBytes() throws {
        let client = try RawSocket(port: listener.port)
        guard case .nothing = acceptor.accept() else {
            Issue.record("accepted before it said anything")
            return
        }
        try client.send("x")
        let connection = try accepted()
        var byte: UInt8 = 0
        #expect(recv(connection, &byte, 1, Int32(MSG_DONTWAIT)) == 1)
        close(connection)
        close(listener.descriptor)
    }

    /// Nobody has to speak to be served: the kernel gives up waiting after a second.
    @Test func aSilentConnectionComesLater() throws {
        let client = try RawSocket(port: listener.port)
        let connection = try accepted()
        withExtendedLifetime(client) {}
        close(connection)
        close(listener.descriptor)
    }

    private func accepted() throws -> Int32 {
        var connection: Int32 = -1
        try Deadline(.seconds(30)).wait(for: "a connection") {
            guard case .connection(let descriptor, _) = acceptor.accept() else { return false }
            connection = descriptor
            return true
        }
        return connection
    }
}
