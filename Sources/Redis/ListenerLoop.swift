internal import Concurrency
internal import Domain
internal import Glibc
internal import Observability
internal import RailsBroadcasts
internal import Synchronization

/// The listener's thread: moves bytes, and does what `RedisHealth` decides.
final class ListenerLoop {
    private let ports: ListenerPorts
    private let heal: HealBroadcasts
    private let channels: RedisChannels
    private var health: RedisHealth
    private let delivery: BroadcastDelivery
    private var session: RedisSession?

    init(_ ports: ListenerPorts, heal: @escaping HealBroadcasts) {
        self.ports = ports
        self.heal = heal
        let rails = RailsChannels(prefix: ports.settings.prefix)
        channels = RedisChannels(rails, token: .random(in: 0 ... .max))
        delivery = BroadcastDelivery(ports.broadcasts, channels: rails, counts: ports.counts.broadcasts)
        health = RedisHealth(timing: ports.timing, now: moment())
    }

    /// Returns when the mailbox has been closed.
    func run() {
        blockBrokenPipe()
        while !ports.broadcasts.mailbox.isClosed {
            takeCommitments()
            connected { session throws(RedisProblem) in try takeMessages(of: session) }
            delivery.submit(at: moment())
            act()
            tell()
            sleep()
        }
        delivery.submitRest()
    }

    private func sleep() {
        let isListening = delivery.hasRoom
        var sockets = session?.interests(isListening: isListening) ?? []
        let next = min(health.next, delivery.retry ?? .seconds(Int64.max))
        // Round up: a poll that ends too early would only be repeated.
        let timeout = max(.zero, next - moment()) + .milliseconds(1)
        ports.broadcasts.bell.wait(timeout: timeout, or: &sockets)
        connected { session throws(RedisProblem) in try session.exchange(sockets, isListening: isListening) }
        if !isListening { health.postpone(at: moment()) }
    }

    private func takeMessages(of session: RedisSession) throws(RedisProblem) {
        while delivery.hasRoom, let event = try session.next() {
            switch event {
            case .subscribed: health.subscribed(at: moment())
            case .heartbeat(let number): report(health.heard(number, at: moment()))
            case .message(let channel, let payload):
                health.postpone(at: moment())
                delivery.take(payload, from: channel)
            }
        }
    }

    private func takeCommitments() {
        let refused = delivery.takeCommitments(at: moment())
        guard refused > 0 else { return }
        ports.log.error("broadcasts of redis refused by the ledger", fields: ["count": refused])
        heal(.outage)
    }

    private func act() {
        while let action = health.act(at: moment()) {
            switch action {
            case .connect:
                do throws(RedisProblem) {
                    session = try RedisSession(ports.settings.url, channels: channels)
                } catch {
                    lose(error)
                }
            case .beat(let number): connected { session throws(RedisProblem) in try session.beat(number) }
            case .giveUp(let problem): lose(problem)
            }
        }
    }

    private func connected(_ body: (RedisSession) throws(RedisProblem) -> Void) {
        guard let session else { return }
        do throws(RedisProblem) {
            try body(session)
        } catch {
            lose(error)
        }
    }

    private func lose(_ problem: RedisProblem) {
        session = nil
        guard health.lost(problem, at: moment(), random: .random(in: 0...1)) else { return }
        ports.counts.outages.add()
        ports.log.warning("redis lost", fields: ["redis": ports.settings.url, "problem": problem])
    }

    private func report(_ news: RedisHealth.News?) {
        switch news {
        case nil: break
        case .connected:
            ports.log.info("redis connected", fields: ["redis": ports.settings.url, "channels": channels.pattern])
            heal(.beforeStart)
        case .recovered(let outage):
            ports.log.info(
                "redis is back",
                fields: ["redis": ports.settings.url, "seconds": outage.components.seconds]
            )
            heal(.outage)
        }
    }

    private func tell() {
        let isStuck = delivery.isStuck(at: moment(), patience: ports.timing.ledgerPatience)
        let problem = health.problem ?? (isStuck ? .ledger : nil)
        ports.counts.connected.set(health.problem == nil ? 1 : 0)
        ports.problem.withLock { $0 = problem }
    }
}

private func moment() -> Duration {
    .nanoseconds(Int64(clamping: monotonicNanoseconds()))
}

/// hiredis writes without MSG_NOSIGNAL. The kernel sends SIGPIPE to the writing thread, where it now stays pending.
private func blockBrokenPipe() {
    var set = sigset_t()
    sigemptyset(&set)
    sigaddset(&set, SIGPIPE)
    pthread_sigmask(SIG_BLOCK, &set, nil)
}
