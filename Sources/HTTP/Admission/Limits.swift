public import Support

/// How much of a server one client, and all clients together, may use. Each limit has a setting; these are the
/// defaults.
public struct Limits: Sendable, Equatable {
    /// Connections in all. Beyond this limit nothing stays connected: pages are asked to come back, other requests are
    /// answered and closed. Default: 50,000.
    public var connections: Int
    /// Connections beyond a limit that are still answered before they are closed.
    private(set) var reserve = Limits.fullReserve
    /// Connections from one client address, or from one IPv6 network of 64 bits. Only Internet addresses count: this
    /// machine, private networks and trusted proxies stand for many people, or for a load test.
    public var connectionsPerAddress = 1000
    /// Streams that one Action Cable socket may follow.
    public var subscriptions = 100
    /// Commands that one Action Cable socket may send in a minute.
    public var commandsPerMinute = 600
    /// Bytes of one message from a page.
    public var messageBytes = 16 << 10
    /// Bytes that may wait for one page that reads slowly. Beyond them it is closed and resumes by cursor.
    public var queuedBytes = 256 << 10
    /// Seconds from the accept to the end of the first request's head.
    public var headerSeconds = 20
    /// Seconds from a request's head to the end of its body.
    public var bodySeconds = 30
    /// Seconds between an answer and the next request's head.
    public var idleSeconds = 60
    /// Seconds after which a reader that has taken less than 1 KiB a second is ended.
    public var writeSeconds = 30

    /// Allows `connections`, or as many as fit into `files` open files beside the rest of the server. The default of
    /// `files` is the hard limit of this process.
    public init(connections: Int = 50_000, loops: Int = 2, files: Int = FileLimit.highest()) {
        otherFiles = 2 * Limits.fullReserve + Limits.sentFiles + 108 + Limits.filesOfALoop * loops
        // With very few files, connections get half of the spare ones: stores are still to be asked and files to be
        // read.
        let affordable = max(1, files - otherFiles, (files - Limits.leastFiles(loops: loops)) / 2)
        self.connections = min(connections, affordable)
        if affordable < connections { reserve = min(Limits.fullReserve, affordable / 4) }
    }

    static let fullReserve = 64
    /// Files of the public folder that may be open at once, to be sent.
    public static let sentFiles = 64
    /// A loop's epoll, its wake descriptor, its listening socket, the spare that it gives up for a moment, and a few
    /// more to be on the safe side.
    private static let filesOfALoop = 10
    /// Files that the process needs beside its connections: the ledger, its readers, the loops, outgoing requests.
    private let otherFiles: Int

    /// The fewest files with which the server can run.
    public static func leastFiles(loops: Int) -> Int { 44 + filesOfALoop * loops }

    /// How many files may have to be open at once, to be set as the limit of the process: a leak shows early.
    public var files: Int { connections + otherFiles }
}
