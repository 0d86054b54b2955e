/// What rereading the settings changes in a running server. A setting that is wrong now keeps its old value and does
/// not hold up the others.
public struct SettingsChanges: Sendable {
    /// Names of the settings that have another value now.
    public private(set) var names: [String] = []
    public let problems: [ConfigurationError.Problem]

    public init(problems: [ConfigurationError.Problem]) {
        self.problems = problems
    }

    public mutating func take<Value: Equatable>(_ name: String, into old: inout Value, from new: Value) {
        let isWrong = problems.contains { $0.name == name || $0.name == fileVariable(of: name) }
        guard !isWrong, new != old else { return }
        old = new
        names.append(name)
    }
}
