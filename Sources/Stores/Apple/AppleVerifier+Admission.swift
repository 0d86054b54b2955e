internal import Domain

/// Which apps and environments a server listens to.
extension AppleVerifier {
    /// Where a purchase was made.
    struct Place {
        var app: String
        var environment: StoreEnvironment
    }

    /// Checks the app first, then the environment, as Apple's libraries do.
    func admit(_ claims: AppleClaims, isAppIDStated: Bool = true) throws(VerificationError) -> Place {
        guard let bundle = claims.bundle, isValidIdentifier(bundle), configuration.bundleIDs.contains(bundle) else {
            throw .wrongApp
        }
        let environment = claims.environment.flatMap { StoreEnvironment(rawValue: $0) }
        if environment == .production, isAppIDStated, !configuration.appIDs.contains(claims.app, of: bundle) {
            throw .wrongApp
        }
        guard let environment, configuration.environments.contains(environment) else {
            // A certificate of Xcode's proves nothing about a store.
            throw configuration.environments == [.xcode] ? .untrusted(.untrustedChain) : .wrongEnvironment
        }
        return Place(app: bundle, environment: environment)
    }
}
