import Domain
import Support

/// The words after a command. They are split into tokens first, then taken by name; whatever is left is an error.
///
/// Options are taken before positionals, since only the command knows which options have a value.
public struct Arguments {
    /// An option, with the value after its `=`, or a word without a name.
    private struct Token {
        var name: String?
        var value: String?
    }

    private var tokens: [Token]
    /// The names that the command asked for, so that an error can suggest the nearest.
    public private(set) var known: [String] = []

    public init(_ words: [String]) {
        let options = words.prefix { $0 != "--" }
        let values = words.dropFirst(options.count + 1)
        tokens = options.map(Arguments.token) + values.map { Token(value: $0) }
    }

    /// `-` alone stands for stdin, and `-1` is a number.
    private static func token(_ word: String) -> Token {
        guard word.hasPrefix("-"), let second = word.dropFirst().first, !second.isNumber
        else { return Token(value: word) }
        guard word.hasPrefix("--"), let equals = word.firstIndex(of: "=") else { return Token(name: word) }
        return Token(name: String(word[..<equals]), value: String(word[word.index(after: equals)...]))
    }

    /// Whether the flag is there; it takes no value.
    public mutating func flag(_ name: String) throws(UsageError) -> Bool {
        known.append(name)
        guard let index = tokens.firstIndex(where: { $0.name == name }) else { return false }
        if tokens[index].value != nil { throw UsageError("\(name) takes no value") }
        tokens.remove(at: index)
        return true
    }

    /// The value of `--name value` or `--name=value`.
    public mutating func option(_ name: String) throws(UsageError) -> String? {
        let values = try options(name)
        if values.count > 1 { throw UsageError("\(name) is given more than once") }
        return values.first
    }

    /// The value of an option without which the command does nothing; `why` follows “is missing”.
    public mutating func required(_ name: String, _ why: String = "") throws(UsageError) -> String {
        guard let value = try option(name) else { throw UsageError("\(name) is missing\(why)") }
        return value
    }

    /// The values of an option that may be repeated.
    public mutating func options(_ name: String) throws(UsageError) -> [String] {
        known.append(name)
        var values: [String] = []
        while let index = tokens.firstIndex(where: { $0.name == name }) {
            guard let value = tokens.remove(at: index).value ?? takeWord(at: index) else {
                throw UsageError("\(name) needs a value")
            }
            values.append(value)
        }
        return values
    }

    public mutating func number(_ name: String, in range: ClosedRange<Int>) throws(UsageError) -> Int? {
        guard let text = try option(name) else { return nil }
        guard let number = Int(text), range.contains(number) else {
            throw UsageError(
                "\(name) must be a number from \(range.lowerBound) to \(range.upperBound), not \(quoted(text))"
            )
        }
        return number
    }

    /// `--name`, with or without a number after it; without one, returns a random number.
    public mutating func seed(_ name: String) throws(UsageError) -> UInt64? {
        known.append(name)
        guard let index = tokens.firstIndex(where: { $0.name == name }) else { return nil }
        if let text = tokens.remove(at: index).value {
            guard let seed = UInt64(text) else { throw UsageError("\(name) must be a number, not \(quoted(text))") }
            return seed
        }
        guard index < tokens.count, tokens[index].name == nil, let seed = tokens[index].value.flatMap({ UInt64($0) })
        else { return UInt64.random(in: 0...999_999) }
        tokens.remove(at: index)
        return seed
    }

    /// One of a few words.
    public mutating func choice(_ name: String, among words: [String]) throws(UsageError) -> String? {
        let chosen = try choices(name, among: words)
        if chosen.count > 1 { throw UsageError("\(name) is given more than once") }
        return chosen.first
    }

    /// Some of a few words; the option may be repeated.
    public mutating func choices(_ name: String, among words: [String]) throws(UsageError) -> [String] {
        let chosen = try options(name)
        for text in chosen where !words.contains(text) {
            throw UsageError("\(name) cannot be \(quoted(text))" + suggestion(for: text, among: words))
        }
        return chosen
    }

    /// `key=value`, repeatable.
    public mutating func pairs(_ name: String) throws(UsageError) -> [(key: String, value: String)] {
        var pairs: [(key: String, value: String)] = []
        for text in try options(name) {
            guard let equals = text.firstIndex(of: "="), equals > text.startIndex else {
                throw UsageError("\(name) must be KEY=VALUE, not \(quoted(text))")
            }
            pairs.append((String(text[..<equals]), String(text[text.index(after: equals)...])))
        }
        return pairs
    }

    /// The next word that is not an option; call this after taking all options.
    public mutating func positional() throws(UsageError) -> String? {
        try refuseUnknownOptions()
        return takeWord(at: 0)
    }

    /// The word that is no option, if one stands there.
    private mutating func takeWord(at index: Int) -> String? {
        index < tokens.count && tokens[index].name == nil ? tokens.remove(at: index).value : nil
    }

    /// Rejects everything that was not taken.
    public func finish() throws(UsageError) {
        try refuseUnknownOptions()
        if let value = tokens.first?.value { throw UsageError("unexpected argument \(quoted(value))") }
    }

    /// Rejects options that the command never has, before it takes any: one that is misspelt is why another is missing.
    public func refuseOptions(besides all: [String]) throws(UsageError) {
        guard let name = tokens.lazy.compactMap(\.name).first(where: { !all.contains($0) }) else { return }
        throw Arguments.unknownOption(name, known: all)
    }

    private func refuseUnknownOptions() throws(UsageError) {
        guard let name = tokens.lazy.compactMap(\.name).first else { return }
        if known.contains(name) { throw UsageError("\(name) is given more than once") }
        throw Arguments.unknownOption(name, known: known)
    }

    private static func unknownOption(_ name: String, known: [String]) -> UsageError {
        UsageError("unknown option \(quoted(name))" + suggestion(for: name, among: known.filter { $0 != "-h" }))
    }
}

/// The command line itself is wrong.
public struct UsageError: Error, Equatable {
    /// `EX_USAGE` of sysexits.h.
    public static let exitCode: Int32 = 64

    public var message: String
    /// The command whose help explains it; nil for `paycast` itself.
    public var command: String?

    public init(_ message: String) {
        self.message = message
    }
}

/// `. Did you mean X?`, or the list of all names if no name is similar.
public func suggestion(for word: String, among names: [String]) -> String {
    if let name = nearest(to: word, among: names) { return ". Did you mean \(name)?" }
    return names.isEmpty ? "" : ". Choose one of \(names.joined(separator: ", "))"
}
