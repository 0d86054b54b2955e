internal import Domain
public import Settings
internal import StoreInterface

/// What rereading the settings changes in a running server: keys, secrets and the catalog.
public struct ConfigurationReload: Sendable {
    public private(set) var configuration: Configuration
    private var changes: SettingsChanges

    /// Names of the settings that have another value now.
    public var changed: [String] { changes.names }
    public var problems: [ConfigurationError.Problem] { changes.problems }

    init(from old: Configuration, to new: Configuration, problems: [ConfigurationError.Problem]) {
        configuration = old
        changes = SettingsChanges(problems: problems)
        changes.take("PAYCAST_API_KEY", into: &configuration.apiKeys, from: new.apiKeys)
        changes.take("SECRET_KEY_BASE", into: &configuration.secretKeyBase, from: new.secretKeyBase)
        changes.take("PAYCAST_STREAM_KEYS", into: &configuration.streamKeys, from: new.streamKeys)
        configuration.stores = zip(old.stores, new.stores).map { $0.reloaded(from: $1, recording: &changes) }
        changes.take("PAYCAST_CATALOG", into: &configuration.accessPolicy.catalog, from: new.accessPolicy.catalog)
    }
}

extension Store {
    /// `new` holds the new settings of the same store.
    fileprivate func reloaded(from new: any Store, recording changes: inout SettingsChanges) -> any Store {
        var store = self
        if let new = new as? Self { store.reload(from: new, changes: &changes) }
        return store
    }
}
