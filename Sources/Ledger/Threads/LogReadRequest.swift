internal import Support

/// Where the follower asks for entries, one question at a time, and the log's thread finds the question.
final class LogReadRequest: Sendable {
    private struct State {
        var position: Int64?
        var isClosed = false
    }

    enum Task {
        case read(after: Int64)
        /// The time has passed.
        case nothing
        case close
    }

    private let state = Monitor(State())

    func ask(after position: Int64) {
        state.change { $0.position = position }
    }

    func close() {
        state.change { $0.isClosed = true }
    }

    func wait(timeout: Duration) -> Task {
        let task: Task? = state.wait(timeout: timeout) { state in
            if state.isClosed { return .close }
            defer { state.position = nil }
            return state.position.map { .read(after: $0) }
        }
        return task ?? .nothing
    }
}
