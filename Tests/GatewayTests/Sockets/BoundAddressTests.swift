import Glibc
import TestSupport
import Testing

@testable import Gateway

@Suite(.blocking) struct BoundAddressTests {
    struct Case: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var address: String
        var number: Int32
        var port = 8080
        var says: [String]
    }

    @Test(arguments: [
        Case(
            testDescription: "a port in use",
            address: "127.0.0.1",
            number: EADDRINUSE,
            says: ["127.0.0.1:8080: Address already in use", "another user's program", "--port"]
        ),
        Case(
            testDescription: "an address of another machine",
            address: "203.0.113.9",
            number: EADDRNOTAVAIL,
            says: ["Cannot assign requested address", "this machine has no such address", "PAYCAST_BIND"]
        ),
        Case(
            testDescription: "a port below 1024",
            address: "0.0.0.0",
            number: EACCES,
            port: 443,
            says: ["0.0.0.0:443: Permission denied", "below 1024", "CAP_NET_BIND_SERVICE"]
        ),
        Case(
            testDescription: "a higher port that the system forbids",
            address: "::",
            number: EACCES,
            says: ["[::]:8080: Permission denied", "SELinux"]
        ),
        Case(
            testDescription: "an address of a link without its interface",
            address: "fe80::1",
            number: EINVAL,
            says: ["[fe80::1]:8080: Invalid argument", "interface", "PAYCAST_BIND"]
        ),
    ]) func eachFaultHasItsSentence(_ fault: Case) {
        let text = SocketSetupError.cannotListen(at: fault.address, port: fault.port, number: fault.number).description
        for part in fault.says { #expect(text.contains(part), "\(text)") }
        #expect(fault.number == EADDRINUSE || !text.contains("program"), "\(text)")
    }

    /// The address is reserved for documentation (RFC 5737).
    @Test func anAddressOfAnotherMachineIsNotAPortInUse() {
        #expect {
            try BoundAddress(address: "203.0.113.9", port: 0, count: 1)
        } throws: { error in
            error is SocketSetupError && "\(error)".contains("Cannot assign requested address: this machine has no")
        }
    }

    @Test(arguments: ["127.0.0.1", "0.0.0.0", "::"]) func theHolderOfAPortIsNamed(_ address: String) throws {
        let held = try BoundAddress(address: "127.0.0.1", port: 0, count: 2)
        let sockets = try held.listen()
        defer { for socket in sockets { close(socket.descriptor) } }
        #expect {
            try BoundAddress(address: address, port: held.port, count: 1)
        } throws: { error in
            error is SocketSetupError && "\(error)".contains("Address already in use: process \(getpid()) (")
        }
    }

    /// Nobody is served before the ledger is open.
    @Test func nobodyConnectsBeforeItListens() throws {
        let bound = try BoundAddress(address: "127.0.0.1", port: 0, count: 2)
        #expect(throws: (any Error).self) { try RawSocket(port: bound.port) }
        let sockets = try bound.listen()
        defer { for socket in sockets { close(socket.descriptor) } }
        _ = try RawSocket(port: bound.port)
    }

    /// Both have taken the port, and only one listens.
    @Test func twoThatStartAtOnceDoNotShareAPort() throws {
        let port = ReservedPort()
        let one = try BoundAddress(address: "127.0.0.1", port: port.number, count: 1)
        let other = try BoundAddress(address: "127.0.0.1", port: port.number, count: 1)
        let sockets = try one.listen()
        defer { for socket in sockets { close(socket.descriptor) } }
        #expect(throws: SocketSetupError.self) { try other.listen() }
    }
}
