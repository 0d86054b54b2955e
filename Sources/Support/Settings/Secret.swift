/// A text that never shows in a log, an error or a dump.
public struct Secret: Sendable, Equatable, CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// In characters; 16 hexadecimal digits are 64 bits.
    public static let shortest = 16

    public let value: String

    public init(_ value: String) {
        self.value = value
    }

    /// A secret from the environment or from the file that the environment names, for commands that read one setting
    /// without the others. Nil when it is not set or cannot be read.
    public static func text(_ variable: String, in environment: [String: String]) -> String? {
        if let value = environment[variable], !value.isEmpty { return value }
        return environment[fileVariable(of: variable)].flatMap(contents).map { trimmed($0) }
    }

    public var description: String { "«secret»" }
    public var debugDescription: String { description }
    public var customMirror: Mirror { Mirror(self, children: EmptyCollection()) }
}

/// A setting whose value is a secret, or a comma-separated list of secrets.
public struct SecretSetting: Sendable {
    public var name: String
    public var isList: Bool

    public init(name: String, isList: Bool) {
        self.name = name
        self.isList = isList
    }
}

/// One item of a list of secrets, as it is written.
public struct SecretItem: Sendable {
    /// The variable that a problem names.
    public let name: String
    /// Which item of the list it is, for a problem; empty if it is the only one.
    public let place: String
    public let value: String
}
