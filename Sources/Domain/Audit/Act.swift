/// Something that the holder of a key, or a command, did to a user: who, what, why, and in which request. What stores do
/// is apart from it.
public struct Act: Sendable, Equatable {
    public enum Action: String, CaseIterable, Sendable {
        case grant, revoke, claim, order, erase, replay, recover
        /// Sent the user's pages their state again, or the backend a message.
        case resend
        /// Answered what Apple asks about a refund.
        case refund
        /// Ended the user's open pages.
        case endPages = "end_pages"
        /// Read the bodies of events, which hold what stores say of a buyer.
        case read
    }

    /// Who presented the key: its name in `PAYCAST_KEYS`, `api` for a key of `PAYCAST_API_KEY`, or `cli` for a command with
    /// such a key.
    public struct Actor: Sendable, Equatable {
        public var name: String
        /// The system's user, as the command says.
        public var systemUser: String?

        public init(name: String, systemUser: String? = nil) {
            self.name = name
            self.systemUser = systemUser
        }
    }

    public var action: Action
    public var actor: Actor
    /// Nil if it concerns nobody in particular, and once the user is erased.
    public var user: UserID?
    public var reason: String?
    /// The client's own id of the request.
    public var request: String?

    public init(_ action: Action, by actor: Actor, user: UserID?, reason: String? = nil, request: String? = nil) {
        self.action = action
        self.actor = actor
        self.user = user
        self.reason = reason
        self.request = request
    }
}

extension Act {
    /// The act as it concerns one user, without what names the user: entries outlive users.
    public func about(_ user: UserID) -> Act {
        var act = self
        act.user = user
        act.reason = reason.flatMap { Act.names(user, in: $0) ? nil : $0 }
        act.request = request.flatMap { Act.names(user, in: $0) ? nil : $0 }
        return act
    }

    /// Whether a text has the user's id in it: as a word, since `1` is also a part of `1 May 2021`. Reasons outlive users.
    public static func names(_ user: UserID, in reason: String) -> Bool {
        let id = Array(user.text.utf8)
        let text = Array(reason.utf8)
        guard text.count >= id.count else { return false }
        func isWord(at index: Int) -> Bool { text.indices.contains(index) && isWordByte(text[index]) }
        return (0...text.count - id.count).contains { start in
            text[start...].starts(with: id) && !isWord(at: start - 1) && !isWord(at: start + id.count)
        }
    }

    private static func isWordByte(_ byte: UInt8) -> Bool { byte.isDigit || byte.isLetter || byte >= 0x80 }

    public static let namingReason = "The reason outlives the user, and must name nobody: leave the user's id out."
}

/// An act as the ledger keeps it. Entries are never changed, but an erasure drops its user's name from them.
public struct AuditEntry: Sendable, Equatable {
    /// Ascends with time.
    public var id: Int64
    public var at: Instant
    public var act: Act

    public init(id: Int64, at: Instant, act: Act) {
        self.id = id
        self.at = at
        self.act = act
    }
}

/// The entries that somebody asks for, newest first; nil members match everything.
public struct AuditSelection: Sendable, Equatable {
    public static let all = AuditSelection()

    public enum Start: Sendable, Equatable {
        /// Entries of this instant and later.
        case time(Instant)
        /// Entries after this one.
        case entry(Int64)
    }

    public var user: UserID?
    public var actor: String?
    public var since: Start?
    /// Entries before this one: the last of the page before.
    public var before: Int64?
}

public typealias AuditPage = (entries: [AuditEntry], hasMore: Bool)
