public import APIModel
import Domain
import Stores

/// Answers `POST /recoveries` and `GET /recoveries/{id}`: a recovery, as far as it has come.
public struct RecoveryAnswer: Codable, Sendable, Equatable {
    public enum State: String, Codable, Sendable {
        case running
        /// What the store keeps was read; `problems` names the lists that were not.
        case done
        /// No list was read to its end, or the server was stopped.
        case failed
    }

    public var id: String
    /// The node that runs it, which alone knows it.
    public var node: String
    /// The store's name.
    public var provider: String
    public var state = State.running
    /// ISO 8601, UTC, here and below.
    public var startedAt: String
    @Nullable public var endedAt: String?
    /// Notifications that the store had.
    public var found = 0
    /// Notifications that no webhook had brought.
    public var recovered = 0
    /// Notifications that are not genuine, or not for this server.
    public var refused = 0
    /// How many notifications had which `Outcome`.
    public var outcomes: [String: Int] = [:]
    /// Histories that could not be read: one sentence each.
    public var problems: [String] = []

    init(_ id: String, of provider: Provider, at node: String, now: Instant) {
        self.id = id
        self.node = node
        self.provider = provider.rawValue
        startedAt = now.iso8601
        endedAt = nil
    }

    mutating func read(_ report: RecoveryReport) {
        found = report.found
        recovered = report.recovered
        refused = report.refused
        outcomes = Dictionary(uniqueKeysWithValues: report.outcomes.map { ($0.key.rawValue, $0.value) })
        problems = report.problems
    }
}

/// Answers `GET /recoveries`: the recoveries in progress.
public struct RecoveriesAnswer: Codable, Sendable, Equatable {
    /// In the order in which they began.
    public var running: [RecoveryAnswer]
}
