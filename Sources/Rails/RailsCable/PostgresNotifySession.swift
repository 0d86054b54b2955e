import Crypto
import Domain
import Encoding
import PostgresLedger

/// The session that listens, and the names of its channels.
final class PostgresNotifySession {
    /// A transaction pooler takes LISTEN and delivers nothing: so long is the first notification waited for.
    private static let probe = Duration.seconds(2)
    /// Channels of one statement's text.
    private static let batch = 500

    private let url: PostgresURL
    private let options: PostgresOptions
    private let channels: PostgresNotifyChannels
    private let listener: PostgresListener
    /// By the bytes of their channels.
    private var streams: [[UInt8]: StreamName] = [:]
    private(set) var isListening = false

    init(_ url: PostgresURL, channels: PostgresNotifyChannels) {
        self.url = url
        options = .cable
        self.channels = channels
        listener = PostgresListener(url, options: options)
    }

    /// Returns what came while it was made sure that notifications come.
    func open(_ followed: some Collection<StreamName>) throws(RailsCableProblem) -> [PostgresNotification] {
        streams = [:]
        try postgres { () throws(PostgresError) in try listener.listen([channels.heartbeat]) }
        isListening = true
        try change(listen: Array(followed), giveUp: [])
        return try postgres { () throws(PostgresError) in
            // A pooler passes on what a session tells itself within a transaction.
            let sender = listener.isPooled ? PostgresListener(url, options: options) : listener
            try sender.notify(channels.heartbeat, payloads: ["probe"])
            return try listener.wait(timeout: PostgresNotifySession.probe)
        }.nonEmpty(or: .noNotifications)
    }

    func change(listen: [StreamName], giveUp: [StreamName]) throws(RailsCableProblem) {
        let ended = giveUp.map { channels.channel(of: $0) }
        for channel in ended { streams[Array(channel.utf8)] = nil }
        let begun = listen.map { channels.channel(of: $0) }
        for (channel, stream) in zip(begun, listen) { streams[Array(channel.utf8)] = stream }
        try postgres { () throws(PostgresError) in
            for part in ended.parts(of: PostgresNotifySession.batch) { try listener.unlisten(part) }
            for part in begun.parts(of: PostgresNotifySession.batch) { try listener.listen(part) }
        }
    }

    func beat(_ number: Int) throws(RailsCableProblem) {
        try postgres { () throws(PostgresError) in try listener.notify(channels.heartbeat, payloads: ["\(number)"]) }
    }

    func hasTable() throws(RailsCableProblem) -> Bool {
        try postgres { () throws(PostgresError) in try listener.first(PostgresSolidCableTable.isThere) == "true" }
    }

    func wait(timeout: Duration, waker: Int32) throws(RailsCableProblem) -> [PostgresNotification] {
        try postgres { () throws(PostgresError) in try listener.wait(timeout: timeout, waker: waker) }
    }

    /// Nil for what is no heartbeat of this server.
    func heartbeat(in message: PostgresNotification) -> Int? {
        message.channel.hasSameBytes(as: channels.heartbeat) ? Int(message.payload) : nil
    }

    func stream(of message: PostgresNotification) -> StreamName? {
        streams[Array(message.channel.utf8)]
    }

    func close() {
        listener.close()
        isListening = false
    }

    private func postgres<Result>(
        _ body: () throws(PostgresError) -> Result
    ) throws(RailsCableProblem) -> Result {
        do throws(PostgresError) {
            return try body()
        } catch {
            throw .unreadable(error.advice)
        }
    }
}

extension Array {
    fileprivate func parts(of size: Int) -> [[Element]] {
        stride(from: 0, to: count, by: size).map { Array(self[$0..<Swift.min($0 + size, count)]) }
    }

    fileprivate func nonEmpty(or problem: RailsCableProblem) throws(RailsCableProblem) -> [Element] {
        guard !isEmpty else { throw problem }
        return self
    }
}

/// A stream's channel in NOTIFY as Action Cable's `postgresql` adapter names it: the stream with the prefix, or its
/// SHA-1 when that is longer than an identifier may be
/// (https://github.com/rails/rails/blob/main/actioncable/lib/action_cable/subscription_adapter/postgresql.rb).
///
/// Releases of Rails before June 2026 count characters where PostgreSQL counts bytes: a name of 64 bytes or more in 63
/// characters or fewer is cut off by PostgreSQL, and Rails' own listener does not hear it either. Whose it was, nobody can
/// tell any more, so it is nobody's here.
struct PostgresNotifyChannels {
    /// PostgreSQL's NAMEDATALEN, less the byte that ends it.
    private static let limit = 63

    private let prefix: String
    /// This server's own channel: other servers may listen in the same database.
    let heartbeat: String

    init(_ rails: RailsChannels, token: UInt64) {
        prefix = rails.prefix
        heartbeat = "paycast_heartbeat:" + String(token, radix: 36)
    }

    func channel(of stream: StreamName) -> String {
        let name = prefix + stream.text
        return name.utf8.count > PostgresNotifyChannels.limit
            ? Hex.encode(HashFunction.sha1.hash(Array(name.utf8))) : name
    }
}
