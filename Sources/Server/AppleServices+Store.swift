internal import API
internal import AppleStore
internal import Domain
internal import StoreInterface

extension AppleServices {
    /// The services that the routes for apps need.
    init(_ store: OpenAppleStore) {
        self.init(
            transactions: store.apple,
            receipts: AppleReceiptVerifier(beside: store.apple),
            lookup: store.serverAPI.map { AppleLookup(api: $0, apps: store.apps) }
        )
    }
}
