internal import API
internal import AppleStore
internal import Concurrency
internal import GoogleStore
internal import Ledger
internal import Observability
internal import Settings

/// What SIGHUP does: what files hold is read anew and replaced under way, without a connection noticing.
struct Reloader {
    let source: ConfigurationSource
    var configuration: Configuration
    let keys: Credentials
    let stores: Current<OpenStores>
    let context: StoreContext
    let services: Services
    let log: Log

    /// Templates and the certificate are the watcher's: it has been woken.
    mutating func reload() {
        let reload = source.reread(configuration)
        for problem in reload.problems {
            log.error(
                "setting not reloaded, the old one stays; correct it and send SIGHUP again",
                ["setting": problem.name, "problem": problem.text]
            )
        }
        configuration = reload.configuration
        let policy = configuration.accessPolicy
        if !(services.writer.submit(.policy(policy)) && services.reader.adopt(policy)) {
            log.error("catalogue not reloaded, the ledger is busy; send SIGHUP again")
        }
        replaceStores()
        let changed = reload.changed.isEmpty ? "nothing" : reload.changed.joined(separator: ", ")
        log.info("reloaded", ["changed": changed])
    }

    /// Also when no setting changed: Apple's roots are files that no setting holds.
    private func replaceStores() {
        let keys = Credentials(configuration, in: keys.workspace)
        do throws(StartError) {
            stores.replace(with: try OpenStores(configuration, context))
        } catch {
            log.error("stores not reloaded, the old ones stay; correct it and send SIGHUP again", ["problem": error])
        }
        services.replace(
            access: keys.access(configuration.allowedOrigins),
            verifiers: stores.value.verifiers,
            apple: stores.value[AppleStore.self].map { AppleServices($0) },
            google: stores.value[GoogleStore.self]?.reader
        )
    }
}
