/// Every setting that is wrong, one per line.
public struct ConfigurationError: Error, Equatable, CustomStringConvertible {
    public struct Problem: Equatable, Sendable {
        /// The flag or variable that is wrong.
        public var name: String
        public var text: String

        public init(name: String, text: String) {
            self.name = name
            self.text = text
        }
    }

    public var problems: [Problem]

    public init(problems: [Problem]) {
        self.problems = problems
    }

    /// Whether the command line itself is wrong, which makes it a usage error.
    public var isAboutFlags: Bool { problems.contains { $0.name.hasPrefix("--") } }

    public var description: String {
        problems.map { "\($0.name): \($0.text)" }.joined(separator: "\n")
    }
}

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
