internal import Domain
internal import Observability
internal import Providers
internal import Simulator
internal import Stores

/// What proves Stripe's events; with a key, what reads subscriptions again as well.
struct StripeParts {
    let verifier: any StoreVerifier
    let api: StripeAPI?
}

extension StoreParts {
    /// Nil without a secret. In development the workspace's takes the place of one.
    static func stripe(_ configuration: Configuration, _ keys: Keys, _ apis: StoreAPIs, _ log: Log) -> StripeParts? {
        let stripe = configuration.stripe
        let given = stripe.secrets.map(\.value)
        let secrets = given.isEmpty ? [keys.workspace?.storeSecrets.stripe].compactMap { $0 } : given
        guard
            let verifier = StripeVerifier(
                secrets: secrets,
                tolerance: stripe.tolerance,
                accounts: Set(stripe.accounts),
                catalog: configuration.accessPolicy.catalog
            )
        else { return nil }
        guard let api = apis.stripe else { return StripeParts(verifier: verifier, api: nil) }
        let reader = StripeReader(verifier, api) { log.warning("stripe not read", ["reason": $0]) }
        return StripeParts(verifier: reader, api: api)
    }
}
