import API
import APIModel
import Domain
import Support
import Synchronization

/// What operators may do.
extension HookRunner {
    /// What the API's routes work with.
    var desk: HookDesk {
        HookDesk(addresses: targets.map { ($0.address, $0.shown) }) { [self] done in test(done) }
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
        let trials = Trials(count: targets.count) { [self] results in
            isTesting.withLock { $0 = false }
            done(results)
        }
        for (index, target) in targets.enumerated() {
            let isTaken = pool.submit { [self] in
                let start = monotonicNanoseconds()
                let answer =
                    routine.isHalted
                    ? HookAnswer(problem: "the server is being stopped")
                    : sender.value.send(message, id: id, to: target.address)
                trials.add(
                    HookTestAnswer.Trial(
                        url: target.shown,
                        ok: answer.isSuccess,
                        status: answer.status,
                        message: answer.text,
                        milliseconds: Int((monotonicNanoseconds() - start) / 1_000_000)
                    ),
                    at: index
                )
            }
            guard isTaken else {
                isTesting.withLock { $0 = false }
                return false
            }
        }
        return true
    }
}

/// Collects what the addresses answered.
private final class Trials: Sendable {
    private let results: Mutex<[HookTestAnswer.Trial?]>
    private let done: @Sendable ([HookTestAnswer.Trial]) -> Void

    init(count: Int, done: @escaping @Sendable ([HookTestAnswer.Trial]) -> Void) {
        results = Mutex(Array(repeating: nil, count: count))
        self.done = done
    }

    func add(_ trial: HookTestAnswer.Trial, at index: Int) {
        let all = results.withLock { results -> [HookTestAnswer.Trial]? in
            results[index] = trial
            let found = results.compactMap { $0 }
            return found.count == results.count ? found : nil
        }
        if let all { done(all) }
    }
}
