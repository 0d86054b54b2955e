import Domain
import Glibc

/// Reads settings by name and collects what is wrong with them, so that all of it is reported at once. It remembers
/// every name that it was asked for, to find the variables in the environment that no setting uses.
public struct SettingsReader: Sendable {
    /// A value and the flag or variable that carried it.
    public struct Given {
        public var name: String
        public var value: String
    }

    public let isDevelopment: Bool
    private let flags: [String: String]
    public let environment: [String: String]
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

    /// One of a few words; `word` is that of a value.
    public mutating func choice<Value: CaseIterable>(
        _ variable: String,
        flag: String? = nil,
        word: (Value) -> String
    ) -> Value? {
        guard let given = given(variable, flag: flag) else { return nil }
        if let choice = Value.allCases.first(where: { word($0) == given.value }) { return choice }
        let words = Value.allCases.map(word).joined(separator: ", ")
        reject(given.name, because: "\(quoted(given.value)) is not one of \(words)")
        return nil
    }

    /// Reads what finds fault itself. It must not show the text, which may carry a password.
    public mutating func parsed<Value>(_ given: Given, _ read: (String) throws -> Value) -> Value? {
        do {
            return try read(given.value)
        } catch {
            reject(given.name, because: "\(error)")
            return nil
        }
    }

    /// A comma-separated list; `isValid` judges each item and `expected` says what it should be. One that `mayBeSecret` is
    /// named by its position.
    public mutating func list(
        _ variable: String,
        expected: String,
        mayBeSecret: Bool = false,
        isValid: (String) -> Bool
    ) -> [String] {
        guard let given = given(variable) else { return [] }
        let items = commaList(given.value)
        if items.isEmpty { reject(variable, because: "is set, but names nothing") }
        for (index, item) in items.enumerated() where !isValid(item) {
            let name = mayBeSecret ? "item \(index + 1) of the list" : quoted(item)
            reject(variable, because: "\(name) is not \(expected)")
        }
        return items
    }

