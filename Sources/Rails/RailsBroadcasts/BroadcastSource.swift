import Support

/// Where a Rails app's broadcasts come from. Made and used on the listener's thread.
protocol BroadcastSource: AnyObject {
    /// Why broadcasts do not arrive, in words for the operator; nil while they do.
    var problem: String? { get }
    /// Something for the operator to look into while broadcasts still arrive; nil if there is nothing.
    var warning: String? { get }
    /// The source to go on with, once the app turns out to use another one.
    var successor: (any BroadcastSource)? { get }
    /// When `receive` has something to do.
    var next: MonotonicTime { get }
    /// Forgets what it has not handed over yet, since another node may have submitted it, and heals the gap.
    func startOver(_ receiver: BroadcastReceiver)
    /// Hands over what has arrived, and does what is due. It never waits longer than seconds.
    func receive(_ receiver: BroadcastReceiver)
    /// Sleeps until something arrives, until `bell` wakes it, or for `timeout`.
    func wait(for bell: EventDescriptor, timeout: Duration, receiver: BroadcastReceiver)
}

extension BroadcastSource {
    func startOver(_ receiver: BroadcastReceiver) { receiver.healGap(.outage) }

    var warning: String? { nil }

    var successor: (any BroadcastSource)? { nil }

    /// For a source that is asked, and says nothing by itself.
    func wait(for bell: EventDescriptor, timeout: Duration, receiver: BroadcastReceiver) {
        bell.wait(timeout: timeout)
    }
}

/// A source that keeps nothing, and does what `HeartbeatHealth` decides.
protocol HeartbeatSource: BroadcastSource {
    var health: HeartbeatHealth { get set }
    /// What may have been missed when broadcasts arrive for the first time.
    var gap: BroadcastGap { get }
    /// What the log tells then, beside the address.
    var detail: (name: String, value: String) { get }
    /// Begins to connect, or connects.
    func connect(_ receiver: BroadcastReceiver) throws(BroadcastProblem)
    func beat(_ number: Int) throws(BroadcastProblem)
    func disconnect()
    func heal(_ gap: BroadcastGap, _ receiver: BroadcastReceiver)
}

extension HeartbeatSource {
    var problem: String? { health.problem }

    var next: MonotonicTime { health.next }

    func heal(_ gap: BroadcastGap, _ receiver: BroadcastReceiver) { receiver.healGap(gap) }

    /// A heartbeat has come back.
    func hear(_ beat: Int, _ receiver: BroadcastReceiver) {
        guard let news = health.heard(beat, at: receiver.now) else { return }
        receiver.report(news, detail)
        heal(news == .works ? gap : .outage, receiver)
    }

    func act(_ receiver: BroadcastReceiver) {
        while let action = health.act(at: receiver.now) {
            attempt(receiver) { () throws(BroadcastProblem) in
                switch action {
                case .connect: try connect(receiver)
                case .beat(let number): try beat(number)
                case .giveUp(let problem): throw problem
                }
            }
        }
    }

    /// Loses the connection if `body` fails.
    func attempt(_ receiver: BroadcastReceiver, _ body: () throws(BroadcastProblem) -> Void) {
        do throws(BroadcastProblem) {
            try body()
        } catch {
            disconnect()
            receiver.report(health.lost(error, at: receiver.now, jitter: .random(in: 0...1)), detail)
        }
    }
}

/// Why broadcasts do not arrive, in words for the operator. Contains nothing that was broadcast, and no password.
struct BroadcastProblem: Error, Equatable, CustomStringConvertible {
    let description: String

    init(_ description: String) {
        self.description = description
    }
}

/// A listener's names: in its log, in `/ready` and as a thread.
struct BroadcastSourceName: Sendable {
    let name: String
    /// The log's field for the address, which has no password.
    let place: String
    let address: String
    let connected, lost, back, refused: StaticString
}
