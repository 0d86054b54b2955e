internal import Domain
internal import Stores

extension Configuration {
    public struct Google: Sendable {
        /// `PAYCAST_GOOGLE_PACKAGE`; empty means that the route answers 503 `not_configured`.
        public var packages: Set<String>
        /// `PAYCAST_GOOGLE_AUDIENCE`: the `aud` of the push token.
        public var audience: String?
        /// `PAYCAST_GOOGLE_PUSH_ACCOUNT`: the `email` of the push token.
        public var pushAccount: String?
        /// `PAYCAST_GOOGLE_CREDENTIALS`: what the service account's JSON file holds. Nil means not served outside
        /// development: a push only says that something changed.
        public var credentials: Secret?
        /// `PAYCAST_GOOGLE_CERTS_URL`; nil is Google's own address.
        public var certsURL: String?
        /// `PAYCAST_GOOGLE_API_URL`; nil is Google's own address.
        public var apiURL: String?

        var isServed: Bool { !packages.isEmpty && credentials != nil }

        init(_ reader: inout ConfigurationReader) {
            packages = Set(reader.list("PAYCAST_GOOGLE_PACKAGE", expected: "a package name", isAppName))
            audience = reader.given("PAYCAST_GOOGLE_AUDIENCE")?.value
            pushAccount = reader.given("PAYCAST_GOOGLE_PUSH_ACCOUNT")?.value
            credentials = reader.googleCredentials()
            certsURL = reader.baseURL("PAYCAST_GOOGLE_CERTS_URL")
            apiURL = reader.baseURL("PAYCAST_GOOGLE_API_URL")
            if !packages.isEmpty, reader.given("PAYCAST_GOOGLE_CREDENTIALS") == nil, !reader.isDevelopment {
                reader.warn(
                    "PAYCAST_GOOGLE_CREDENTIALS is not set: /webhooks/google answers 503, purchases cannot be read"
                )
            }
            // Without them, any Google account could sign for us.
            let needed = [("PAYCAST_GOOGLE_AUDIENCE", audience), ("PAYCAST_GOOGLE_PUSH_ACCOUNT", pushAccount)]
            for (name, value) in needed where value == nil && !packages.isEmpty && !reader.isDevelopment {
                reader.reject(name, "is required with PAYCAST_GOOGLE_PACKAGE: it proves who pushes")
            }
        }
    }

    public struct Stripe: Sendable {
        /// `PAYCAST_STRIPE_SECRETS`; empty means that the route answers 503 `not_configured`.
        public var secrets: [Secret]
        /// `PAYCAST_STRIPE_TOLERANCE` in seconds, 300; for the past and the future.
        public var tolerance: Duration
        /// `PAYCAST_STRIPE_ACCOUNTS`: the connected accounts that are served beside the endpoints' own.
        public var accounts: [String]
        /// `PAYCAST_STRIPE_API_KEY`: with it subscriptions are read again; nil believes the events alone.
        public var apiKey: Secret?
        /// `PAYCAST_STRIPE_API_URL`.
        public var apiURL: String

        init(_ reader: inout ConfigurationReader) {
            secrets = reader.secrets("PAYCAST_STRIPE_SECRETS")
            tolerance = .seconds(reader.number("PAYCAST_STRIPE_TOLERANCE", default: 300, in: 1...86_400))
            accounts = reader.list("PAYCAST_STRIPE_ACCOUNTS", expected: "acct_…, as Stripe shows them") {
                $0.hasPrefix("acct_")
            }
            apiKey = reader.secret("PAYCAST_STRIPE_API_KEY")
            apiURL = reader.baseURL("PAYCAST_STRIPE_API_URL") ?? "https://api.stripe.com"
            if apiKey != nil, secrets.isEmpty, !reader.isDevelopment {
                reader.reject("PAYCAST_STRIPE_SECRETS", "is required with PAYCAST_STRIPE_API_KEY: it proves who posts")
            }
        }
    }

    public struct RevenueCat: Sendable {
        /// `PAYCAST_REVENUECAT_AUTHORIZATION`: the exact header value.
        public var authorization: Secret?

        init(_ reader: inout ConfigurationReader) {
            authorization = reader.secret("PAYCAST_REVENUECAT_AUTHORIZATION")
        }
    }

    public struct PurchaseKit: Sendable {
        /// `PAYCAST_PURCHASEKIT_SECRET`.
        public var secret: Secret?

        init(_ reader: inout ConfigurationReader) {
            secret = reader.secret("PAYCAST_PURCHASEKIT_SECRET")
        }
    }
}

extension ConfigurationReader {
    fileprivate mutating func googleCredentials() -> Configuration.Secret? {
        guard let given = given("PAYCAST_GOOGLE_CREDENTIALS") else { return nil }
        guard let text = contents(of: given.value) else {
            reject(given.name, "\(shownPath(given.value)) is not a file that can be read")
            return nil
        }
        if GoogleCredentials(json: text) != nil { return Configuration.Secret(text) }
        reject(given.name, "\(shownPath(given.value)) is not the JSON key file of a service account")
        return nil
    }
}
