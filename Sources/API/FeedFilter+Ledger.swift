internal import LedgerInterface
internal import Pages

extension FeedFilter {
    /// The same filter as a selection of ledger entries.
    var selection: EntrySelection {
        EntrySelection(user: user, provider: provider, environment: environment, type: type, outcome: outcome)
    }
}
