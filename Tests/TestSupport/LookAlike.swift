/// Two texts that differ in their bytes, and that Unicode calls canonically equivalent, as Swift's `String ==` does
/// (https://www.unicode.org/reports/tr15/).
public struct LookAlike: Sendable, CustomStringConvertible {
    public let description: String
    public let one: String
    public let other: String

    public static let all = [
        LookAlike(description: "the Kelvin sign", one: "Kate", other: "\u{212A}ate"),
        LookAlike(description: "the Greek question mark", one: "a;b", other: "a\u{37E}b"),
        LookAlike(description: "composed and decomposed", one: "\u{E9}va", other: "e\u{301}va"),
        LookAlike(description: "the order of two marks", one: "q\u{307}\u{323}", other: "q\u{323}\u{307}"),
    ]
}
