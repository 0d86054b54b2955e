/// Whether a server can do its work, as `/ready` reports it.
public struct Readiness: Encodable, Sendable, Equatable {
    public var ready: Bool
    /// Problems that stop the server, or will cost someone money: one sentence each, with what to do.
    public var problems: [String]
    /// Conditions that become problems unless someone acts.
    public var warnings: [String]

    public init(problems: [String], warnings: [String]) {
        ready = problems.isEmpty
        self.problems = problems
        self.warnings = warnings
    }
}
