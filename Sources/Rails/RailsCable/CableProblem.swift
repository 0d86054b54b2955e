/// Why broadcasts do not arrive, in words for the operator. Contains nothing that was broadcast, and no password.
enum CableProblem: Error, Equatable, CustomStringConvertible {
    case starting
    case missingFile
    case missingTable
    /// Another process holds a lock, for longer than a transaction of the app should take.
    case busy
    /// The engine's message, with its advice.
    case unreadable(String)
    /// It accepts LISTEN, but no notification comes through.
    case noNotifications
    case tooManyStreams

    private static let todo = "check PAYCAST_RAILS_CABLE_URL, and run bin/rails db:prepare in the app"

    var description: String {
        switch self {
        case .starting: "it has not been read yet; ask again in a few seconds"
        case .missingFile: "the file is not there; \(CableProblem.todo)"
        case .missingTable: "it has no table solid_cable_messages; \(CableProblem.todo)"
        case .busy: "another process has locked it; find a long transaction of the app"
        case .unreadable(let reason): reason
        case .noNotifications: "no notification comes through, as behind a transaction pooler; name a direct connection"
        case .tooManyStreams:
            "pages follow more streams than can be listened to; use solid_cable or redis in the app's config/cable.yml"
        }
    }
}
