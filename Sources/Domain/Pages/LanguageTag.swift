/// The language that a user reads, as precisely as a template's name can give it: the language, script and region of a
/// BCP 47 tag (https://www.rfc-editor.org/rfc/rfc5646#section-2.1), such as `de`, `pt-BR` or `zh-Hant-TW`.
public struct LanguageTag: Sendable, Hashable, CustomStringConvertible {
    /// RFC 5646 §4.4.1 asks for at least 35 characters; a browser's tag with extensions is longer.
    private static let longest = 64

    /// In conventional upper and lower case, however it was written: `pt-BR` for `PT-br` and for `pt_BR`.
    public var text: String { subtags.joined(separator: "-") }

    /// One to three subtags, all ASCII.
    private let subtags: [String]

    /// Returns nil for a text that is not a tag. `_` may replace `-`, as operating systems write it. Variants and
    /// extensions are checked and then dropped: `ca-valencia` is `ca`, `en-US-u-hc-h12` is `en-US`.
    public init?(_ text: String) {
        guard text.utf8.count <= LanguageTag.longest else { return nil }
        let parts = text.utf8.split(omittingEmptySubsequences: false) { "-_".utf8.contains($0) }
        var rest = parts.map(Subtag.init)[...]
        guard let language = rest.popFirst(), language.isLetters(2...3) else { return nil }
        var subtags = [language.lowercased]
        if let script = rest.first, script.isLetters(4...4) {
            subtags.append(script.capitalized)
            rest.removeFirst()
        }
        if let region = rest.first, region.isLetters(2...2) || region.isDigits(3) {
            subtags.append(region.uppercased)
            rest.removeFirst()
        }
        rest = rest.drop { $0.isVariant }
        // An extension begins with a single letter or digit, and something follows it.
        guard rest.isEmpty || (rest.count > 1 && rest.first?.bytes.count == 1),
            rest.allSatisfy({ $0.isLettersOrDigits(1...8) })
        else { return nil }
        self.subtags = subtags
    }

    private init(subtags: some Sequence<String>) {
        self.subtags = Array(subtags)
    }

    /// From the tag itself to its language alone: `zh-Hant-TW`, `zh-Hant`, `zh` (RFC 4647 §3.4).
    public var fallbacks: [LanguageTag] {
        subtags.indices.reversed().map { LanguageTag(subtags: subtags[...$0]) }
    }

    /// The language alone: `de`.
    public var language: String { subtags[0] }

    public var description: String { text }
}

/// The text between two hyphens.
private struct Subtag {
    let bytes: Substring.UTF8View

    /// Five to eight letters or digits, or four that begin with a digit (RFC 5646 §2.2.5).
    var isVariant: Bool {
        isLettersOrDigits(5...8) || (isLettersOrDigits(4...4) && bytes.prefix(1).allSatisfy(\.isDigit))
    }

    var lowercased: String { String(decoding: bytes.map { $0 | 0x20 }, as: UTF8.self) }

    /// Digits have no case.
    var uppercased: String { String(decoding: bytes.map { $0.isDigit ? $0 : $0 & 0xDF }, as: UTF8.self) }

    var capitalized: String { String(uppercased.prefix(1)) + lowercased.dropFirst() }

    func isLetters(_ count: ClosedRange<Int>) -> Bool { count.contains(bytes.count) && bytes.allSatisfy(\.isLetter) }

    func isDigits(_ count: Int) -> Bool { bytes.count == count && bytes.allSatisfy(\.isDigit) }

    func isLettersOrDigits(_ count: ClosedRange<Int>) -> Bool {
        count.contains(bytes.count) && bytes.allSatisfy { $0.isLetter || $0.isDigit }
    }
}
