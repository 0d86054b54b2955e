/// Reads settings by name and collects what is wrong with them, so that all of it is reported at once.
struct ConfigurationReader {
    /// A value and the flag or variable that carried it.
    struct Given {
        var name: String
        var value: String
    }

    let isDevelopment: Bool
    private let flags: [String: String]
    private let environment: [String: String]
    private(set) var problems: [ConfigurationError.Problem] = []
    private(set) var warnings: [String] = []

    init(flags: [String: String], environment: [String: String], isDevelopment: Bool) {
        self.flags = flags
        self.environment = environment
        self.isDevelopment = isDevelopment
    }

    func given(_ variable: String, flag: String? = nil) -> Given? {
        if let flag, let value = flags[flag] { return Given(name: flag, value: value) }
        guard let value = environment[variable], !value.isEmpty else { return nil }
        return Given(name: variable, value: value)
    }

    mutating func reject(_ name: String, _ text: String) {
        problems.append(.init(name: name, text: text))
    }

    mutating func warn(_ text: String) {
        warnings.append(text)
    }

    mutating func number(
        _ variable: String,
        flag: String? = nil,
        default: Int,
        in range: ClosedRange<Int>
    ) -> Int {
        guard let given = given(variable, flag: flag) else { return `default` }
        if let number = Int(given.value), range.contains(number) { return number }
        reject(given.name, "\(shown(given.value)) is not a number from \(range.lowerBound) to \(range.upperBound)")
        return `default`
    }

    /// One of a few words.
    mutating func choice<Value>(
        _ variable: String,
        flag: String,
        default: Value,
        _ choices: KeyValuePairs<String, Value>
    ) -> Value {
        guard let given = given(variable, flag: flag) else { return `default` }
        if let choice = choices.first(where: { $0.key == given.value }) { return choice.value }
        let words = choices.map(\.key).joined(separator: ", ")
        reject(given.name, "\(shown(given.value)) is not one of \(words)")
        return `default`
    }

    /// A comma list; `isValid` judges each item and `expected` says what it should be.
    mutating func list(_ variable: String, expected: String, _ isValid: (String) -> Bool) -> [String] {
        guard let given = given(variable) else { return [] }
        let items = commaList(given.value)
        if items.isEmpty { reject(variable, "is set, but names nothing") }
        for item in items where !isValid(item) { reject(variable, "\(shown(item)) is not \(expected)") }
        return items
    }

    mutating func secret(_ variable: String) -> Configuration.Secret? {
        given(variable).map { Configuration.Secret($0.value) }
    }

    mutating func secrets(_ variable: String) -> [Configuration.Secret] {
        list(variable, expected: "") { _ in true }.map { Configuration.Secret($0) }
    }

    /// A comma list of whole addresses.
    mutating func addresses(_ variable: String) -> [String] {
        list(variable, expected: "an address such as https://staging.example/webhooks/apple") { isAddress($0) }
    }

    /// A base address that paths are put behind; without its last slash.
    mutating func baseURL(_ variable: String) -> String? {
        guard let given = given(variable) else { return nil }
        if !isAddress(given.value) {
            reject(variable, "\(shown(given.value)) is not an address such as https://host")
        }
        return given.value.hasSuffix("/") ? String(given.value.dropLast()) : given.value
    }
}

private func isAddress(_ text: String) -> Bool {
    let hasHost = ["http://", "https://"].contains { text.hasPrefix($0) && text.count > $0.count }
    return hasHost && !text.contains(where: \.isWhitespace)
}

func commaList(_ text: String) -> [String] {
    text.split(separator: ",").map { item in
        let start = item.drop(while: \.isWhitespace)
        return String(start.reversed().drop(while: \.isWhitespace).reversed())
    }.filter { !$0.isEmpty }
}

/// A value as a problem shows it: in quotes, on one line, not endless.
func shown(_ value: String) -> String {
    let plain = value.prefix(80).unicodeScalars.map { $0.properties.generalCategory == .control ? "?" : String($0) }
    return "“\(plain.joined())”"
}
