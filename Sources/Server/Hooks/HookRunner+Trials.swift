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
