public import Domain
public import Support

/// The settings of Google Play.
public struct GoogleStore: Store {
    public static let provider = Provider.google
    public static let title = "Google Play"
    public static let transactions: (any PostedPurchase.Type)? = PostedGooglePurchase.self
    public static let webhookSecret = "PAYCAST_GOOGLE_AUDIENCE and PAYCAST_GOOGLE_PUSH_ACCOUNT"
    public static let appSetting = "PAYCAST_GOOGLE_PACKAGE"
    public static let historyKey: String? = "PAYCAST_GOOGLE_CREDENTIALS"

    /// `PAYCAST_GOOGLE_PACKAGE`; empty means that the route answers 503 `not_configured`.
    public var packages: Set<String>
    /// `PAYCAST_GOOGLE_AUDIENCE`: the `aud` of the push token.
    public var audience: String?
    /// `PAYCAST_GOOGLE_PUSH_ACCOUNT`: the `email` of the push token.
    public var pushAccount: String?
    /// `PAYCAST_GOOGLE_CREDENTIALS`: the content of the service account's JSON file. Without it, the route is served in
    /// development only, because a push just says that something changed.
    public var credentials: Secret?
    /// `PAYCAST_GOOGLE_CERTS_URL`; nil for Google's own address.
    public var certsURL: String?
    /// `PAYCAST_GOOGLE_API_URL`; nil for Google's own address.
    public var apiURL: String?
    private let isDevelopment: Bool

    public init(_ settings: inout SettingsReader) {
        packages = Set(settings.list("PAYCAST_GOOGLE_PACKAGE", expected: "a package name", isValid: isAppName))
        audience = settings.given("PAYCAST_GOOGLE_AUDIENCE")?.value
        pushAccount = settings.given("PAYCAST_GOOGLE_PUSH_ACCOUNT")?.value
        credentials = settings.googleCredentials()
        certsURL = settings.baseURL("PAYCAST_GOOGLE_CERTS_URL")
        apiURL = settings.baseURL("PAYCAST_GOOGLE_API_URL")
        isDevelopment = settings.isDevelopment
        if !packages.isEmpty, settings.given("PAYCAST_GOOGLE_CREDENTIALS") == nil, !settings.isDevelopment {
            settings.warn(
                "PAYCAST_GOOGLE_CREDENTIALS is not set: /webhooks/google answers 503, purchases cannot be read"
            )
        }
        // Without them, any Google account could sign for us.
        let needed = [("PAYCAST_GOOGLE_AUDIENCE", audience), ("PAYCAST_GOOGLE_PUSH_ACCOUNT", pushAccount)]
        for (name, value) in needed where value == nil && !packages.isEmpty && !settings.isDevelopment {
            settings.reject(name, because: "is required with PAYCAST_GOOGLE_PACKAGE: it proves who pushes")
        }
    }

    /// A push of Pub/Sub has a number as its id, and a token.
    public static func claimedID(of delivery: Delivery) -> String? {
        guard (try? GooglePushToken(delivery.authorization)) != nil,
            let id = ClaimedID.text("messageId", in: ClaimedID.object(delivery.body)?.object("message")),
            id.utf8.allSatisfy({ (48...57).contains($0) })
        else { return nil }
        return id
    }

    public var missingSettings: [String] {
        guard !isDevelopment else { return [] }
        let needed: KeyValuePairs = [
            "PAYCAST_GOOGLE_PACKAGE": !packages.isEmpty, "PAYCAST_GOOGLE_CREDENTIALS": credentials != nil,
        ]
        return needed.filter { !$0.value }.map(\.key)
    }

    public var isExpected: Bool { isDevelopment || !packages.isEmpty }
    public var hasAPI: Bool { missingSettings.isEmpty }

    public mutating func reload(from new: GoogleStore, changes: inout SettingsChanges) {
        changes.take("PAYCAST_GOOGLE_CREDENTIALS", into: &credentials, from: new.credentials)
    }
}

extension SettingsReader {
    fileprivate mutating func googleCredentials() -> Secret? {
        guard let given = given("PAYCAST_GOOGLE_CREDENTIALS") else { return nil }
        guard let text = contents(of: given.value) else {
            reject(given.name, because: "\(shownPath(given.value)) is not a file that can be read")
            return nil
        }
        if GoogleCredentials(json: text) != nil { return Secret(text) }
        reject(given.name, because: "\(shownPath(given.value)) is not the JSON key file of a service account")
        return nil
    }
}
