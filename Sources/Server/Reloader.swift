import API
import Domain
import Ledger
import Stores
public import Support

/// The effect of SIGHUP: it rereads the files and applies their content while the server runs; no connection notices.
struct Reloader {
    private let core: ServerCore
    private let source: ConfigurationSource
    private let services: Services
    private let hooks: HookRunner?
    /// As it was read last.
    private var configuration: Configuration

    init(_ core: ServerCore, source: ConfigurationSource, services: Services, hooks: HookRunner?) {
        self.core = core
        self.source = source
        self.services = services
        self.hooks = hooks
        configuration = core.configuration
    }

    /// Rereads the settings, and wakes `watcher` for the templates and the certificate.
    mutating func reload(waking watcher: Routine) {
        watcher.wake()
        let reload = source.reread(configuration)
        var refused = reload.problems.map { "\($0.name): not reloaded, the old one stays: \($0.text)" }
        for problem in reload.problems {
            core.log.error(
                "setting not reloaded, the old one stays; correct it and send SIGHUP again",
                fields: ["setting": problem.name, "problem": problem.text]
            )
        }
        configuration = reload.configuration
        let policy = configuration.accessPolicy
        if !(services.writer.submit(.policy(policy)) && services.reader.adopt(policy)) {
            core.log.error("catalog not reloaded, the ledger is busy; send SIGHUP again")
            refused.append("catalog: not reloaded, the ledger was busy; send SIGHUP again")
        }
        if let problem = replaceStores() { refused.append("stores: not reloaded, the old ones stay: \(problem)") }
        core.refusedReloads.replace(with: refused)
        core.deliveries.serves(configuration.servedStores)
        core.facts.replace(with: configuration.facts(node: core.ledger.node))
        hooks?.reload(configuration.hooks)
        let changed = reload.changed.isEmpty ? "nothing" : reload.changed.joined(separator: ", ")
        core.log.info("reloaded", fields: ["changed": changed])
    }

    /// Runs even when no setting changed: Apple's roots are in files whose content no setting holds. Returns why the old
    /// stores stay.
    private func replaceStores() -> StartError? {
        var refused: StartError?
        let keys = ServerKeys(configuration, in: core.keys.workspace)
        do throws(StartError) {
            core.stores.replace(with: try OpenStores(configuration, context: core.storeContext))
        } catch {
            core.log.error(
                "stores not reloaded, the old ones stay; correct the setting and send SIGHUP again",
                fields: ["problem": error]
            )
            refused = error
        }
        services.replace(core.stores.value.trust(keys.authorization(configuration.allowedOrigins)))
        return refused
    }
}

/// The part of the settings that a running server can change: keys, secrets and the catalog.
public struct ConfigurationReload: Sendable {
    public private(set) var configuration: Configuration
    private var changes: SettingsChanges

    /// The names of the settings whose values have changed.
    public var changed: [String] { changes.names }
    public var problems: [ConfigurationError.Problem] { changes.problems }

    init(from old: Configuration, to new: Configuration, problems: [ConfigurationError.Problem]) {
        configuration = old
        changes = SettingsChanges(problems: problems)
        changes.take("PAYCAST_API_KEY", into: &configuration.apiKeys, from: new.apiKeys)
        changes.take("PAYCAST_KEYS", into: &configuration.namedKeys, from: new.namedKeys)
        changes.take("SECRET_KEY_BASE", into: &configuration.secretKeyBase, from: new.secretKeyBase)
        changes.take("PAYCAST_STREAM_KEYS", into: &configuration.streamKeys, from: new.streamKeys)
        configuration.stores = zip(old.stores, new.stores).map { $0.reloaded(from: $1, recording: &changes) }
        changes.take("PAYCAST_HOOK_SECRETS", into: &configuration.hooks, from: new.hooks)
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
