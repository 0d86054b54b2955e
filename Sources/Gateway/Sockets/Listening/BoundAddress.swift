import Glibc

/// An address that this process has taken and on which it does not listen yet: the server takes it before it opens its
/// ledger, so that a start that fails here leaves nothing behind, and nobody is served before the ledger is open. The
/// sockets live as long as the process, or until who listens on them closes them.
public struct BoundAddress: Sendable {
    private let address: String
    /// Whether the operator has chosen the port.
    private let isFixed: Bool
    /// One socket for each loop, on one port; or one that another process holds, for all.
    private let sockets: [ListeningSocket]
    private let isInherited: Bool
    /// How many loops the sockets are for.
    let loops: Int

    /// Port 0 means any free port.
    public init(address: String, port: Int, count: Int) throws(SocketSetupError) {
        self.address = address
        loops = count
        isInherited = false
        isFixed = port != 0
        if port != 0 { try BoundAddress.probe(address, port: port) }
        let first = try ListeningSocket(address: address, port: port, isShared: true)
        var sockets = [first]
        while sockets.count < count {
            sockets.append(try ListeningSocket(address: address, port: first.port, isShared: true))
        }
        self.sockets = sockets
    }

    /// The address of a socket that listens already: who connects before `listen` waits in its queue.
    public init(_ inherited: InheritedSocket, loops: Int) throws(SocketSetupError) {
        self.loops = loops
        address = inherited.address
        (isInherited, isFixed) = (true, false)
        sockets = [try ListeningSocket(inherited)]
    }

    /// The port that it is bound to.
    public var port: Int { sockets[0].port }

    /// From now on clients can connect. Call it once. Returns one socket for each loop, or a single one for all.
    func listen() throws(SocketSetupError) -> [ListeningSocket] {
        if isInherited { return sockets }
        // Two servers that start at the same time have both bound the port.
        if isFixed { try BoundAddress.probe(address, port: port) }
        for socket in sockets { try socket.listen() }
        return sockets
    }

    /// Sharing the port among loops would also share it with another server of the same user, so this is checked first.
    private static func probe(_ address: String, port: Int) throws(SocketSetupError) {
        let probe = try ListeningSocket(address: address, port: port, isShared: false)
        defer { close(probe.descriptor) }
        try probe.listen()
    }
}
