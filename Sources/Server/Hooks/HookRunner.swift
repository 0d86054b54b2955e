import API
import APIModel
import Domain
import Ledger
import Simulator
import Support
import Synchronization

/// Tells the app's backend what has changed, after the commit.
///
/// One thread finds out what is due, when something was committed and once a second; others send it. Of several nodes, the
/// leader does. A message is read with its user's state when a thread is free for it, so that what waits is in the ledger
/// alone.
final class HookRunner: BackgroundWork {
    /// How often the addresses' states are read, for the metrics and `/ready`.
    private static let lookEvery = Duration.seconds(10)
    /// The least time between two questions what is due.
    private static let interval = Duration.milliseconds(20)
    /// `/ready` warns of an address that has failed for longer.
    private static let patience = Duration.seconds(3600)
    /// How long one lane goes on before its answers are committed: another node may take over in twice as long, and would send
    /// again what is not.
    private static let longestTurn = Duration.seconds(5)

    private let context: WorkContext
    private let targets: [HookTarget]
    private let sender: SharedValue<HookSender>
    private let developmentSecret: String?
    private let signingClock: Clock
    let routine: Routine
    private let pool: WorkerPool
    private let lanes = Mutex(HookLanes())
    /// Whether a test of the addresses is under way.
    private let isTesting = Mutex(false)
    private let states = Mutex(HookAddressStates())
    private let counts: HookCounts

    /// Nil if no address is configured. `routine` is woken after commits.
    init?(_ core: ServerCore, _ context: WorkContext, counts: HookCounts) {
        developmentSecret = core.keys.workspace?.hookSecret
        let addresses = core.configuration.hooks.completed(with: developmentSecret)
        guard !addresses.isEmpty else { return nil }
        self.context = context
        targets = addresses.targets
        // In development, the server's clock may be months ahead.
        signingClock = core.configuration.isDevelopment ? Clock() : core.clock
        sender = SharedValue(HookSender(addresses, clock: signingClock))
        routine = core.hookRoutine
        pool = WorkerPool(name: "hooks", threads: addresses.count * HookLanes.most, capacity: 1000)
        self.counts = counts
    }

    var pools: [WorkerPool] { [pool] }

    func start() {
        name()
        routine.start("hooks", state: MonotonicTime(0)) { [self] lastAt in
            turn(lastAt: &lastAt)
            return .seconds(1)
        }
    }

    /// New attempts are signed with these addresses' secrets. What said that it is gone is tried again.
    func reload(_ addresses: [HookAddress]) {
        let addresses = addresses.completed(with: developmentSecret)
        sender.replace(with: HookSender(addresses, clock: signingClock))
        lanes.withLock { $0.forget() }
        name()
    }

    private func name() {
        let isTaken = context.writer.submit(
            .nameHooks(targets.map(\.address)) { [self] _ in look(afterAtLeast: .zero) }
        )
        if !isTaken { context.log.error("hooks not reloaded, the ledger is busy; send SIGHUP again") }
    }

    /// After a commit at once; under load only so often, for many messages at a time.
    private func turn(lastAt: inout MonotonicTime) {
        let pause = monotonicNanoseconds().duration(to: lastAt + HookRunner.interval)
        if pause > .zero { Waker().wait(timeout: pause) }
        lastAt = monotonicNanoseconds()
        guard let lease = context.leaderLease.lease else {
            lanes.withLock { $0.forget() }
            return states.withLock { $0 = HookAddressStates() }
        }
        look(afterAtLeast: HookRunner.lookEvery)
        guard !context.hold.isHeld else { return }
        let gone = states.withLock { Set($0.list.filter { $0.goneAt != nil }.map(\.address)) }
        for target in targets where !gone.contains(target.address) && !routine.isHalted {
            send(to: target, under: lease)
        }
    }

    private func send(to target: HookTarget, under lease: Lease) {
        let address = target.address
        let limit = lanes.withLock { $0.look(at: address, now: monotonicNanoseconds()) }
        let found = limit > 0 ? try? context.reader.answer { try $0.hooks(to: address, limit: limit) } : nil
        guard let due = found else { return }
        let lists = lanes.withLock { $0.begin(due.map(\.delivery.user), to: address, now: monotonicNanoseconds()) }
        for list in lists {
            let hooks = list.map { due[$0] }
            let isTaken = pool.submit { [self] in deliver(hooks, to: target, under: lease) }
            if !isTaken { end(hooks, to: target, answers: [], isCommitted: false) }
        }
    }
}

