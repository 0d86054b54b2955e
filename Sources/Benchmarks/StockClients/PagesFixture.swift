/// A server, pages with stock clients, and the events that an app commits for them.
final class PagesFixture {
    enum Transport: String, CaseIterable {
        case eventSource = "EventSource"
        case cable = "Action Cable"
        case anyCable = "AnyCable"
        case webSocket = "WebSocket"

        /// The transports that reconnect by themselves.
        static let returning = [eventSource, cable, anyCable]
    }

    let loop = LoadLoop()
    private(set) var target: PaycastTarget
    private(set) var publishers: Publishers
    let pages: StockPages
    let folder: String
    /// The newest version of each channel, and the time when each version was sent.
    private(set) var versions: [Int: Int] = [:]
    private(set) var sentAt: [[UInt64]] = []

    init(in folder: String, channels: Int) throws {
        self.folder = folder
        target = try PaycastTarget(in: folder)
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

    func finish() throws { try publishers.finish() }

    /// The cursor that an app knows when it renders a page of `channel`.
    func cursor(channel: Int = 0) throws -> String {
        try publishers.send(target.rendering(channel: channel))
        try finish()
        let words = publishers.lastAnswer.split(separator: "\"")
        guard let name = words.firstIndex(of: "since"), words.count > name + 2 else {
            throw BenchmarkError.refused(publishers.lastAnswer)
        }
        return String(words[name + 2])
    }

    func gauge(_ name: String) throws -> Int {
        try publishers.send(target.metrics)
        try finish()
        let lines = publishers.lastAnswer.split(separator: "\n").filter { $0.hasPrefix(name + " ") }
        return lines.first?.split(separator: " ").last.flatMap { Int($0) } ?? 0
    }

    /// Adds a page that was rendered at `cursor` and connects at `time`.
    func add(_ transport: Transport, channel: Int = 0, cursor: String, at time: UInt64) {
        let path = target.path(channel: channel) + "&since=" + cursor
        let subscription = CableSubscription(signedName: target.signedName(channel), since: cursor)
        let client: any StockClient =
            switch transport {
            case .eventSource: EventSourceClient(path: path, wakeAt: time)
            case .cable: CableClient(subscription, wakeAt: time)
            case .anyCable: AnyCableClient(subscription, wakeAt: time)
            case .webSocket: WebSocketClient(path: path, wakeAt: time)
            }
        pages.add(client, channel: channel, version: versions[channel, default: 0])
    }

    /// Opens pages of channel 0, rendered now, with the transports in turns; returns when all of them are subscribed.
    func open(_ count: Int, over transports: [Transport]) throws {
        let cursor = try cursor()
        let start = nanoseconds()
        for page in 0..<count {
            add(transports[page % transports.count], cursor: cursor, at: start + UInt64(page) * millisecond / 2)
        }
        var subscribed: Set<Int> = []
        pages.onSubscribed = { page, _ in subscribed.insert(page) }
        try pages.turn(until: "pages to subscribe") { subscribed.count == count }
        pages.onSubscribed = nil
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

    /// Turns the loop until every page shows what was committed last.
    func settle(timeout: Duration = .seconds(60)) throws {
        try settle(Array(0..<pages.count), timeout: timeout)
    }

    func settle(_ some: [Int], timeout: Duration = .seconds(60)) throws {
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

/// For sorted values.
func percentile(_ share: Double, _ sorted: [Double]) -> Double {
    sorted.isEmpty ? .nan : sorted[min(sorted.count - 1, Int(Double(sorted.count) * share))]
}
