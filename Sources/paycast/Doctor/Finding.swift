/// The result of one check.
struct Finding: Equatable {
    enum Level: String {
        case ok
        case warn
        case fail = "FAIL"
    }

    var level: Level
    /// Two or three words.
    var what: String
    /// What was found, and what to do about it. Never a secret.
    var detail: String

    static func ok(_ what: String, _ detail: String) -> Finding { Finding(level: .ok, what: what, detail: detail) }
    static func warn(_ what: String, _ detail: String) -> Finding { Finding(level: .warn, what: what, detail: detail) }
    static func fail(_ what: String, _ detail: String) -> Finding { Finding(level: .fail, what: what, detail: detail) }

    var line: String {
        let level = level.rawValue + String(repeating: " ", count: 6 - level.rawValue.count)
        return level + what + String(repeating: " ", count: max(2, 22 - what.count)) + detail
    }

    var json: JSONValue {
        .object(["level": .text(level.rawValue.lowercased()), "what": .text(what), "detail": .text(detail)])
    }
}
