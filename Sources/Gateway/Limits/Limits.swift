public import Observability

/// What one client, and all of them together, may take of a server. Each has a setting; the values here are the defaults.
public struct Limits: Sendable, Equatable {
    /// Connections in all. Beyond it nothing stays connected: pages are asked to come back, other requests are answered
    /// and closed. Default: 50,000.
    public var connections: Int
    /// Connections beyond a limit that are still answered before they are closed.
    private(set) var reserve = Limits.fullReserve
    /// Connections of one client address, or of one IPv6 network of 64 bits. Only addresses of the Internet count: this
    /// machine, private networks and trusted proxies stand for many people, or for a load test.
    public var connectionsPerAddress = 1000
    /// Streams that one Action Cable socket may follow.
    public var subscriptions = 100
    /// Commands that one Action Cable socket may send in a minute.
    public var commandsPerMinute = 600
    /// Bytes of one message from a page.
    public var frameBytes = 16 << 10
    /// Bytes that may wait for one page that reads slowly; it is closed beyond them and resumes by cursor.
    public var queuedBytes = 256 << 10
    /// Seconds from the connection to the end of the first request's head.
    public var headerSeconds = 20
    /// Seconds from a request's head to the end of its body.
    public var bodySeconds = 30
    /// Seconds between an answer and the next request's head.
    public var idleSeconds = 60
    /// Seconds in which a reader must take something.
    public var writeSeconds = 30

    /// So many connections, or as many as `files` open files, the hard limit of this process, have room for beside the
    /// rest of the server.
    public init(connections: Int = 50_000, loops: Int = 2, files: Int = FileLimit.highest()) {
        otherFiles = 2 * Limits.fullReserve + 108 + Limits.filesOfALoop * loops
        // With hardly any files, half of what the rest can spare: stores are still to be asked, and files to be read.
        let affordable = max(1, files - otherFiles, (files - Limits.leastFiles(loops: loops)) / 2)
        self.connections = min(connections, affordable)
        if affordable < connections { reserve = min(Limits.fullReserve, affordable / 4) }
    }

    static let fullReserve = 64
    /// Its epoll, what wakes it, its listening socket, and what lws opens.
    private static let filesOfALoop = 10
    /// The process needs files beside its connections: the ledger, its readers, the loops, outgoing requests.
    private let otherFiles: Int

    /// Without so many there is no server.
    public static func leastFiles(loops: Int) -> Int { 44 + filesOfALoop * loops }

    /// Files that may have to be open at once, to be set as the process' limit.
    ///
    /// No more than that: each loop's lws allocates a table of all possible descriptors, 8 MB with the limit of 1,048,576
    /// that many service managers set; beyond 10,000,000 it falls back to a table of 2,560 (lib/core/context.c).
    public var files: Int { connections + otherFiles }
}
