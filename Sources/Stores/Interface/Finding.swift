/// One thing that `paycast doctor` looked at.
public struct Finding: Sendable, Equatable {
    public enum Level: String, Sendable {
        case ok
        case warn
        case fail = "FAIL"
    }

    public var level: Level
    /// Two or three words.
    public var what: String
    /// What was found, and what to do about it. Never a secret.
    public var detail: String

    public static func ok(_ what: String, detail: String) -> Finding {
        Finding(level: .ok, what: what, detail: detail)
    }

    public static func warn(_ what: String, detail: String) -> Finding {
        Finding(level: .warn, what: what, detail: detail)
    }

    public static func fail(_ what: String, detail: String) -> Finding {
        Finding(level: .fail, what: what, detail: detail)
    }
}
