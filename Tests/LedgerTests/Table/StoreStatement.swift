import Domain
import Simulator

/// One thing that a store says: its type, when it comes, and the edits to the body that the simulated store writes.
struct StoreStatement: Sendable, ExpressibleByStringInterpolation {
    /// `TYPE/SUBTYPE`; Google's types by number. `TRANSACTION` is what an app posts, not a notification.
    var words: String
    /// Since the statement before.
    var pause: Duration
    /// Place in the body → JSON. Apple's inner documents are `transaction` and `renewal`, Google's purchase is
    /// `purchase`; any other place is in what is posted.
    var edits: [String: String]
    var claimant: String?
    /// Makes the statement about something other than the case's purchase.
    var change: @Sendable (inout SimulatedEvent) -> Void

    init(
        _ words: String,
        after pause: Duration = .seconds(60),
        edits: [String: String] = [:],
        claimedBy claimant: String? = nil,
        change: @escaping @Sendable (inout SimulatedEvent) -> Void = { _ in }
    ) {
        self.words = words
        self.pause = pause
        self.edits = edits
        self.claimant = claimant
        self.change = change
    }

    init(stringLiteral words: String) {
        self.init(words)
    }

    /// Half a minute after the period that began with the first statement.
    static func late(_ words: String, edits: [String: String] = [:]) -> StoreStatement {
        StoreStatement(words, after: TableScenario.month + .seconds(30), edits: edits)
    }
}

extension TableScenario {
    static let month = Duration.seconds(30 * 86_400)

    /// `day` days after the first statement, in a store's milliseconds.
    static func milliseconds(day: Int) -> String { String((start + .seconds(day * 86_400)).milliseconds) }
}
