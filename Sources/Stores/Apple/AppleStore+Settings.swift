internal import Crypto
internal import Domain
internal import Glibc
internal import Support

extension SettingsReader {
    mutating func appleEnvironments() -> Set<StoreEnvironment> {
        guard given("PAYCAST_APPLE_ENVIRONMENTS") != nil else { return [.production, .sandbox] }
        let names = list("PAYCAST_APPLE_ENVIRONMENTS", expected: "Production or Sandbox") {
            environment($0) != nil || isUnsigned($0)
        }
        for name in names where isUnsigned(name) {
            let why = "\(name) is never served: Apple does not sign it"
            let instead = name == "Xcode" ? "; paycast serve --dev takes what Xcode signs, without a setting" : ""
            reject("PAYCAST_APPLE_ENVIRONMENTS", because: why + instead)
        }
        return Set(names.compactMap { environment($0) })
    }

    /// One for each bundle id, by its place in the list.
    mutating func appleAppIDs(of bundles: [String]) -> AppleConfiguration.AppIDs {
        let name = "PAYCAST_APPLE_APP_ID"
        let ids = list(name, expected: "a numeric app id such as 1234567890") { (Int64($0) ?? 0) > 0 }
            .compactMap { Int64($0) }
        guard !ids.isEmpty else { return .any }
        guard !bundles.isEmpty else { return .only(Set(ids)) }
        if ids.count > bundles.count {
            reject(
                name,
                because: "has \(ids.count) app ids for \(bundles.count) bundle ids: one for each, in the same order"
            )
        }
        for bundle in bundles.dropFirst(ids.count) {
            warn("\(bundle) is not served in Production: PAYCAST_APPLE_APP_ID has no app id for it")
        }
        return .each(Dictionary(zip(bundles, ids)) { first, _ in first })
    }

    /// Outside development, Production needs an app id: without one, every app that shares the bundle id would count.
    mutating func requireAppleAppID(of bundles: [String], in environments: Set<StoreEnvironment>) {
        let name = "PAYCAST_APPLE_APP_ID"
        guard environments.contains(.production), !bundles.isEmpty, !isDevelopment, given(name) == nil else { return }
        reject(name, because: "is required when Production is served: the numeric Apple ID of the app")
    }

    mutating func appleOpenOffers() -> Set<String> {
        let offers = list(RequestedAppleOffer.setting, expected: "PRODUCT:OFFER") { item in
            item.split(separator: ":", omittingEmptySubsequences: false).count == 2 && !item.hasPrefix(":")
                && !item.hasSuffix(":")
        }
        return Set(offers)
    }

    mutating func appleRoots() -> String? {
        guard let given = given("PAYCAST_APPLE_ROOTS") else { return nil }
        if access(given.value, R_OK) != 0 { reject(given.name, because: "\(quoted(given.value)) cannot be read") }
        warn("PAYCAST_APPLE_ROOTS replaces Apple's own roots")
        return given.value
    }

    /// All three settings, or none.
    mutating func appleServerKey() -> AppleStore.ServerKey? {
        let names = ["PAYCAST_APPLE_API_KEY", "PAYCAST_APPLE_API_KEY_ID", "PAYCAST_APPLE_API_ISSUER_ID"]
        let values = names.compactMap { given($0)?.value }
        guard values.count == names.count else {
            for name in names where !values.isEmpty && given(name) == nil {
                reject(name, because: "is missing: the three \(names[0])… settings belong together")
            }
            return nil
        }
        guard let key = values[0].hasPrefix("-----BEGIN") ? values[0] : contents(of: values[0]) else {
            reject(names[0], because: "is neither a PEM key nor a file that can be read")
            return nil
        }
        guard let parsed = try? PrivateKey(pem: key), parsed.curve == .p256 else {
            reject(names[0], because: "is not a P-256 key in PEM, as App Store Connect gives it")
            return nil
        }
        return .init(key: Secret(key), id: values[1], issuer: values[2])
    }
}

private func environment(_ name: String) -> StoreEnvironment? {
    StoreEnvironment.ofStores.first { $0.rawValue == name }
}

private func isUnsigned(_ environment: String) -> Bool {
    environment == "Xcode" || environment == "LocalTesting"
}
