internal import Concurrency
internal import Domain
internal import Observability
internal import Providers
internal import Simulator
internal import Stores

/// What proves Google's pushes and reads the purchases that they are about.
struct GoogleParts {
    let verifier: GoogleReader
    let api: GooglePlayAPI
    /// Whose purchases Google is asked for by itself; those of the stand-in, when it answers.
    let packages: [String]
    /// The answers come from this development server itself.
    let isStandIn: Bool
}

extension StoreParts {
    /// Nil without a package or a service account: a push says nothing without the purchase. In development the
    /// workspace's key and the stand-in take the place of what is not set.
    static func google(
        _ configuration: Configuration,
        _ keys: Keys,
        _ clock: Clock,
        _ apis: StoreAPIs,
        _ log: Log
    ) -> GoogleParts? {
        let google = configuration.google
        let isDevelopment = keys.workspace != nil
        guard isDevelopment || !google.packages.isEmpty, let api = apis.google(clock: clock.now) else { return nil }
        let verifier = GoogleReader(
            packages: google.packages.isEmpty ? .any : .only(google.packages),
            standardPackage: google.packages.isEmpty ? SimulatedGooglePlay.package : nil,
            expected: .init(
                audience: google.audience ?? SimulatedGooglePlay.audience,
                account: google.pushAccount ?? SimulatedGooglePlay.pushAccount
            ),
            keys: StoreParts.googleKeys(google, isDevelopment, apis),
            api: api
        ) { log.warning("google not read", ["reason": $0]) }
        let isStandIn = isDevelopment && google.credentials == nil && google.apiURL == nil
        let packages = google.packages.isEmpty && isStandIn ? [SimulatedGooglePlay.package] : google.packages
        return GoogleParts(verifier: verifier, api: api, packages: packages.sorted(), isStandIn: isStandIn)
    }

    /// In development the simulated store pushes, unless somebody else is expected.
    private static func googleKeys(
        _ google: Configuration.Google,
        _ isDevelopment: Bool,
        _ apis: StoreAPIs
    ) -> GoogleKeys {
        let isStandIn = isDevelopment && google.pushAccount == nil
        let given = google.certsURL
        return GoogleKeys { given ?? (isStandIn ? apis.standIn("google").map { "\($0)/certs" } : GoogleKeys.address) }
    }
}
