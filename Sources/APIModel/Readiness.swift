/// Answers `GET /ready`: whether a server can do its work.
public struct Readiness: Codable, Sendable, Equatable {
    /// Whether there are no problems.
    public var ready: Bool
    /// Problems that stop the server, or will cost someone money: one sentence each, with what to do.
    public var problems: [String]
    /// Conditions that become problems unless someone acts: one sentence each.
    public var warnings: [String]

    public init(problems: [String], warnings: [String]) {
        ready = problems.isEmpty
        self.problems = problems
        self.warnings = warnings
    }
}
