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
