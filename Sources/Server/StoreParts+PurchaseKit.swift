internal import Domain
internal import Providers
internal import Simulator

extension StoreParts {
    /// Nil: not configured. In development the workspace's own secret serves.
    static func purchaseKit(_ configuration: Configuration, _ keys: Keys) -> PurchaseKitVerifier? {
        let secret = configuration.purchaseKit.secret?.value ?? keys.workspace?.storeSecrets.purchaseKit
        let catalog = configuration.accessPolicy.catalog
        return secret.flatMap { PurchaseKitVerifier(secret: $0, catalog: catalog) }
    }
}
