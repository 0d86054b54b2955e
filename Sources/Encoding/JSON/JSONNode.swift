/// A JSON text (RFC 8259) whose syntax has been checked; values are decoded on demand.
///
/// For texts that pages and publishers send thousands of times a second: Foundation's decoder would take 9 % of the
/// whole time of a transient broadcast. Arrays and objects nest 16 levels deep at most.
public enum JSONNode: Sendable, Equatable {
    case null
    case boolean(Bool)
    /// The digits as in the text.
    case number(ArraySlice<UInt8>)
    /// The bytes between the quotes, still escaped.
    case string(ArraySlice<UInt8>)
    case array([JSONNode])
    case object([JSONMember])

    /// Returns nil when `bytes` are not JSON or nest too deep.
    public init?(_ bytes: [UInt8]) {
        var scanner = JSONScanner(bytes)
        guard let node = scanner.text() else { return nil }
        self = node
    }

    public init?(_ text: String) {
        self.init(Array(text.utf8))
    }

    /// An object's member; if two have the same name, the last one counts, as in JavaScript and Ruby.
    public subscript(name: String) -> JSONNode? {
        guard case .object(let members) = self else { return nil }
        return members.last { $0.isNamed(name) }?.value
    }

    /// A string's text; nil for anything else.
    public var text: String? {
        guard case .string(let body) = self else { return nil }
        return JSONLiteral.text(body)
    }

    /// A whole number's value; nil for anything else.
    public var integer: Int64? {
        guard case .number(let digits) = self else { return nil }
        return Int64(String(decoding: digits, as: UTF8.self))
    }

    public var boolean: Bool? {
        guard case .boolean(let value) = self else { return nil }
        return value
    }

    public var isNull: Bool {
        if case .null = self { true } else { false }
    }

    public var isObject: Bool {
        if case .object = self { true } else { false }
    }
}

/// One member of an object.
public struct JSONMember: Sendable, Equatable {
    let rawName: ArraySlice<UInt8>
    public let value: JSONNode

    /// Nil when the name is not UTF-8.
    public var name: String? { JSONLiteral.text(rawName) }

    var hasEscapedName: Bool { rawName.contains(JSONLiteral.backslash) }

    func isNamed(_ name: String) -> Bool {
        if rawName.count == name.utf8.count, rawName.elementsEqual(name.utf8) { return true }
        guard hasEscapedName, let own = self.name else { return false }
        return own.utf8.elementsEqual(name.utf8)
    }

    /// This member, its name without escapes.
    public var withPlainName: JSONMember {
        guard hasEscapedName, let name else { return self }
        return JSONMember(rawName: Array(name.utf8)[...], value: value)
    }

    /// Compares the bytes between the quotes as they are, for readers of thousands of members a second.
    public func hasPlainName(_ name: StaticString) -> Bool {
        let bytes = rawName.span
        guard bytes.count == name.utf8CodeUnitCount else { return false }
        for index in 0..<bytes.count where bytes[index] != name.utf8Start[index] { return false }
        return true
    }
}

extension JSONNode {
    /// The members of an object that are all strings; nil for anything else.
    public var texts: [String: String]? {
        guard case .object(let members) = self else { return nil }
        let pairs = members.compactMap { member in member.name.flatMap { name in member.value.text.map { (name, $0) } }
        }
        return pairs.count == members.count ? Dictionary(pairs) { $1 } : nil
    }

    /// Reads an object strictly: UTF-8, at most 16 levels deep, no repeated member.
    ///
    /// Parsers disagree about two members with the same name, so what was verified and what is understood could differ.
    public static func object(strictly bytes: [UInt8]) throws(JSONObjectError) -> JSONNode {
        guard isText(bytes), let node = JSONNode(bytes), node.isObject else { throw .notAnObject }
        guard !node.repeatsMember else { throw .repeatedMember }
        return node
    }

    private static func isText(_ bytes: [UInt8]) -> Bool {
        do { return try UTF8Span(validating: bytes.span).count == bytes.count } catch { return false }
    }

    /// Whether an object at any depth has two members of the same name. The scanner's depth limit bounds the recursion.
    public var repeatsMember: Bool {
        switch self {
        case .null, .boolean, .number, .string: false
        case .array(let items): items.contains(where: \.repeatsMember)
        case .object(let members):
            JSONNode.repeatsName(members) || members.contains { $0.value.repeatsMember }
        }
    }

    /// Compares unescaped names as bytes. A name that is not UTF-8 cannot be compared, so it counts as a repetition.
    private static func repeatsName(_ members: [JSONMember]) -> Bool {
        if members.count <= 32, !members.contains(where: \.hasEscapedName) { return repeatsFewNames(members) }
        var names: Set<[UInt8]> = []
        return members.contains { member in
            member.name.map { !names.insert(Array($0.utf8)).inserted } ?? true
        }
    }

    /// Publishers send such objects thousands of times a second, so this makes no copy.
    private static func repeatsFewNames(_ members: [JSONMember]) -> Bool {
        for (index, member) in members.enumerated() {
            for other in members[..<index] where other.rawName.elementsEqual(member.rawName) { return true }
        }
        return false
    }
}

public enum JSONObjectError: Error, Equatable {
    case notAnObject
    case repeatedMember
}
