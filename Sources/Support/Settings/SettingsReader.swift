internal import Domain

/// Reads settings by name and collects what is wrong with them, so that all of it is reported at once. It remembers
/// every name that it was asked for, to find the variables in the environment that no setting uses.
public struct SettingsReader {
    /// A value and the flag or variable that carried it.
    public struct Given {
        public var name: String
        public var value: String
    }

    public let isDevelopment: Bool
    private let flags: [String: String]
    let environment: [String: String]
    public private(set) var problems: [ConfigurationError.Problem] = []
    public private(set) var warnings: [String] = []
    /// The settings that were read as secrets, in that order.
    public internal(set) var secretSettings: [SecretSetting] = []
    private(set) var known: Set<String> = []

    public init(flags: [String: String], environment: [String: String], isDevelopment: Bool) {
        self.flags = flags
        self.environment = environment
        self.isDevelopment = isDevelopment
    }

    public mutating func given(_ variable: String, flag: String? = nil) -> Given? {
        known.insert(variable)
        if let flag, let value = flags[flag] { return Given(name: flag, value: value) }
        guard let value = environment[variable], !value.isEmpty else { return nil }
        return Given(name: variable, value: value)
    }

    public mutating func reject(_ name: String, because text: String) {
        problems.append(.init(name: name, text: text))
    }

    public mutating func warn(_ text: String) {
        warnings.append(text)
    }

    public mutating func number(
        _ variable: String,
        flag: String? = nil,
        default: Int,
        in range: ClosedRange<Int>
    ) -> Int {
        guard let given = given(variable, flag: flag) else { return `default` }
        if let number = Int(given.value), range.contains(number) { return number }
        reject(
            given.name,
            because: "\(quoted(given.value)) is not a number from \(range.lowerBound) to \(range.upperBound)"
        )
        return `default`
    }

    /// One of a few words.
    public mutating func choice<Value>(
        _ variable: String,
        flag: String,
        default: Value,
        among choices: KeyValuePairs<String, Value>
    ) -> Value {
        guard let given = given(variable, flag: flag) else { return `default` }
        if let choice = choices.first(where: { $0.key == given.value }) { return choice.value }
        let words = choices.map(\.key).joined(separator: ", ")
        reject(given.name, because: "\(quoted(given.value)) is not one of \(words)")
        return `default`
    }

    /// A comma-separated list; `isValid` judges each item and `expected` says what it should be.
    public mutating func list(_ variable: String, expected: String, isValid: (String) -> Bool) -> [String] {
        guard let given = given(variable) else { return [] }
        let items = commaList(given.value)
        if items.isEmpty { reject(variable, because: "is set, but names nothing") }
        for item in items where !isValid(item) { reject(variable, because: "\(quoted(item)) is not \(expected)") }
        return items
    }

    /// The same for items that may carry a password: a wrong one is named by its position.
    private mutating func secretList(
        _ variable: String,
        expected: String,
        isValid: (String) -> Bool
    ) -> [String] {
        guard let given = given(variable) else { return [] }
        let items = commaList(given.value)
        if items.isEmpty { reject(variable, because: "is set, but names nothing") }
        for (index, item) in items.enumerated() where !isValid(item) {
            reject(variable, because: "item \(index + 1) of the list is not \(expected)")
        }
        return items
    }

    /// A comma-separated list of complete URLs.
    public mutating func addresses(_ variable: String) -> [String] {
        secretList(variable, expected: "an address such as https://staging.example/webhooks/apple", isValid: isAddress)
    }

    /// A base URL to which paths are appended; without its trailing slash.
    public mutating func baseURL(_ variable: String) -> String? {
        guard let given = given(variable) else { return nil }
        if !isAddress(given.value) {
            // An address may carry a password.
            reject(variable, because: "is not an address such as https://host")
        }
        return given.value.hasSuffix("/") ? String(given.value.dropLast()) : given.value
    }
}

private func isAddress(_ text: String) -> Bool {
    let hasHost = ["http://", "https://"].contains { text.hasPrefix($0) && text.count > $0.count }
    return hasHost && !text.contains(where: \.isWhitespace)
}

/// Commands that talk to a server read it, and the shell that sets it may start a server as well.
public let clientAddressVariable = "PAYCAST_SERVER"

/// What `paycast copy` reads in place of its options.
public let copySourceVariable = "PAYCAST_COPY_FROM"
public let copyTargetVariable = "PAYCAST_COPY_TO"
