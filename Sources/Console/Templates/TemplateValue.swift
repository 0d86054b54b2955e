import Domain
import Encoding
import Pages

/// What takes the place of `{{name}}`. `Markup` stays as it is.
protocol TemplateValue: Sendable {
    func html(isAttribute: Bool) -> String
}

/// Shown inert: escaped, cut where a word has no end, and with invisible characters made visible.
extension String: TemplateValue {
    func html(isAttribute: Bool) -> String { HTMLEscaping.escape(InertText.of(self)) }
}

/// Escaped and otherwise unchanged: for what a form sends back.
struct Field: TemplateValue {
    private let text: String

    init(_ text: String) {
        self.text = text
    }

    /// One part of an address.
    static func part(_ text: String) -> Field { Field(PercentEncoding.encode(text)) }

    /// The part of an address that names a user.
    static func part(_ user: UserID) -> Field { Field(ConsoleAddress.part(user)) }

    func html(isAttribute: Bool) -> String { HTMLEscaping.escape(text) }
}

extension Markup: TemplateValue {
    /// A tag in an attribute would be text of the page's author, shown as such.
    func html(isAttribute: Bool) -> String { isAttribute ? HTMLEscaping.escape(html) : html }
}

/// Nothing shows as nothing.
extension Optional: TemplateValue where Wrapped: TemplateValue {
    func html(isAttribute: Bool) -> String { map { $0.html(isAttribute: isAttribute) } ?? "" }
}

/// Text of stores, users and pages that can neither hide nor move what stands beside it.
enum InertText {
    /// A longer word is cut, and the words behind it stay: sentences of ours have names in them, and the longest user id has
    /// 255 bytes.
    static let limit = 300
    /// A longer text is cut, though it has spaces. No sentence of ours has this length.
    static let textLimit = 3000

    /// Makes control characters and marks of direction visible, and cuts what is too long unless it is to be whole.
    static func of(_ text: String, isWhole: Bool = false) -> String {
        var shown = ""
        var (count, word) = (0, 0)
        for scalar in text.unicodeScalars {
            guard isWhole || count < textLimit else { return shown + "…" }
            word = scalar == " " || scalar == "\n" ? 0 : word + 1
            guard isWhole || word <= limit else {
                if word == limit + 1 { shown += "…" }
                continue
            }
            count += 1
            if isHidden(scalar) {
                shown += "⟨U+\(hex(scalar.value))⟩"
            } else {
                shown.unicodeScalars.append(scalar)
            }
        }
        return shown
    }

    /// Control characters except line breaks, which HTML shows as spaces; marks of direction; what ends a line or has no
    /// width. The joiners stay, because scripts and emoji need them.
    private static func isHidden(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x09, 0x0A: false
        case 0x00...0x1F, 0x7F...0x9F, 0xAD, 0x061C, 0x180E, 0x200B, 0x200E, 0x200F, 0x2028...0x202E, 0x2060...0x206F,
            0xFEFF, 0xFFF9...0xFFFB, 0xE0000...0xE007F:
            true
        default: false
        }
    }

    private static func hex(_ value: UInt32) -> String {
        let digits = String(value, radix: 16, uppercase: true)
        return String(repeating: "0", count: max(0, 4 - digits.utf8.count)) + digits
    }
}
