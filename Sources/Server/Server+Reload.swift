import API
import Domain
import Ledger
import Pages
import Support

/// The effect of SIGHUP: it rereads the files and applies their content while the server runs; no connection notices.
extension Server {
    /// Rereads the settings, which `configuration` holds as they were read last, and wakes `watcher` for the templates and
    /// the certificate.
    func reload(_ configuration: inout Configuration, waking watcher: Routine) {
        let changes = configuration.reload()
        var refused = changes.problems.map { "\($0.name): not reloaded, the old one stays: \($0.text)" }
        for problem in changes.problems {
            core.log.error(
                "setting not reloaded, the old one stays; correct it and send SIGHUP again",
                fields: ["setting": problem.name, "problem": problem.text]
            )
        }
        let policy = configuration.accessPolicy
        core.catalogs.replace(with: policy.catalog)
        core.templates.adopt(policy.catalog)
        watcher.wake()
        if !(services.writer.submit(.policy(policy)) && services.reader.adopt(policy)) {
            core.log.error("catalog not reloaded, the ledger is busy; send SIGHUP again")
            refused.append("catalog: not reloaded, the ledger was busy; send SIGHUP again")
        }
        let settings = core.ledger.isShared ? SharedSettings(configuration, salt: core.ledger.salt) : nil
        if let problem = replaceStores(configuration, settings) {
            refused.append("stores: not reloaded, the old ones stay: \(problem)")
        }
        core.refusedReloads.replace(with: refused)
        core.deliveries.serves(configuration.servedStores)
        core.facts.replace(with: configuration.facts(node: core.ledger.node))
        // After the keys: a node must verify what it says that it does.
        core.shared.replace(with: settings)
        background.catalog.routine.wake()
        background.hooks?.reload(configuration.hooks)
        let changed = changes.names.isEmpty ? "nothing" : changes.names.joined(separator: ", ")
        core.log.info("reloaded", fields: ["changed": changed])
    }

    /// Runs even when no setting changed: Apple's roots are in files whose content no setting holds. Returns why the old
    /// stores stay.
    private func replaceStores(_ configuration: Configuration, _ settings: SharedSettings?) -> StartError? {
        var refused: StartError?
        let keys = ServerKeys(configuration, in: core.keys.workspace)
        core.signer.adopt(keys.streamNames, of: settings, among: core.ledger.follower?.report)
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
