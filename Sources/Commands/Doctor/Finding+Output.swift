internal import Stores

extension Finding {
    var line: String {
        let level = level.rawValue + String(repeating: " ", count: 6 - level.rawValue.count)
        return level + what + String(repeating: " ", count: max(2, 22 - what.count)) + detail
    }

    var json: JSONValue {
        .object(["level": .text(level.rawValue.lowercased()), "what": .text(what), "detail": .text(detail)])
    }
}
