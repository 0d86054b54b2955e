import API
import APIModel
import Domain
import Pages

/// What was known of a user when somebody opened a form: whoever acts on something older is told what has happened since.
struct SeenState {
    /// The ledger's newest cursor at that time.
    let since: String
    /// The newest thing that somebody did to the user; nil for none, and for a key that may not see it.
    let act: Int64?

    private let events: [FeedItem]
    private let acts: [AuditItem]

    private static let limit = "10"

    /// How it is now.
    init(of user: UserID, _ visit: Visit) throws(ConsoleError) {
        let limit = [(name: "limit", value: SeenState.limit)]
        let answer = try visit.api.get(UserEventsAnswer.self, from: .userEvents(user: user), query: limit)
        events = answer.events
        since = answer.since
        acts =
            visit.may(.personal)
            ? try visit.api.get(AuditAnswer.self, from: .audit, query: limit + [("user", user.text)]).entries : []
        act = acts.first?.id
    }

    /// For the form: `CURSOR.ACT`.
    var text: String { "\(since).\(act ?? 0)" }

    /// The cursor of a form's text; nil for anything else.
    static func cursor(_ text: String) -> Cursor? {
        text.split(separator: ".").first.flatMap { Cursor(String($0)) }
    }

    /// What has happened since a form was opened, newest first: one sentence each. Empty if nothing has.
    func news(since text: String) -> [String] {
        let seen = SeenState.cursor(text)?.position ?? 0
        var act = text.split(separator: ".").last.flatMap { Int64($0) } ?? 0
        // Nobody has seen what is not there yet.
        let entry = seen > (Cursor(since)?.position ?? 0) ? 0 : seen
        if act > self.act ?? 0 { act = 0 }
        let done = acts.filter { $0.id > act }.map { item in
            "\(UserTables.who(item)) \(UserTables.what(item.action)) at \(SeenState.clock(item.at))"
                + (item.reason.map { ": \($0)" } ?? "")
        }
        let told = events.filter { (Cursor($0.cursor)?.position ?? 0) > entry }.map { item in
            let source =
                item.provider == Provider.paycast.rawValue
                ? "Somebody of yours" : StoreWords.store(item.provider ?? "Paycast")
            let state = item.state.map { ", and it is now \(StoreWords.state($0))" } ?? ""
            return "\(source): \(EventNames.title(item.kind)) at \(SeenState.clock(item.at))\(state)"
        }
        return done + told
    }

    private static func clock(_ iso8601: String) -> String {
        iso8601.instant.map { ConsoleTime.clock($0) + " UTC" } ?? iso8601
    }
}
