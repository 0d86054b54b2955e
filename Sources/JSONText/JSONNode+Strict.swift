extension JSONNode {
    /// The object that a text is. Two readers of a member that stands there twice may see two things, so it is refused,
    /// at any depth.
    public static func object(strictly bytes: [UInt8]) throws(JSONObjectError) -> JSONNode {
        guard let node = JSONNode(bytes), node.isObject else { throw .notAnObject }
        guard !node.repeatsMember else { throw .repeatedMember }
        return node
    }

    private var repeatsMember: Bool {
        switch self {
        case .object(let members):
            var names: Set<String?> = []
            return members.contains { !names.insert($0.name).inserted || $0.value.repeatsMember }
        case .array(let items): return items.contains { $0.repeatsMember }
        case .null, .boolean, .number, .string: return false
        }
    }
}

public enum JSONObjectError: Error, Equatable {
    case notAnObject
    case repeatedMember
}
