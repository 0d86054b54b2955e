extension JSONNode {
    /// The object that a text is: UTF-8, at most 16 deep, no member twice.
    ///
    /// Two members of one name are read differently by different parsers, so that what was proven and what is understood
    /// could differ.
    public static func object(strictly bytes: [UInt8]) throws(JSONObjectError) -> JSONNode {
        guard isText(bytes), let node = JSONNode(bytes), node.isObject else { throw .notAnObject }
        guard !node.repeatsMember else { throw .repeatedMember }
        return node
    }

    private static func isText(_ bytes: [UInt8]) -> Bool {
        do { return try UTF8Span(validating: bytes.span).count == bytes.count } catch { return false }
    }

    /// An object, at any depth, has two members of one name. Goes as deep as the scanner lets a text nest.
    public var repeatsMember: Bool {
        switch self {
        case .null, .boolean, .number, .string: false
        case .array(let items): items.contains(where: \.repeatsMember)
        case .object(let members):
            JSONNode.repeatsName(members) || members.contains { $0.value.repeatsMember }
        }
    }

    /// By bytes, once escapes are read. A name that is no text cannot be compared with the others.
    private static func repeatsName(_ members: [JSONMember]) -> Bool {
        if members.count <= 8, !members.contains(where: \.hasEscapedName) { return repeatsFewNames(members) }
        var names: Set<[UInt8]> = []
        return members.contains { member in
            member.name.map { !names.insert(Array($0.utf8)).inserted } ?? true
        }
    }

    /// What publishers send thousands of times a second: without a copy.
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
