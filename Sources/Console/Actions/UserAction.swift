import Domain
import HTTP
import Pages
import Support

/// Something that can be done to a user, on a page of its own: with a reason, and a button that says what it does.
struct UserAction: Sendable {
    /// In the page's address.
    let word: String
    /// What the API asks a key for.
    var right = Right.act
    let title: String
    /// What it does, and what it does not.
    let explanation: String
    let button: String
    /// It cannot be taken back.
    var isFinal = false
    /// It may take minutes, and changes nothing of what the form has shown.
    var isSlow = false
    /// It begins in a row of a table, with what the row is about.
    var isOfRow = false
    /// What the user's page says in the minute after it; nil for what has a result of its own.
    var done: String?
    /// What the form asks beside the reason, filled with what was entered before.
    var fields: @Sendable (ActionForm) throws(ConsoleError) -> Markup = { _ in .empty }
    /// Asked before it is done, once more for what was entered: what to look at again; nil for nothing.
    var question: @Sendable (ActionForm) -> String? = { _ in nil }
    /// Does it. Nil leads back to the user's page; markup is the result on a page of its own.
    let perform: @Sendable (ActionForm) throws(ConsoleError) -> Markup?

    /// In the order in which they are offered.
    static let all = [grant, claim, sendState, dryRun, recover, endPages, erase, revoke, resend]

    /// For the address of the page that it leads to: nobody can make one up, and it says nothing of another user.
    func mark(_ user: UserID, _ visit: Visit) -> String {
        let token = ConsoleToken(
            keyName: word,
            expiry: visit.now + .seconds(ConsoleToken.Purpose.done.seconds),
            user: user
        )
        return token.sealed(with: visit.session.key.secret, for: .done)
    }

    /// What a user's page says in the minute after an action; nil without its mark.
    static func done(_ mark: String, _ user: UserID, _ visit: Visit) -> String? {
        let words = all.map { AccessKey(name: $0.word, rights: [], secret: visit.session.key.secret) }
        guard let (token, word) = ConsoleToken.open(mark, for: .done, keys: words, now: visit.now), token.user == user
        else { return nil }
        return all.first { $0.word == word.name }?.done
    }

    /// The buttons of a user's page: what the session may do.
    static func links(_ user: UserID, _ visit: Visit) -> Markup {
        let links = all.filter { !$0.isOfRow && visit.may($0.right) }.map { action in
            visit[action.isFinal ? "user.final_action" : "user.action"].render([
                "user": Field.part(user), "word": action.word, "title": action.title,
            ])
        }
        return (links.isEmpty ? Markup.empty : visit["user.actions"].render(["links": links.joined()]))
            + notOffered(visit)
    }

    /// Who came by a link never acts, and has been told so.
    private static func notOffered(_ visit: Visit) -> Markup {
        let all: [(right: Right, what: String)] = [
            (.act, "claiming, granting and sending again"), (.erase, "erasing"),
        ]
        let missing = all.filter { !visit.may($0.right) }.map { "\($0.what) (right \($0.right.rawValue))" }
        guard visit.session.user == nil, !missing.isEmpty else { return .empty }
        return visit["user.not_offered"].render(["what": missing.joined(separator: "; ")])
    }
}

/// What was entered, or what a link has filled in.
struct ActionForm: Sendable {
    let visit: Visit
    let user: UserID
    let query: Query
    /// What was entered is shown with a question.
    var isQuestion = false

    /// Empty for what is missing.
    subscript(name: String) -> String { trimmed(query[name] ?? "") }

    var reason: String { self["reason"] }

    /// What the form has shown, for the API: it does nothing if something has happened to the user since.
    var seen: [(name: String, value: String)] {
        SeenState.cursor(self["seen"]).map { [(name: "unchanged_since", value: $0.description)] } ?? []
    }
}
