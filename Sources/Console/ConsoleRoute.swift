import Domain
import Encoding
import HTTP

/// Where in the console a request goes. A user's id or an event's is one part of the path, whatever bytes it has.
enum ConsoleRoute: Equatable {
    case overview
    /// Log-in with a key: `POST`.
    case session
    case logOut
    /// Log-in by a link.
    case enter
    case asset(String)
    case user(UserID)
    /// What the user's pages show, for a frame.
    case userPreview(UserID)
    case userAction(UserID, word: String)
    case search
    /// By the store's id, or by its cursor.
    case event(id: String)
    case live
    /// What `live` follows.
    case liveStream
    case attention
    /// Asks for whom.
    case claim
    case nodes

    /// Nil if nothing of ours is there.
    init?(_ head: RequestHead) {
        guard let parts = head.pathComponents, parts.first == "console" else { return nil }
        switch (parts.count, parts.dropFirst().first) {
        case (1, _): self = .overview
        case (2, "session"): self = .session
        case (2, "log-out"): self = .logOut
        case (2, "enter"): self = .enter
        case (2, "search"): self = .search
        case (2, "live"): self = .live
        case (3, "live") where parts[2] == "stream": self = .liveStream
        case (2, "attention"): self = .attention
        case (2, "claim"): self = .claim
        case (2, "nodes"): self = .nodes
        case (3, "events") where !parts[2].isEmpty: self = .event(id: parts[2])
        case (3, "assets"): self = .asset(parts[2])
        case (3, "users") where isValidIdentifier(parts[2]): self = .user(UserID(parts[2]))
        case (4, "users") where isValidIdentifier(parts[2]):
            let user = UserID(parts[2])
            self = parts[3] == "preview" ? .userPreview(user) : .userAction(user, word: parts[3])
        default: return nil
        }
    }

    /// The user whom it is about, whose page a session of one user may see.
    var user: UserID? {
        switch self {
        case .user(let user), .userPreview(let user), .userAction(let user, _): user
        default: nil
        }
    }

    /// Nil for the door and the files, which are no pages.
    func page(_ settings: ConsoleSettings) -> (any ConsolePage)? {
        switch self {
        case .overview: OverviewPage()
        case .user(let user):
            UserPage(user: user, transfers: settings.facts().first { $0.name == "Transfers" }?.value)
        case .userPreview(let user): UserPreviewPage(user: user)
        case .userAction(let user, let word):
            UserActions.action(word).map { UserActionPage(user: user, word: word, action: $0) }
        case .search: SearchPage()
        case .event(let id): EventPage(id: id)
        case .live: LivePage()
        case .attention: AttentionPage()
        case .claim: ClaimPage()
        case .nodes: NodesPage(facts: settings.facts())
        case .liveStream: LiveStreamPage()
        case .session, .logOut, .enter, .asset: nil
        }
    }
}

/// Addresses of the console.
enum ConsoleAddress {
    static func user(_ user: UserID) -> String { "/console/users/\(PercentEncoding.encode(user.text))" }

    /// By the store's id, or by a cursor.
    static func event(_ id: String) -> String { "/console/events/\(PercentEncoding.encode(id))" }
}
