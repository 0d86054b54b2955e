internal import APIModel
internal import Domain
internal import Support

/// Waits until every address of the app's backend has accepted a user's newest state.
struct HookExpectation {
    let remote: RemoteServer
    let user: String

    /// `cursor` is that of the newest event; nil if its answer did not say.
    func wait(from cursor: Cursor?, timeout: Duration) throws(CommandFailure) {
        let deadline = ContinuousClock.now + timeout
        let waker = Waker()
        while true {
            let found = try deliveries()
            let missing = found.first { $0.state != "delivered" }
            let isTold = found.contains { told in
                guard let cursor, let position = Cursor(told.cursor)?.position else { return true }
                return position >= cursor.position
            }
            if missing == nil, isTold { return }
            guard ContinuousClock.now < deadline else { throw failure(missing) }
            waker.wait(timeout: .milliseconds(50))
        }
    }

    private func deliveries() throws(CommandFailure) -> [HookDeliveriesAnswer.Delivery] {
        let bytes = try remote.get("/hooks/deliveries" + queryString([("user", user)]))
        let answer: HookDeliveriesAnswer = try remote.read(bytes, saying: "what the backend was told")
        return answer.deliveries
    }

    private func failure(_ missing: HookDeliveriesAnswer.Delivery?) -> CommandFailure {
        guard let missing else {
            return CommandFailure(
                "nothing was told to a backend: see “paycast hooks”; an event that changes nothing is not told"
            )
        }
        return CommandFailure("\(missing.url) has not accepted it: \(missing.reason ?? "no answer yet")")
    }
}
