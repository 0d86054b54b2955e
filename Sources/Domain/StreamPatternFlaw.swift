/// Why a pattern is refused.
public enum StreamPatternFlaw: Error, Equatable, CustomStringConvertible {
    case notPrintable
    case userMentioned(times: Int)
    /// `right` is how Rails would write the whole pattern; nil when that cannot be determined.
    case globalID(right: String?)

    public var description: String {
        switch self {
        case .notPrintable: "must be 1 to 200 bytes without control characters"
        case .userMentioned: "must contain {user} exactly once, as in user:{user}:paywall"
        case .globalID(let right?): "names streams that Rails never does; its spelling is \(right)"
        case .globalID(nil):
            "names streams that Rails never does; write gid://APP/MODEL/{user}, as User.first.to_gid in the app's console "
                + "prints it, with {user} for the id"
        }
    }
}
