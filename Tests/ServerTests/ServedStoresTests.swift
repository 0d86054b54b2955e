import Domain
import Server
import Simulator
import Stores
import Testing

@Suite struct ServedStoresTests {
    struct Case: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var environment: [String: String] = [:]
        var isDevelopment = false
        var served: [Provider] = []
        var gaps: [Configuration.Gap] = []
    }

    private static let key = "0123456789abcdef"

    @Test(arguments: [
        Case(testDescription: "nothing", gaps: [.store, .streamKey]),
        Case(testDescription: "development", isDevelopment: true, served: Stores.sellers.map { $0.provider }),
        Case(
            testDescription: "Stripe and a Rails app",
            environment: ["PAYCAST_STRIPE_SECRETS": key, "SECRET_KEY_BASE": key],
            served: [.stripe]
        ),
        Case(
            testDescription: "the others",
            environment: [
                "PAYCAST_REVENUECAT_AUTHORIZATION": key, "PAYCAST_PURCHASEKIT_SECRET": key,
                "PAYCAST_APPLE_BUNDLE_ID": "com.example.app", "PAYCAST_APPLE_APP_ID": "1", "PAYCAST_STREAM_KEYS": key,
            ],
            served: [.apple, .revenuecat, .purchasekit]
        ),
        Case(
            testDescription: "Google without what reads its purchases",
            environment: [
                "PAYCAST_GOOGLE_PACKAGE": "com.example.app", "PAYCAST_GOOGLE_AUDIENCE": "x",
                "PAYCAST_GOOGLE_PUSH_ACCOUNT": "x", "PAYCAST_STREAM_KEYS": key,
            ],
            gaps: [.store]
        ),
    ]) func followFromTheSettings(_ given: Case) throws {
        let configuration = try Configuration(isDevelopment: given.isDevelopment, environment: given.environment)
        #expect(configuration.servedStores == given.served)
        #expect(configuration.gaps == given.gaps)
        for store in configuration.stores where type(of: store).hasWebhooks {
            #expect(store.missingSettings.isEmpty == given.served.contains(type(of: store).provider))
        }
    }

    /// What a server does with a store beside its webhooks: the entries in the list say so.
    @Test func entriesSayWhatElseTheStoresTake() {
        #expect(Stores.all.filter { $0.transactions != nil }.map { $0.provider } == [.apple, .google, .stripe])
        #expect(Stores.all.filter { $0.receipts != nil }.map { $0.provider } == [.apple])
        #expect(Stores.all.compactMap { $0.historyKey } == ["PAYCAST_APPLE_API_KEY", "PAYCAST_GOOGLE_CREDENTIALS"])
        #expect(Stores.namesWithHistory == ["apple", "google"])
        #expect(Stores.all.filter { !$0.hasWebhooks }.map { $0.provider } == [.paycast])
    }

    /// So that the demo can sell there, and the console shows what an event says.
    @Test func everyStoreIsSimulatedAndShown() {
        #expect(Stores.sellers.map { $0.provider } == SimulatedStores.providers)
        for store in Stores.all { #expect(!store.fields.isEmpty, "\(store.title)") }
    }
}
