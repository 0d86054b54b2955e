internal import Domain
internal import Providers
internal import Runtime
internal import Simulator
internal import Stores

/// What proves Google's pushes and reads the purchases that they are about.
struct GoogleParts {
    let verifier: GoogleReader
    let api: GooglePlayAPI
}

extension StoreParts {
    /// Nil without a package or a service account: a push says nothing without the purchase. In development the
    /// workspace's key and the stand-in take the place of what is not set.
    static func google(
        _ configuration: Configuration,
        _ keys: Keys,
        _ clock: Clock,
        _ own: OwnAddress,
        _ log: Log
    ) -> GoogleParts? {
        let google = configuration.google
        let isDevelopment = keys.workspace != nil
        guard isDevelopment || !google.packages.isEmpty && google.credentials != nil else { return nil }
        let standIn: @Sendable () -> String? = { own.value.map { "\($0)/demo/api/google" } }
        let given = google.credentials.flatMap { GoogleCredentials(json: $0.value) }
        let isStandIn = isDevelopment && given == nil
        let apiURL = google.apiURL
        let workspace = keys.workspace
        let api = GooglePlayAPI(
            catalog: configuration.accessPolicy.catalog,
            clock: clock.now,
            credentials: {
                if let given { return given }
                guard let workspace, let base = apiURL ?? standIn() else { return nil }
                return GoogleCredentials(
                    account: SimulatedGooglePlay.serviceAccount,
                    keyID: SimulatedGooglePlay.keyID,
                    key: workspace.google,
                    tokenAddress: "\(base)/token"
                )
            },
            address: { apiURL ?? (isStandIn ? standIn() : GooglePlayAPI.address) }
        )
        let verifier = GoogleReader(
            packages: google.packages.isEmpty ? .any : .only(google.packages),
            expected: .init(
                audience: google.audience ?? SimulatedGooglePlay.audience,
                account: google.pushAccount ?? SimulatedGooglePlay.pushAccount
            ),
            keys: StoreParts.googleKeys(google, isDevelopment, standIn),
            api: api
        ) { log.warning("google not read", ["reason": $0]) }
        return GoogleParts(verifier: verifier, api: api)
    }

    /// In development the simulated store pushes, unless somebody else is expected.
    private static func googleKeys(
        _ google: Configuration.Google,
        _ isDevelopment: Bool,
        _ standIn: @escaping @Sendable () -> String?
    ) -> GoogleKeys {
        let isStandIn = isDevelopment && google.pushAccount == nil
        let given = google.certsURL
        return GoogleKeys { given ?? (isStandIn ? standIn().map { "\($0)/certs" } : GoogleKeys.address) }
    }
}
