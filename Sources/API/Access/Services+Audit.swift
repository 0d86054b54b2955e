import APIModel
import Domain
import HTTP
import Ledger
import Pages
import Support

/// Who is behind a request that a key has opened.
extension Services {
    /// The request's id is left out if it names the user: entries outlive users.
    func act(_ action: Act.Action, of request: Request, user: UserID?, reason: String? = nil) -> Act {
        var act = Act(action, by: actor(of: request), user: user, reason: reason)
        if let id = label(request, "x-request-id"), user.map({ !Act.names($0, in: id) }) ?? true { act.request = id }
        return act
    }

    /// Commits the entry, and waits for it, but not without end. Not on a loop.
    func commit(_ act: Act) -> Bool {
        let answer = Promise<Result<Void, LedgerError>>()
        guard writer.submit(.note(act) { answer.fulfil($0) }), case .success? = answer.wait(timeout: .seconds(10))
        else { return false }
        return true
    }

    /// A command says for which user of the system it runs. Whoever has a key could say so, so a named key's name stays.
    private func actor(of request: Request) -> Act.Actor {
        // A reload may just have taken the key away; no key has this name.
        let name = authorization.key(request.credentials)?.name ?? "?"
        let systemUser = label(request, "x-paycast-user")
        let isCommand = systemUser != nil && name == AccessKey.everything
        return Act.Actor(name: isCommand ? "cli" : name, systemUser: systemUser)
    }

    /// A header's value, if it may be kept: up to 128 printable characters of ASCII.
    private func label(_ request: Request, _ name: StaticString) -> String? {
        guard let value = request.head.field(named: name), (1...128).contains(value.utf8.count),
            value.utf8.allSatisfy({ (0x20...0x7E).contains($0) })
        else { return nil }
        return value
    }
}

/// What a client has seen of a user to whom it does something.
extension Services {
    /// The position in `unchanged_since`; nil without it.
    func seen(_ request: Request) throws(RefusedBody) -> Int64? {
        try position(request.query["unchanged_since"], or: "unchanged_since is the since of GET /users/{user}.")
    }

    /// The position of a cursor of this ledger; nil without one. `message` says what to send instead of anything else.
    func position(_ cursor: String?, or message: @autoclosure () -> String) throws(RefusedBody) -> Int64? {
        guard let cursor else { return nil }
        guard let cursor = Cursor(cursor), cursor.epoch == epoch else {
            throw RefusedBody("invalid_cursor", message: message())
        }
        return cursor.position
    }

    /// Gives the command, which does nothing if something has happened to the user after `position`.
    func submit(_ command: LedgerCommand, by act: Act, unless user: UserID, hasChangedSince position: Int64?) -> Bool {
        let audited = LedgerCommand.audited(command, by: act)
        return writer.submit(position.map { LedgerCommand.unchanged(user, since: $0, audited) } ?? audited)
    }
}