/// Attempts, one after the other, on a thread of the pool.
extension HookRunner {
    private func deliver(_ hooks: [DueHook], to target: HookTarget, under lease: Lease) {
        var answered: [AnsweredHook] = []
        var answers: [HookAnswer] = []
        let stopsAt = monotonicNanoseconds() + HookRunner.longestTurn
        for hook in hooks {
            let mayGoOn = answers.last.map { !$0.concernsTheAddress && monotonicNanoseconds() < stopsAt } ?? true
            guard mayGoOn, !routine.isHalted, context.leaderLease.lease == lease else { break }
            let delivery = hook.delivery
            let message = HookMessage(hook, epoch: context.writer.epoch)
            let answer = sender.value.send(
                message,
                id: delivery.messageID(epoch: context.writer.epoch),
                to: delivery.address
            )
            answered.append(AnsweredHook(delivery, result: result(of: answer, to: delivery)))
            answers.append(answer)
        }
        let endsOutage = answers.contains(where: \.isSuccess) && lanes.withLock { $0.isDown(target.address) }
        let isCommitted =
            answered.isEmpty
            || context.writer.hasCommitted(under: lease) { .hooks(answered, endsOutage: endsOutage, completion: $0) }
        let before = end(hooks, to: target, answers: answers, isCommitted: isCommitted)
        for (hook, answer) in zip(answered, answers) where isCommitted {
            report(hook, answer: answer, to: target, failuresBefore: before)
        }
        routine.wake()
    }

    /// Chance is a call of the system, and needed only for what is sent again.
    private func result(of answer: HookAnswer, to delivery: HookDelivery) -> HookResult {
        guard !answer.isSuccess else { return .accepted }
        let schedule = HookSchedule(attempts: delivery.attempts, now: context.clock.now(), jitter: .random(in: 0..<1))
        return schedule.result(of: answer)
    }

    @discardableResult
    private func end(_ hooks: [DueHook], to target: HookTarget, answers: [HookAnswer], isCommitted: Bool) -> Int {
        lanes.withLock { lanes in
            let now = monotonicNanoseconds()
            let users = hooks.map(\.delivery.user)
            let before = lanes.end(users, to: target.address, answers: answers, now: now)
            if !isCommitted { lanes.rest(target.address, now: now) }
            return before
        }
    }

    private func report(_ hook: AnsweredHook, answer: HookAnswer, to target: HookTarget, failuresBefore: Int) {
        let result = hook.result
        counts.count(result)
        let body = String(decoding: answer.body, as: UTF8.self)
        context.log.debug(
            "hook answered",
            fields: ["address": target.origin, "status": answer.status ?? 0, "body": body]
        )
        switch result {
        case .accepted where failuresBefore > 0:
            context.log.info("hook works again", fields: ["address": target.origin])
        case .accepted: break
        case .retry(_, let reason) where failuresBefore == 0:
            context.log.warning("hook fails", fields: ["address": target.origin, "reason": reason])
        case .retry(let at, let reason):
            context.log.debug(
                "hook postponed",
                fields: ["address": target.origin, "until": at.iso8601, "reason": reason]
            )
        case .failed(let reason):
            let todo = "mend the backend, then: paycast hooks resend \(hook.delivery.id)"
            context.log.error("hook given up", fields: ["address": target.origin, "reason": reason, "todo": todo])
        case .gone(let reason):
            look(afterAtLeast: .zero)
            context.log.error("hook stopped", fields: ["address": target.origin, "reason": reason])
        }
    }
}

/// What operators are shown.
extension HookRunner {
    /// Reads the addresses' states, unless they were read just now.
    private func look(afterAtLeast age: Duration) {
        let now = monotonicNanoseconds()
        guard states.withLock({ $0.mayBeRead(afterAtLeast: age, now: now) }) else { return }
        _ = context.reader.ask({ [targets] in try $0.hookAddresses(targets.map(\.address)) }) { [self] result in
            guard let list = try? result.get() else { return }
            states.withLock { $0.list = list }
            // What was stopped may be sent again.
            if age == .zero { routine.wake() }
        }
    }

