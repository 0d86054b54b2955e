import Domain
import Simulator

/// One thing that a store says: what it is called there, when, and what is bent in the body that the simulated store
/// would write.
struct Said: Sendable, ExpressibleByStringInterpolation {
    /// `TYPE/SUBTYPE`; Google's subscriptions by number. `TRANSACTION` is what an app posts, not a notification.
    var words: String
    /// Since what was said before.
    var pause: Duration
    /// Place in the body → JSON. Apple's inner documents are `transaction` and `renewal`, Google's purchase is
    /// `purchase`; any other place is in what is posted.
    var bends: [String: String]
    var claimant: String?
    /// What is said of something else than the case's purchase.
    var change: @Sendable (inout SimulatedEvent) -> Void

    init(
        _ words: String,
        after pause: Duration = .seconds(60),
        bends: [String: String] = [:],
        claimedBy claimant: String? = nil,
        _ change: @escaping @Sendable (inout SimulatedEvent) -> Void = { _ in }
    ) {
        self.words = words
        self.pause = pause
        self.bends = bends
        self.claimant = claimant
        self.change = change
    }

    init(stringLiteral words: String) {
        self.init(words)
    }

    /// Half a minute after the period that began with the first thing that was said.
    static func late(_ words: String, bends: [String: String] = [:]) -> Said {
        Said(words, after: TableScene.month + .seconds(30), bends: bends)
    }
}

extension TableScene {
    static let month = Duration.seconds(30 * 86_400)

    /// So many days after the first thing that was said, as a store's milliseconds.
    static func milliseconds(day: Int) -> String { String((start + .seconds(day * 86_400)).milliseconds) }
}
