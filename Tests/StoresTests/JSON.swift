import Encoding

/// JSON that a test can change: what the wire types would never let through.
indirect enum JSON: Sendable, ExpressibleByStringLiteral, ExpressibleByIntegerLiteral, ExpressibleByBooleanLiteral,
    ExpressibleByFloatLiteral, ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
    case text(String)
    case number(String)
    case array([JSON])
    case object([String: JSON])
    case raw(String)

    init(stringLiteral value: String) { self = .text(value) }
    init(integerLiteral value: Int64) { self = .number(String(value)) }
    init(floatLiteral value: Double) { self = .number(String(value)) }
    init(booleanLiteral value: Bool) { self = .raw(value ? "true" : "false") }
    init(arrayLiteral elements: JSON...) { self = .array(elements) }
    init(dictionaryLiteral elements: (String, JSON)...) { self = .object(Dictionary(uniqueKeysWithValues: elements)) }

    var text: String {
        switch self {
        case .text(let text): "\"\(text.map { $0 == "\n" ? "\\n" : $0 == "\"" ? "\\\"" : String($0) }.joined())\""
        case .number(let text), .raw(let text): text
        case .array(let elements): "[\(elements.map(\.text).joined(separator: ","))]"
        case .object(let members): "{\(members.map { "\"\($0)\":\($1.text)" }.joined(separator: ","))}"
        }
    }

    var bytes: [UInt8] { Array(text.utf8) }

    /// A member of an object; setting nil takes it away.
    subscript(_ name: String) -> JSON? {
        get {
            guard case .object(let members) = self else { return nil }
            return members[name]
        }
        set {
            guard case .object(var members) = self else { return }
            members[name] = newValue
            self = .object(members)
        }
    }
}
