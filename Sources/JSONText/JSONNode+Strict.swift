extension JSONNode {
    /// The object that a text is: UTF-8, at most 16 deep, no member twice.
    ///
    /// Two members of one name are read differently by different parsers, so that what was proven and what is understood
    /// could differ.
    public static func object(strictly bytes: [UInt8]) throws(JSONObjectError) -> JSONNode {
        guard String(validating: bytes, as: UTF8.self) != nil, let node = JSONNode(bytes), node.isObject else {
            throw .notAnObject
        }
        guard !node.repeatsMember else { throw .repeatedMember }
        return node
    }

    /// As deep as the scanner lets a text nest.
    private var repeatsMember: Bool {
        switch self {
        case .null, .boolean, .number, .string: return false
        case .array(let items): return items.contains(where: \.repeatsMember)
        case .object(let members):
            var names: Set<String> = []
            // A name that is no text cannot be compared with the others.
            return members.contains { member in
                member.name.map { !names.insert($0).inserted } ?? true || member.value.repeatsMember
            }
        }
    }
}

public enum JSONObjectError: Error, Equatable {
    case notAnObject
    case repeatedMember
}
