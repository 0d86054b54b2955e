import APIModel
import Domain
import Pages
import Stores
import Support
import Synchronization

extension Services {
    /// `POST /recoveries`: fetches a store's history now, and answers once it is committed. `GET` reports the progress of
    /// the recoveries that are running.
    func recover(_ request: Request) throws(RefusedBody) -> Answer {
        guard request.method != "GET" else {
            return .respond(JSON.response(200, body: RecoveriesAnswer(running: runningRecoveries.all)))
        }
        let body = try RecoveryRequest(request.body)
        let provider = Provider(rawValue: body.provider)
        guard stores.contains(provider) else {
            let names = historyKeys.map(\.provider.rawValue).joined(separator: ", ")
            throw RefusedBody("invalid_provider", message: "provider must be one of \(names).")
        }
        let since = body.since.flatMap { Instant(iso8601: $0) }
        guard body.since == nil || since.map({ $0 <= clock.now() }) == true else {
            throw RefusedBody("invalid_since", message: "since must be an ISO 8601 instant of the past.")
        }
        guard let recovery = recoveries[provider] else {
            let keys = historyKeys.map { "\($0.variable) for \($0.provider)" }.joined(separator: ", ")
            let message = "No key of this store's API is configured: \(keys)."
            return .respond(.unavailable("not_configured", message: message, retryAfter: 3600))
        }
        let act = act(
            .recover,
            of: request,
            user: nil,
            reason: body.reason.map { "\(provider.rawValue): \($0)" } ?? provider.rawValue
        )
        return answer(on: .operators) { [self] in
            guard commit(act) else { return .uncommitted }
            let report = runningRecoveries.run(recovery, of: provider, since: since)
            return Services.response(provider, report: report)
        }
    }

    private static func response(_ provider: Provider, report: RecoveryReport) -> Response {
        guard !report.isInterrupted else { return .busy }
        guard !report.isFailure else {
            return .unavailable("store_unreachable", message: report.problems.joined(separator: "; "), retryAfter: 60)
        }
        return JSON.response(
            200,
            body: RecoveryAnswer(
                provider: provider.rawValue,
                found: report.found,
                recovered: report.recovered,
                refused: report.refused,
                outcomes: Dictionary(uniqueKeysWithValues: report.outcomes.map { ($0.key.rawValue, $0.value) }),
                problems: report.problems
            )
        )
    }
}

extension RecoveryRequest {
    init(_ bytes: [UInt8]) throws(RefusedBody) {
        let node = try RefusedBody.object(bytes, instead: "Send {\"provider\":\"apple\",\"since\"?:ISO8601}.")
        self.init(
            provider: try RefusedBody.requiredString("provider", of: node),
            since: try RefusedBody.string("since", of: node),
            reason: try RefusedBody.string("reason", of: node)
        )
        try RefusedBody.check(reason: reason, about: nil)
    }
}

/// The progress of the running recoveries. May be used on any thread.
final class RunningRecoveries: Sendable {
    private let state = Mutex((running: [Int: RecoveriesAnswer.Running](), last: 0))

    /// In the order in which they started.
    var all: [RecoveriesAnswer.Running] {
        state.withLock { state in state.running.sorted { $0.key < $1.key }.map(\.value) }
    }

    /// Runs `recover` and publishes its progress meanwhile.
    func run(_ recover: HistoryRecovery, of provider: Provider, since: Instant?) -> RecoveryReport {
        let number = state.withLock { state in
            state.last += 1
            state.running[state.last] = RecoveriesAnswer.Running(provider: provider.rawValue)
            return state.last
        }
        defer { state.withLock { $0.running[number] = nil } }
        return recover(since) { report in
            state.withLock { state in
                state.running[number]?.found = report.found
                state.running[number]?.recovered = report.recovered
                state.running[number]?.refused = report.refused
            }
        }
    }
}

/// Answers `POST /recoveries`, once the store's history is committed.
public struct RecoveryAnswer: Codable, Sendable, Equatable {
    /// The store's name.
    public var provider: String
    /// Notifications that the store had.
    public var found: Int
    /// Notifications that no webhook had brought.
    public var recovered: Int
    /// Notifications that are not genuine, or not for this server.
    public var refused: Int
    /// How many notifications had which `Outcome`.
    public var outcomes: [String: Int]
    /// Histories that could not be read: one sentence each.
    public var problems: [String]
}

/// Answers `GET /recoveries`: the recoveries in progress.
public struct RecoveriesAnswer: Codable, Sendable, Equatable {
    /// The counts of `RecoveryAnswer`, so far.
    public struct Running: Codable, Sendable, Equatable {
        public var provider: String
        public var found = 0
        public var recovered = 0
        public var refused = 0
    }

    /// In the order in which they started.
    public var running: [Running]
}