    /// For `/ready`: they become a problem of those who rely on being told.
    var warnings: [String] {
        // Nothing is sent, and what is stored of the addresses is another server's.
        guard !context.hold.isHeld else { return [] }
        let now = context.clock.now()
        return states.withLock { $0.list }.compactMap { state in
            guard let target = targets.first(where: { $0.address == state.address }) else { return nil }
            if state.goneAt != nil {
                return
                    "hooks: \(target.origin) has answered 410 and is told nothing more; take it out of PAYCAST_HOOK_URLS, "
                    + "or reload the server to try again"
            }
            // One message that was refused once says little of the address.
            guard state.failures > 1, let since = state.failingSince, since + HookRunner.patience < now else {
                return nil
            }
            return "hooks: \(target.origin) has failed since \(since.iso8601): \(state.reason ?? "see paycast hooks")"
        }
    }

    /// Messages that wait.
    var waiting: Int { states.withLock { $0.list.reduce(0) { $0 + $1.waiting } } }

    /// How long the oldest of them has waited, in seconds.
    var oldestWait: Int {
        let oldest = states.withLock { $0.list.compactMap(\.oldest).min() }
        let now = context.clock.now()
        return oldest.map { Int(max(0, now.milliseconds - $0.milliseconds) / 1000) } ?? 0
    }
}

/// How the addresses were when they were last read. Pure.
struct HookAddressStates {
    var list: [HookAddressState] = []
    private var readAt: MonotonicTime?

    /// Whether to read them now; a yes is noted. Another thread may have read the clock later than this one and come here
    /// before it.
    mutating func mayBeRead(afterAtLeast age: Duration, now: MonotonicTime) -> Bool {
        if let readAt, readAt.duration(to: now) < age { return false }
        readAt = now
        return true
    }
}

/// What happened to messages, since this server's start.
struct HookCounts: Sendable {
    private let delivered, failures, abandoned: Counter

    init(_ metrics: Metrics) {
        delivered = metrics.counter(.hooksDelivered)
        failures = metrics.counter(.hookFailures)
        abandoned = metrics.counter(.hooksAbandoned)
    }

    func count(_ result: HookResult) {
        if result == .accepted { delivered.add() } else { failures.add() }
        if case .failed = result { abandoned.add() }
    }

    func show(_ runner: HookRunner?, in metrics: Metrics) {
        metrics.gauge(.hooksWaiting) { [weak runner] in runner?.waiting ?? 0 }
        metrics.gauge(.hookOldest) { [weak runner] in runner?.oldestWait ?? 0 }
        metrics.gauge(.hookAddressesFailing) { [weak runner] in runner?.warnings.count ?? 0 }
    }
}

/// What operators may do.
extension HookRunner {
    /// What the API's routes work with.
    var desk: HookDesk {
        HookDesk(
            addresses: targets.map { ($0.address, $0.shown) },
            isHeld: { [context] in context.hold.isHeld },
            test: { [self] done in test(done) }
        )
    }

    /// Sends a message of the type `paycast.test` to each address, all at once. `done` comes on another thread. Returns false
    /// if that is not possible now: one test at a time, so that tests leave threads to messages.
    private func test(_ done: @escaping @Sendable ([HookTestAnswer.Trial]) -> Void) -> Bool {
        let isFirst = isTesting.withLock { isTesting in
            defer { isTesting = true }
            return !isTesting
        }
        guard isFirst else { return false }
        let message = HookMessage(type: "paycast.test", timestamp: signingClock.now(), data: .init())
        let id = "msg_test_\(OrderToken.random())"
        let trials = Monitor<[HookTestAnswer.Trial?]>(Array(repeating: nil, count: targets.count))
        for (index, target) in targets.enumerated() {
            let isTaken = pool.submit { [self] in
                let start = monotonicNanoseconds()
                let answer =
                    routine.isHalted
                    ? HookAnswer(problem: "the server is being stopped")
                    : sender.value.send(message, id: id, to: target.address)
                let trial = HookTestAnswer.Trial(
                    url: target.shown,
                    ok: answer.isSuccess,
                    status: answer.status,
                    message: answer.text,
                    milliseconds: Int((monotonicNanoseconds() - start) / 1_000_000)
                )
                let all = trials.withLock { trials in
                    trials[index] = trial
                    return trials.compactMap(\.self)
                }
                // The last one has seen all the others.
                guard all.count == targets.count else { return }
                isTesting.withLock { $0 = false }
                done(all)
            }
            guard isTaken else {
                isTesting.withLock { $0 = false }
                return false
            }
        }
        return true
    }
}
