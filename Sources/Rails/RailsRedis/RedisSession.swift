import Domain
import Support

/// The two connections of one attempt: one subscribes and the other publishes heartbeats, because a RESP2 connection
/// cannot do both (https://redis.io/docs/latest/develop/pubsub/). Confined to one thread.
final class RedisSession {
    enum Event: Equatable {
        case subscribed
        /// One of this server's heartbeats came back.
        case heartbeat(Int)
        case message(channel: [UInt8], payload: [UInt8])
    }

    private let channels: RedisChannels
    private let subscriber: RedisConnection
    private let publisher: RedisConnection
    /// The initial commands of each connection that have no reply yet.
    private var unanswered: (subscriber: [String], publisher: [String])

    /// Waits for each connection for `patience` at most.
    init(_ settings: RedisSettings, channels: RedisChannels, patience: Duration) throws(BroadcastProblem) {
        self.channels = channels
        subscriber = try RedisConnection(settings, patience: patience)
        publisher = try RedisConnection(settings, patience: patience)
        let url = settings.url
        let signIn = url.password.map { [["AUTH"] + [url.user, $0].compactMap { $0 }] } ?? []
        for words in signIn + [["PSUBSCRIBE", channels.pattern]] { subscriber.append(words) }
        for words in signIn { publisher.append(words) }
        unanswered = (signIn.map { $0[0] } + ["PSUBSCRIBE"], signIn.map { $0[0] })
    }

    func beat(_ number: Int) throws(BroadcastProblem) {
        publisher.append(["PUBLISH", channels.heartbeat, "\(number)"])
        try publisher.write()
    }

    /// The sockets of the subscriber and the publisher, in this order.
    func interests(isListening: Bool) -> [PolledSocket] {
        [subscriber.interest(isRead: isListening), publisher.interest(isRead: true)]
    }

    /// Whether there is something to read, although no socket may show it.
    func hasMore(isListening: Bool) -> Bool { isListening && subscriber.hasMore || publisher.hasMore }

    /// Moves bytes on the sockets that are ready.
    func exchange(_ ready: [Bool], isListening: Bool) throws(BroadcastProblem) {
        for (connection, isReady) in zip([subscriber, publisher], ready) {
            let isRead = isListening || connection === publisher
            guard isReady || isRead && connection.hasMore else { continue }
            try connection.exchange(isRead: isRead)
        }
        while let reply = try publisher.next() { try check(reply, of: &unanswered.publisher, last: "PUBLISH") }
    }

    /// The next event that has been read. Returns nil when everything read so far has been returned.
    func next() throws(BroadcastProblem) -> Event? {
        while let reply = try subscriber.next() {
            guard case .list(let items) = reply else {
                try check(reply, of: &unanswered.subscriber, last: "PSUBSCRIBE")
                continue
            }
            if let event = event(items) { return event }
        }
        return nil
    }

    private func event(_ parts: [[UInt8]?]) -> Event? {
        switch (parts.first.flatMap { $0.map { String(decoding: $0, as: UTF8.self) } }, parts.count) {
        case ("psubscribe", _): return .subscribed
        case ("pmessage", 4):
            guard let channel = parts[2], let payload = parts[3] else { return nil }
            guard channels.isHeartbeat(channel) else { return .message(channel: channel, payload: payload) }
            guard channel == Array(channels.heartbeat.utf8) else { return nil }
            return Int(String(decoding: payload, as: UTF8.self)).map { .heartbeat($0) }
        default: return nil
        }
    }

    private func check(_ reply: RedisReply, of unanswered: inout [String], last: String) throws(BroadcastProblem) {
        let command = unanswered.isEmpty ? last : unanswered.removeFirst()
        if case .error(let code) = reply { throw .refused(command: command, code: code) }
    }
}

extension RedisSettings {
    /// Why broadcasts would not arrive, in words for the operator: nil if a heartbeat comes back. Waits for each connection, and
    /// for the heartbeat, for `patience` at most.
    public func problem(patience: Duration = .seconds(5)) -> String? {
        do throws(BroadcastProblem) {
            try beat(patience: patience)
            return nil
        } catch {
            return error.description
        }
    }

    private func beat(patience: Duration) throws(BroadcastProblem) {
        let channels = RedisChannels(RailsChannels(prefix: prefix), token: .random(in: 0 ... .max))
        let session = try RedisSession(self, channels: channels, patience: patience)
        guard let bell = EventDescriptor() else { throw .unreachable("too few files may be open") }
        let end = ContinuousClock.now + patience
        while .now < end {
            while let event = try session.next() {
                switch event {
                case .subscribed: try session.beat(1)
                case .heartbeat: return
                case .message: break
                }
            }
            let timeout = session.hasMore(isListening: true) ? .zero : end - .now
            try session.exchange(
                bell.wait(timeout: timeout, or: session.interests(isListening: true)),
                isListening: true
            )
        }
        throw .silent
    }
}

/// The Redis channels of an app's streams, and of heartbeats.
struct RedisChannels: Sendable {
    private static let heartbeats = "paycast_heartbeat:"

    let rails: RailsChannels
    /// This server's own channel: other servers may listen to the same Redis.
    let heartbeat: String

    init(_ rails: RailsChannels, token: UInt64) {
        self.rails = rails
        heartbeat = rails.prefix + RedisChannels.heartbeats + String(token, radix: 36)
    }

    /// For `PSUBSCRIBE`, which reads `* ? [ ] \` as glob characters.
    var pattern: String {
        rails.prefix.map { "*?[]\\".contains($0) ? "\\\($0)" : "\($0)" }.joined() + "*"
    }

    /// True for the heartbeats of any server that uses the same prefix.
    func isHeartbeat(_ channel: [UInt8]) -> Bool {
        channel.starts(with: (rails.prefix + RedisChannels.heartbeats).utf8)
    }
}
