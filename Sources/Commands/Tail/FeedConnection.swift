import HTTPClient

/// Carries out what `FeedFollower` decides: connects, reads, prints, waits, and connects again.
struct FeedConnection: TailSubject {
    private let remote: RemoteServer
    private let show: (FeedEntry) -> Void
    private let waiting: Waiting
    private var follower: FeedFollower
    private var ending: Result<Int32, CommandFailure>?
    private var hasConnected = false

    init(remote: RemoteServer, follower: FeedFollower, show: @escaping (FeedEntry) -> Void) {
        self.remote = remote
        self.follower = follower
        self.show = show
        waiting = Waiting(for: follower)
    }

    var waits: Bool { follower.waits }

    /// Returns when the awaited entry has come. If nothing is awaited, it never returns.
    mutating func run() throws(CommandFailure) -> Int32 {
        while true {
            let reason = try connect()
            if let ending { return try ending.get() }
            try waiting.pause(reason, for: follower.disconnected())
        }
    }

    /// Runs one connection from beginning to end, and returns why it ended.
    private mutating func connect() throws(CommandFailure) -> String {
        var parser = EventStreamParser()
        var refusal: (status: Int, body: [UInt8])?
        do throws(HTTPClientError) {
            let url = remote.url + "/feed" + queryString(follower.query)
            let headers = remote.authorization + [("Accept", "text/event-stream")]
            try HTTPClient(timeout: .seconds(10)).stream(url, headers: headers) { event in
                switch event {
                case .head(let head):
                    if head.status == 200 { opened() } else { refusal = (head.status, []) }
                    return true
                case .bytes(let bytes):
                    guard refusal != nil else { return received(bytes, parser: &parser) }
                    refusal?.body += bytes.prefix(4096)
                    return refusal?.body.count ?? 0 < 4096
                case .tick:
                    leaveIfNobodyReads(awaited: follower.waits)
                    return !waiting.isOver
                }
            }
        } catch {
            guard hasConnected else { throw CommandFailure("\(error)") }
            return "\(error)"
        }
        guard let (status, body) = refusal else { return "the server has ended the feed" }
        // Tries again only if that can help.
        guard hasConnected, status == 429 || status >= 500 else { throw remote.failure(status: status, body: body) }
        return "the server answers \(status)"
    }

    private mutating func opened() {
        if hasConnected { printError("paycast: connected again, continuing after \(follower.since ?? "now")") }
        hasConnected = true
        follower.connected()
    }

    /// Returns false if nothing more should be read.
    private mutating func received(_ bytes: UnsafeRawBufferPointer, parser: inout EventStreamParser) -> Bool {
        for event in parser.receive(bytes) {
            if event.type == "reset" {
                noteReset(event)
                continue
            }
            guard let entry = FeedEntry(event) else { continue }
            let action = follower.received(entry)
            if action != .skip { show(entry) }
            ending = action.ending
            if ending != nil { return false }
        }
        follower.receivedID(parser.lastEventID)
        if parser.hasOverflowed {
            ending = .failure(CommandFailure("an entry of the feed is larger than 4 MiB: is that a Paycast server?"))
        }
        return ending == nil && !waiting.isOver
    }

    private mutating func noteReset(_ event: EventStreamParser.Event) {
        let before = follower.asked ?? "none"
        guard follower.reset(to: event.id) else { return }
        printError(
            "paycast: the cursor \(before) is not one of this ledger, which may have been restored; continuing after "
                + "\(event.id) (--since start shows what it holds)"
        )
    }
}
