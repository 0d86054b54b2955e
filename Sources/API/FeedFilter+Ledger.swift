internal import Gateway
internal import Ledger

extension FeedFilter {
    /// The same for what the ledger holds.
    var selection: EntrySelection {
        EntrySelection(user: user, provider: provider, environment: environment, type: type, outcome: outcome)
    }
}
