import Domain
import HTTP
import Pages
import Support

/// Something that can be done to a user, on a page of its own: with a reason, and a button that says what it does.
protocol UserAction: Sendable {
    /// What the API asks a key for.
    var right: Right { get }
    var title: String { get }
    /// What it does, and what it does not.
    var explanation: String { get }
    var button: String { get }
    /// It cannot be taken back.
    var isFinal: Bool { get }
    /// It may take minutes, and changes nothing of what the form has shown.
    var isSlow: Bool { get }

    /// What the form asks beside the reason, filled with what was entered before.
    func fields(_ values: ActionValues, _ visit: Visit, user: UserID) throws(ConsoleError) -> Markup

    /// Does it. Nil leads back to the user's page; markup is the result on a page of its own.
    func perform(_ values: ActionValues, _ visit: Visit, user: UserID) throws(ConsoleError) -> Markup?
}

extension UserAction {
    var isFinal: Bool { false }
    var isSlow: Bool { false }

    func fields(_ values: ActionValues, _ visit: Visit, user: UserID) throws(ConsoleError) -> Markup { .empty }
}

/// What was entered, or what a link has filled in.
struct ActionValues: Sendable {
    private let query: Query

    init(_ query: Query) {
        self.query = query
    }

    /// Empty for what is missing.
    subscript(name: String) -> String { trimmed(query[name] ?? "") }

    var reason: String { self["reason"] }

    /// What the form has shown, for the API: it does nothing if something has happened to the user since.
    var seen: [(name: String, value: String)] {
        SeenState.cursor(self["seen"]).map { [(name: "unchanged_since", value: $0.description)] } ?? []
    }
}

/// All actions, by their words in addresses.
enum UserActions {
    /// In the order in which they are offered.
    static let all: [(word: String, action: any UserAction)] = [
        ("grant", GrantAction()), ("claim", ClaimAction()), ("send-state", SendStateAction()),
        ("dry-run", DryRunAction()), ("recover", RecoverAction()), ("erase", EraseAction()),
        ("revoke", RevokeAction()), ("resend", ResendAction()),
    ]

    /// Those that begin in a row of a table, with what the row is about.
    private static let ofRows: Set = ["revoke", "resend"]

    static func action(_ word: String) -> (any UserAction)? { all.first { $0.word == word }?.action }

    static var ofPage: [(word: String, action: any UserAction)] { all.filter { !ofRows.contains($0.word) } }

    /// For the address of the page that an action leads to: nobody can make one up, and it says nothing of another user.
    static func mark(_ word: String, _ user: UserID, _ visit: Visit) -> String {
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
        return switch word.name {
        case "grant": "Granted. The user's open pages show it already."
        case "claim": "The purchase is this user's now."
        case "send-state": "The open pages have been sent their state again."
        case "revoke": "The grant is taken back. The user's open pages show it already."
        case "resend": "The message is on its way to your backend again."
        default: nil
        }
    }
}

/// The buttons of a user's page: what the session may do.
struct UserActionLinks {
    let visit: Visit
    let user: UserID

    var markup: Markup {
        let links = UserActions.ofPage.filter { visit.may($0.action.right) }.map { word, action in
            visit[action.isFinal ? "user.final_action" : "user.action"].render([
                "user": Field.part(user.text), "word": word, "title": action.title,
            ])
        }
        return (links.isEmpty ? Markup.empty : visit["user.actions"].render(["links": links.joined()]))
            + notOffered
    }

    /// Who came by a link never acts, and has been told so.
    private var notOffered: Markup {
        let all: [(right: Right, what: String)] = [
            (.act, "claiming, granting and sending again"), (.erase, "erasing"),
        ]
        let missing = all.filter { !visit.may($0.right) }.map { "\($0.what) (right \($0.right.rawValue))" }
        guard visit.session.user == nil, !missing.isEmpty else { return .empty }
        return visit["user.not_offered"].render(["what": missing.joined(separator: "; ")])
    }
}
