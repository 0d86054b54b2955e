extension JSONNode {
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
