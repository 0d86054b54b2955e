import Crypto
import Domain
import Encoding
import Ledger
import Support

/// Takes what Action Cable's `postgresql` adapter notifies: listens to each stream that a page follows, and does what
/// `HeartbeatHealth` decides. PostgreSQL keeps nothing for a session that is away.
final class PostgresNotifySource: HeartbeatSource {
    /// A transaction pooler takes LISTEN and delivers nothing: so long is the first notification waited for.
    private static let probe = Duration.seconds(2)
    /// Channels of one statement's text.
    private static let batch = 500

    let detail = (name: "adapter", value: "postgresql")
    private let database: CableDatabase
    private let channels: PostgresNotifyChannels
    private let listener: PostgresConnection
    private var isListening = false
    private var streams: ListenedStreams
    /// The streams that are listened to, by the bytes of their channels.
    private var names: [[UInt8]: StreamName] = [:]
    var health: HeartbeatHealth
    private var heard: [PostgresNotification] = []
    private var hasHeard = false
    /// Streams to catch up on once notifications arrive for the first time.
    let gap: BroadcastGap
    /// When to ask again what pages follow.
    private var nextRepetition: MonotonicTime = 0
    /// What to do if Solid Cable's table appears; nil if the setting says that it is not used.
    private let otherwise: ((BroadcastGap) -> any BroadcastSource)?
    private(set) var successor: (any BroadcastSource)?

    init(
        _ database: CableDatabase,
        after gap: BroadcastGap,
        otherwise: ((BroadcastGap) -> any BroadcastSource)?
    ) {
        self.database = database
        self.gap = gap
        self.otherwise = otherwise
        let (settings, timing) = (database.settings, database.timing)
        channels = PostgresNotifyChannels(RailsChannels(prefix: settings.prefix), token: .random(in: 0 ... .max))
        listener = PostgresConnection(database.url, options: .cable)
        streams = ListenedStreams(limit: settings.streamLimit, repetition: timing.repetition)
        health = HeartbeatHealth(timing: timing, starting: .unread, silent: .noNotifications)
        database.follows.sayAgain()
    }

    var problem: String? {
        health.problem ?? (streams.isOverfull ? BroadcastProblem.tooManyStreams.description : nil)
    }

    /// Another database of the app would look the same. What was heard proves that it is the right one.
    var warning: String? {
        guard otherwise != nil, !hasHeard else { return nil }
        return """
            the database has no table solid_cable_messages, so the app is taken to broadcast through the adapter \
            postgresql, and nothing was heard yet; set PAYCAST_RAILS_CABLE_ADAPTER if that is right, or name the \
            database of Solid Cable
            """
    }

    var next: MonotonicTime { min(health.next, nextRepetition) }

    func startOver(_ receiver: BroadcastReceiver) {
        heard = []
        receiver.healGap(.outage)
    }

    func receive(_ receiver: BroadcastReceiver) {
        follow(receiver)
        takeMessages(receiver)
        act(receiver)
    }

    func wait(for bell: EventDescriptor, timeout: Duration, receiver: BroadcastReceiver) {
        guard receiver.hasRoom, isListening else {
            health.postpone(at: receiver.now)
            bell.wait(timeout: timeout)
            return
        }
        attempt(receiver) { () throws(BroadcastProblem) in
            heard += try postgres { () throws(EngineError) in
                try listener.wait(timeout: timeout, waker: bell.descriptor)
            }
        }
        bell.clear()
    }

    private func follow(_ receiver: BroadcastReceiver) {
        let follows = database.follows
        let news = follows.take()
        var fresh = news.fresh + news.own
        if news.isAsked || nextRepetition <= receiver.now {
            nextRepetition = receiver.now + database.timing.repetition
            let pages = follows.onPages
            follows.share(pages)
            fresh += pages
        } else {
            follows.share(news.own)
        }
        let change = streams.follow(fresh, at: receiver.now)
        if isListening, change != ListenedStreams.Change() {
            attempt(receiver) { () throws(BroadcastProblem) in
                try postgres { () throws(EngineError) in try listen(change) }
            }
        }
        // After that, so that nothing is broadcast between.
        for stream in change.giveUp { receiver.reload(stream) }
        database.counts.givenUp.add(change.giveUp.count)
        database.counts.streams.set(streams.count)
        if streams.recover(at: receiver.now) { heal(.outage, receiver) }
    }

    private func listen(_ change: ListenedStreams.Change) throws(EngineError) {
        let ended = change.giveUp.map { channels.channel(of: $0) }
        for channel in ended { names[Array(channel.utf8)] = nil }
        let begun = change.listen.map { channels.channel(of: $0) }
        for (channel, stream) in zip(begun, change.listen) { names[Array(channel.utf8)] = stream }
        for part in ended.parts(of: PostgresNotifySource.batch) { try listener.unlisten(part) }
        for part in begun.parts(of: PostgresNotifySource.batch) { try listener.listen(part) }
    }

    /// Takes also what comes while it is made sure that notifications come.
    func connect(_ receiver: BroadcastReceiver) throws(BroadcastProblem) {
        names = [:]
        let first = try postgres { () throws(EngineError) in
            try listener.listen([channels.heartbeat])
            isListening = true
            try listen(ListenedStreams.Change(listen: Array(streams.all)))
            // A pooler passes on what a session tells itself within a transaction.
            let sender = listener.isPooled ? PostgresConnection(database.url, options: .cable) : listener
            try sender.notify(channels.heartbeat, payloads: ["probe"])
            return try listener.wait(timeout: PostgresNotifySource.probe)
        }
        guard !first.isEmpty else { throw .noNotifications }
        heard += first
        health.subscribed(at: receiver.now)
    }

    func beat(_ number: Int) throws(BroadcastProblem) {
        try postgres { () throws(EngineError) in
            try listener.notify(channels.heartbeat, payloads: ["\(number)"])
            guard let otherwise else { return }
            let columns = try listener.prepare(PostgresSolidCableTable.columns).all { row in row.integer(0) }
            if columns.count == 2 { successor = otherwise(.outage) }
        }
    }

    func disconnect() {
        listener.close()
        isListening = false
    }

    private func postgres<Result>(
        _ body: () throws(EngineError) -> Result
    ) throws(BroadcastProblem) -> Result {
        do throws(EngineError) {
            return try body()
        } catch {
            throw BroadcastProblem(error.advice)
        }
    }

    private func takeMessages(_ receiver: BroadcastReceiver) {
        let messages = heard
        heard = []
        for message in messages {
            if message.channel.hasSameBytes(as: channels.heartbeat) {
                if let beat = Int(message.payload) { hear(beat, receiver) }
            } else if let stream = names[Array(message.channel.utf8)] {
                hasHeard = true
                health.postpone(at: receiver.now)
                receiver.take(Array(message.payload.utf8), on: stream)
            }
        }
    }

    func heal(_ gap: BroadcastGap, _ receiver: BroadcastReceiver) {
        if gap == .outage { database.counts.gaps.add() }
        receiver.healGap(gap)
    }
}

extension Array {
    fileprivate func parts(of size: Int) -> [[Element]] {
        stride(from: 0, to: count, by: size).map { Array(self[$0..<Swift.min($0 + size, count)]) }
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
