/// A server, pages with stock clients, and the events that an app commits for them.
final class PagesFixture {
    typealias Transport = StockTransport

    let loop = LoadLoop()
    private(set) var target: PaycastTarget
    private(set) var publishers: Publishers
    let pages: StockPages
    let folder: String
    /// The newest version of each channel, and the time when each version was sent.
    private(set) var versions: [Int: Int] = [:]
    private(set) var sentAt: [[UInt64]] = []

    init(in folder: String, channels: Int, database: String? = nil) throws {
        self.folder = folder
        target = try PaycastTarget(in: folder, port: 0, database: database)
        publishers = Publishers(target, connections: 1, on: loop)
        pages = StockPages(port: target.port, on: loop)
        sentAt = Array(repeating: [0], count: channels)
    }

    /// Commits a fragment for the target whose turn it is; it is durable when `finish` returns.
    func commit(channel: Int = 0, size: Int = 0) throws {
        let version = versions[channel, default: 0] + 1
        versions[channel] = version
        sentAt[channel].append(nanoseconds())
        try publishers.send(target.event(PageState.fragment(version, size: size), channel: channel))
    }

    /// Commits a fragment to every channel, and returns when all of them are durable.
    func commitToAll() throws {
        for channel in sentAt.indices { try commit(channel: channel) }
        try finish()
    }

    func finish() throws { try publishers.finish() }

    /// The cursor that an app knows when it renders a page of `channel`.
    func cursor(channel: Int = 0) throws -> String {
        let answer = try publishers.ask(target.rendering(channel: channel))
        guard let cursor = answer.between(#""since":""#, "\"") else { throw BenchmarkError.refused(answer) }
        return cursor
    }

    /// Adds a page that was rendered at `cursor` and connects at `time`.
    func add(_ transport: Transport, channel: Int = 0, cursor: String, at time: UInt64) {
        let client = transport.client(
            path: target.path(channel: channel),
            signedName: target.signedName(channel),
            since: cursor,
            wakeAt: time
        )
        pages.add(client, channel: channel, version: versions[channel, default: 0])
    }

    /// Opens pages of channel 0, rendered now, with the transports in turns; returns when all of them are subscribed.
    func open(_ count: Int, over transports: [Transport]) throws {
        try open(Array(repeating: 0, count: count), over: transports)
    }

    private func open(_ channels: [Int], over transports: [Transport]) throws {
        let cursor = try cursor()
        let start = nanoseconds()
        for (page, channel) in channels.enumerated() {
            let time = start + UInt64(page) * millisecond / 2
            add(transports[page % transports.count], channel: channel, cursor: cursor, at: time)
        }
        var subscribed: Set<Int> = []
        pages.onSubscribed = { page, _ in subscribed.insert(page) }
        try pages.turn(until: "pages to subscribe") { subscribed.count == channels.count }
        pages.onSubscribed = nil
    }

    /// Opens one page for each channel and waits until it is subscribed.
    func open(over transports: [Transport]) throws {
        try open(Array(sentAt.indices), over: transports)
    }

    /// From now on, pages connect to another node, which also receives the events.
    func move(to other: PaycastTarget) {
        target = other
        publishers = Publishers(other, connections: 64, on: loop)
        pages.port = other.port
    }

    /// Restarts the server with the same ledger on the same port.
    func restart() throws {
        target = try PaycastTarget(in: folder, port: target.port)
        publishers = Publishers(target, connections: 1, on: loop)
    }

    var current: Int { (0..<pages.count).count(where: isCurrent) }

    func isCurrent(_ page: Int) -> Bool {
        pages.state(page).isCurrent(at: versions[pages.channel(page), default: 0])
    }

    /// Turns the loop until every page shows the newest version.
    func waitUntilCurrent(timeout: Duration = .seconds(60)) throws {
        try waitUntilCurrent(Array(0..<pages.count), timeout: timeout)
    }

    func waitUntilCurrent(_ some: [Int], timeout: Duration = .seconds(60)) throws {
        var next = 0
        do {
            try pages.turn(until: "pages", timeout: timeout) {
                while next < some.count, isCurrent(some[next]) { next += 1 }
                return next == some.count
            }
        } catch BenchmarkError.timedOut {
            throw missing(some)
        }
    }

    private func missing(_ some: [Int]) -> BenchmarkError {
        let deaf = some.filter { !isCurrent($0) }
        let list = deaf.prefix(5).map { page in
            let state = pages.state(page)
            return "\(pages.name(page)) shows \(state[0]) and \(state[1]) of \(versions[pages.channel(page)] ?? 0)"
        }
        return .hole("\(deaf.count) of \(some.count) pages lack the newest state: \(list.joined(separator: "; "))")
    }
}
