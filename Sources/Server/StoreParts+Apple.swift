internal import Concurrency
internal import Domain
internal import Errands
internal import HTTPClient
internal import Providers
internal import Simulator
internal import Stores

/// Whom Paycast is at Apple, and which of Apple's histories are its own.
struct AppleParts {
    let api: AppleServerAPI
    let apps: [String]
    let places: [Recovery.Place]
    /// The answers come from this development server itself.
    let isStandIn: Bool
}

extension StoreParts {
    /// Nil without a key, or an app.
    static func appleParts(
        _ environments: Set<StoreEnvironment>,
        _ verifier: AppleVerifier?,
        _ apis: StoreAPIs
    ) -> AppleParts? {
        guard let verifier, let api = apis.apple(verifier, HTTPClient(timeout: .seconds(10))) else { return nil }
        let places = apis.appleApps.flatMap { app in
            StoreEnvironment.allCases.filter(environments.contains).map { Recovery.Place(app: app, environment: $0) }
        }
        return AppleParts(api: api, apps: apis.appleApps, places: places, isStandIn: apis.isAppleStandIn)
    }

    /// Apple's API in the development server, which posts its test notifications to this server.
    static func appleStandIn(_ keys: Keys, _ clock: Clock, _ own: OwnAddress) -> AppleStandIn? {
        keys.workspace.map { workspace in
            AppleStandIn(signer: workspace.signer, now: clock.now) { own.value.map { "\($0)/webhooks/apple" } }
        }
    }
}