    /// A comma-separated list of complete URLs, which may carry passwords.
    public mutating func addresses(_ variable: String) -> [String] {
        let expected = "an address such as https://staging.example/webhooks/apple"
        return list(variable, expected: expected, mayBeSecret: true, isValid: isAddress)
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

extension SettingsReader {
    /// Returns what `body` reads and what was given for its variables, by their names. In place of a file's path stands what the
    /// file holds, and of what is not set, nothing.
    public mutating func noting<Value>(
        _ body: (inout SettingsReader) -> Value
    ) -> (value: Value, given: [String: Secret]) {
        let before = known
        let value = body(&self)
        let given: [String: Secret] = known.subtracting(before).reduce(into: [:]) { given, name in
            let variable = name.hasSuffix(fileSuffix) ? String(name.dropLast(fileSuffix.count)) : name
            let text = environment[name] ?? ""
            if text.isEmpty, given[variable] != nil { return }
            given[variable] = Secret(text.isEmpty ? "" : trimmed(contents(of: text) ?? text))
        }
        return (value, given)
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

extension SettingsReader {
    /// Rejects every variable that has our prefix but is not a setting: a misspelled name would otherwise silently
    /// leave the default in force. Call it after all settings have been read.
    public mutating func rejectUnknown() {
        let prefix = "PAYCAST_"
        let names = known.union([clientAddressVariable, copySourceVariable, copyTargetVariable])
        for name in environment.keys.sorted() where name.uppercased().hasPrefix(prefix) && !names.contains(name) {
            guard environment[name] != "" else { continue }
            // Compares without the prefix: most of our names share it, and some, such as PORT, have none.
            let bare = { (name: String) in name.hasPrefix(prefix) ? String(name.dropFirst(prefix.count)) : name }
            let meant = nearest(to: bare(name.uppercased()), among: names.map(bare).sorted())
            let hint = names.sorted().first { bare($0) == meant }.map { ". Did you mean \($0)?" }
            let todo = "; paycast serve --help names them, and Settings.md of the documentation explains them"
            reject(name, because: "is not a setting\(hint ?? todo)")
        }
    }
}

/// Secrets come from a variable, or from the file that another one names.
extension SettingsReader {
    public mutating func secret(_ variable: String) -> Secret? {
        secretSettings.append(SecretSetting(name: variable, isList: false))
        guard let given = givenSecret(variable) else { return nil }
        rejectIfShort(given.value, name: given.name, place: "")
        return Secret(given.value)
    }

    public mutating func secrets(_ variable: String) -> [Secret] {
        secretItems(variable).map { item in
            rejectIfShort(item.value, name: item.name, place: item.place)
            return Secret(item.value)
        }
    }

    /// The items of a list of secrets, whatever their form. A problem names the variable and the place, never the item.
    public mutating func secretItems(_ variable: String) -> [SecretItem] {
        secretSettings.append(SecretSetting(name: variable, isList: true))
        guard let given = givenSecret(variable) else { return [] }
        let items = commaList(given.value)
        if items.isEmpty { reject(given.name, because: "is set, but names nothing") }
        return items.enumerated().map { index, item in
            let place = items.count == 1 ? "" : "item \(index + 1) of the list "
            return SecretItem(name: given.name, place: place, value: item)
        }
    }

    /// In development, a key may have any length.
    public mutating func rejectIfShort(_ value: String, name: String, place: String) {
        let shortest = Secret.shortest
        guard !isDevelopment, value.count < shortest else { return }
        reject(
            name,
            because:
                "\(place)has fewer than \(shortest) characters, so it can be guessed; use the output of openssl rand -hex 32"
        )
    }

    /// A secret from its variable, or else from the file that the variable with the suffix `_FILE` names: a file can
    /// change while the server runs. The path is never shown: it may be the secret itself, put into the wrong variable.
    private mutating func givenSecret(_ variable: String) -> Given? {
        let direct = given(variable)
        guard let file = given(fileVariable(of: variable)) else { return direct }
        if direct != nil { reject(file.name, because: "is set beside \(variable): remove one of them") }
        guard let text = contents(of: file.value) else {
            reject(file.name, because: "must name a file of 1 byte to 64 KiB that can be read")
            return nil
        }
        let value = trimmed(text)
        guard !value.isEmpty else {
            reject(file.name, because: "names a file that is blank: write the secret into it")
            return nil
        }
        return Given(name: file.name, value: value)
    }
}

/// The variable that names the file with a secret's value.
public func fileVariable(of variable: String) -> String { variable + fileSuffix }

private let fileSuffix = "_FILE"

/// A bundle id or a package name.
public func isAppName(_ text: String) -> Bool {
    isValidIdentifier(text)
        && text.utf8.allSatisfy {
            (48...57).contains($0) || (65...90).contains($0) || (97...122).contains($0) || [45, 46, 95].contains($0)
        }
}

/// A small text file; nil when it cannot be read or is larger than 64 KiB.
public func contents(of path: String) -> String? {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    var bytes = [UInt8](repeating: 0, count: (64 << 10) + 1)
    let count = read(descriptor, &bytes, bytes.count)
    guard count > 0, count < bytes.count else { return nil }
    return String(decoding: bytes.prefix(count), as: UTF8.self)
}

/// Of a setting that holds JSON or PEM itself, where there is no disk for files, or else names a file of it.
public func textOrContents(of value: String) -> String? {
    value.hasPrefix("{") || value.hasPrefix("-----BEGIN") ? value : contents(of: value)
}

public func commaList(_ text: String) -> [String] {
    text.split(separator: ",").map { trimmed($0) }.filter { !$0.isEmpty }
}

public func trimmed(_ text: some StringProtocol) -> String {
    guard let start = text.firstIndex(where: { !$0.isWhitespace }) else { return "" }
    let end = text.lastIndex { !$0.isWhitespace } ?? start
    return String(text[start...end])
}

/// How a problem shows a value that should be a file's path. Keys, certificates and JSON do not begin like a path, so
/// content that was put into the variable by mistake does not reach a log.
public func shownPath(_ value: String) -> String {
    ["/", "./", "../"].contains(where: value.hasPrefix) ? quoted(value) : "its value"
}
