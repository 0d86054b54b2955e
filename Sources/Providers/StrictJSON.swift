internal import JSONText

/// A store's document, taken apart with no step back: UTF-8, at most 16 deep, no member twice.
///
/// Two members of one name are read differently by different parsers, so that what was proven and what is understood
/// could differ.
enum StrictJSON {
    static func object(_ body: [UInt8]) throws(VerificationError) -> JSONNode {
        guard String(validating: body, as: UTF8.self) != nil, let node = JSONNode(body), node.isObject else {
            throw .malformed(.invalidJSON)
        }
        guard !node.repeatsMember else { throw .malformed(.duplicateMember) }
        return node
    }
}

extension JSONNode {
    /// As deep as the scanner lets a text nest.
    fileprivate var repeatsMember: Bool {
        switch self {
        case .null, .boolean, .number, .string: return false
        case .array(let items): return items.contains(where: \.repeatsMember)
        case .object(let members):
            var names: Set<String> = []
            for member in members {
                guard let name = member.name, names.insert(name).inserted, !member.value.repeatsMember else {
                    return true
                }
            }
            return false
        }
    }
}
