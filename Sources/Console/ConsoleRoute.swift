import Domain
import Encoding
import HTTP

/// Where in the console a request goes. A user's id or an event's is one part of the path, whatever bytes it has.
enum ConsoleRoute {
    /// Log-in with a key: `POST`.
    case session
    case logOut
    /// Log-in by a link.
    case enter
    case asset(String)
    /// Nil if nothing is there. `user` is whom it is about, whose page a session of one user may see.
    case page((any ConsolePage)?, of: UserID? = nil)

    /// Nil if nothing of ours is there.
    init?(_ head: RequestHead) {
        guard let parts = head.pathComponents, parts.first == "console" else { return nil }
        switch (parts.count, parts.dropFirst().first) {
        case (1, _): self = .page(OverviewPage())
        case (2, "session"): self = .session
        case (2, "log-out"): self = .logOut
        case (2, "enter"): self = .enter
        case (2, "search"): self = .page(SearchPage())
        case (2, "live"): self = .page(LivePage())
        case (3, "live") where parts[2] == "stream": self = .page(LiveStreamPage())
        case (2, "attention"): self = .page(AttentionPage())
        case (2, "claim"): self = .page(ClaimPage())
        case (3, "refunds") where !parts[2].isEmpty: self = .page(RefundPage(transaction: parts[2]))
        case (2, "nodes"): self = .page(NodesPage())
        case (3, "events") where !parts[2].isEmpty: self = .page(EventPage(id: parts[2]))
        case (3, "assets"): self = .asset(parts[2])
        case (3...4, "users"):
            guard let user = ConsoleAddress.user(ofPart: parts[2]) else { return nil }
            self = .page(ConsoleRoute.page(of: user, parts.count > 3 ? parts[3] : nil), of: user)
        default: return nil
        }
    }

    private static func page(of user: UserID, _ word: String?) -> (any ConsolePage)? {
        guard let word else { return UserPage(user: user) }
        guard word != "preview" else { return UserPreviewPage(user: user) }
        return UserAction.all.first { $0.word == word }.map { UserActionPage(user: user, action: $0) }
    }
}

/// Addresses of the console.
enum ConsoleAddress {
    static func user(_ user: UserID) -> String { "/console/users/\(part(user))" }

    /// A user's part of an address. Browsers resolve a part of nothing but dots, even if they are escaped, so `~` stands before
    /// these, and before an id that begins with it.
    static func part(_ user: UserID) -> String {
        let isMarked = [".", ".."].contains { $0.utf8.elementsEqual(user.text.utf8) } || user.text.utf8.first == tilde
        return (isMarked ? "~" : "") + PercentEncoding.encode(user.text)
    }

    /// Whom a part of an address names, once it is decoded; nil for nobody.
    static func user(ofPart part: String) -> UserID? {
        let id = part.utf8.first == tilde ? String(part.utf8.dropFirst()) ?? "" : part
        guard isValidIdentifier(id), ConsoleAddress.part(UserID(id)) == PercentEncoding.encode(part) else { return nil }
        return UserID(id)
    }

    private static let tilde = UInt8(ascii: "~")

    /// By the store's id, or by a cursor.
    static func event(_ id: String) -> String { "/console/events/\(PercentEncoding.encode(id))" }
}
