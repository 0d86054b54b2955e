internal import Domain
internal import Providers
internal import Simulator

extension StoreParts {
    /// Nil: not configured. In development the workspace's own value serves.
    static func revenueCat(_ configuration: Configuration, _ keys: Keys) -> RevenueCatVerifier? {
        let authorization = configuration.revenueCat.authorization?.value ?? keys.workspace?.storeSecrets.revenueCat
        let catalog = configuration.accessPolicy.catalog
        return authorization.flatMap { RevenueCatVerifier(authorization: $0, catalog: catalog) }
    }
}
