/// Whether a server can do its work, as `/ready` tells it.
public struct Readiness: Encodable, Sendable, Equatable {
    public var ready: Bool
    /// What keeps it from its work, or will cost somebody money: a sentence each, with what to do.
    public var problems: [String]
    /// What will become a problem unless somebody acts.
    public var warnings: [String]

    public init(problems: [String], warnings: [String]) {
        ready = problems.isEmpty
        self.problems = problems
        self.warnings = warnings
    }
}
