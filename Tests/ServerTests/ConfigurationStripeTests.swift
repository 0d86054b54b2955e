import Domain
import Server
import Stores
import Support
import Testing

@Suite struct ConfigurationStripeTests {
    private static let secrets = ["PAYCAST_STRIPE_SECRETS": "whsec_0123456789, whsec_9876543210"]

    @Test func defaults() throws {
        let stripe = try #require(try Configuration(environment: Self.secrets)[StripeStore.self])
        #expect(stripe.secrets.map(\.value) == ["whsec_0123456789", "whsec_9876543210"])
        #expect(stripe.apiKey == nil && stripe.accounts.isEmpty)
        #expect(stripe.apiURL == "https://api.stripe.com")
    }

    @Test func connectedAccounts() throws {
        let accounts = ["PAYCAST_STRIPE_ACCOUNTS": "acct_1, acct_2"]
        let configuration = try Configuration(environment: Self.secrets.merging(accounts) { $1 })
        #expect(configuration[StripeStore.self]?.accounts == ["acct_1", "acct_2"])
    }

    /// Who may read the subscription again asks before its end is believed.
    @Test func keyMakesStripeReconcilable() throws {
        #expect(!(try Configuration(environment: Self.secrets).accessPolicy.apis.contains(.stripe)))
        let key = ["PAYCAST_STRIPE_API_KEY": "rk_live_0123456789"]
        let configuration = try Configuration(environment: Self.secrets.merging(key) { $1 })
        #expect(configuration.accessPolicy.apis.contains(.stripe))
        #expect(!"\(configuration)".contains("rk_live_0123456789"))
        #expect(try Configuration(isDevelopment: true, environment: key)[StripeStore.self]?.apiKey != nil)
    }
}
