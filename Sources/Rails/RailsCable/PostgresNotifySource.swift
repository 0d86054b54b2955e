import Domain
import PostgresLedger
import Support

/// Takes what Action Cable's `postgresql` adapter notifies: listens to each stream that a page follows, and does what
/// `HeartbeatHealth` decides. PostgreSQL keeps nothing for a session that is away.
final class PostgresNotifySource: HeartbeatSource {
    private let settings: RailsCableSettings
    private let counts: RailsCableCounts
    private let follows: FollowedStreams
    private let session: PostgresNotifySession
    private var streams: ListenedStreams
    var health: HeartbeatHealth<RailsCableProblem>
    private var heard: [PostgresNotification] = []
    /// Streams to catch up on once notifications arrive.
    private var gap: BroadcastGap
    private let repetition: Duration
    /// When to ask again what pages follow.
    private var nextRepetition = Duration.zero
    /// Solid Cable's table has appeared, so that the app uses that.
    private(set) var isTableThere = false
    private(set) var hasHeard = false

    init(
        _ url: PostgresURL,
        settings: RailsCableSettings,
        timing: BroadcastTiming,
        counts: RailsCableCounts,
        follows: FollowedStreams,
        after gap: BroadcastGap
    ) {
        self.settings = settings
        self.counts = counts
        self.follows = follows
        self.gap = gap
        let rails = RailsChannels(prefix: settings.prefix)
        session = PostgresNotifySession(url, channels: PostgresNotifyChannels(rails, token: .random(in: 0 ... .max)))
        repetition = timing.repetition
        streams = ListenedStreams(limit: settings.streamLimit, repetition: timing.repetition)
        health = HeartbeatHealth(timing: timing, starting: .starting, silent: .noNotifications, now: .zero)
        follows.sayAgain()
    }

    var problem: String? { (health.problem ?? (streams.isOverfull ? .tooManyStreams : nil))?.description }

    var next: Duration { min(health.next, nextRepetition) }

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
        guard receiver.hasRoom, session.isListening else {
            health.postpone(at: receiver.now)
            var sockets: [PolledSocket] = []
            return bell.wait(timeout: timeout, or: &sockets)
        }
        attempt(receiver) { () throws(RailsCableProblem) in
            heard += try session.wait(timeout: timeout, waker: bell.descriptor)
        }
        bell.clear()
    }

    // MARK: Streams

    private func follow(_ receiver: BroadcastReceiver) {
        let news = follows.take()
        var fresh = news.fresh + news.own
        if news.isAsked || nextRepetition <= receiver.now {
            nextRepetition = receiver.now + repetition
            let pages = follows.onPages
            follows.share(pages)
            fresh += pages
        } else {
            follows.share(news.own)
        }
        let change = streams.follow(fresh, at: receiver.now)
        if session.isListening, change != ListenedStreams.Change() {
            attempt(receiver) { () throws(RailsCableProblem) in
                try session.change(listen: change.listen, giveUp: change.giveUp)
            }
        }
        // After that, so that nothing is broadcast between.
        for stream in change.giveUp { receiver.reload(stream) }
        counts.givenUp.add(change.giveUp.count)
        counts.streams.set(streams.count)
        if streams.recover(at: receiver.now) { healGap(.outage, receiver) }
    }

    // MARK: The connection

    func connect(_ receiver: BroadcastReceiver) throws(RailsCableProblem) {
        heard += try session.open(streams.all)
        health.subscribed(at: receiver.now)
    }

    func beat(_ number: Int) throws(RailsCableProblem) {
        try session.beat(number)
        if settings.adapter == nil { isTableThere = try session.hasTable() }
    }

    func disconnect() { session.close() }

    private func takeMessages(_ receiver: BroadcastReceiver) {
        let messages = heard
        heard = []
        for message in messages {
            if let beat = session.heartbeat(in: message) {
                report(health.heard(beat, at: receiver.now), receiver)
            } else if let stream = session.stream(of: message) {
                hasHeard = true
                health.postpone(at: receiver.now)
                receiver.take(Array(message.payload.utf8), on: stream)
            }
        }
    }

    private func report(_ news: DeliveryNews?, _ receiver: BroadcastReceiver) {
        switch news {
        case nil: return
        case .connected:
            receiver.log.info("rails cable connected", fields: ["cable": settings.url, "adapter": "postgresql"])
        case .recovered(let outage):
            receiver.recovered(after: outage)
            gap = .outage
        }
        healGap(gap, receiver)
    }

    private func healGap(_ gap: BroadcastGap, _ receiver: BroadcastReceiver) {
        if gap == .outage { counts.gaps.add() }
        receiver.healGap(gap)
    }
}
