internal import Crypto
public import Domain
internal import Glibc
public import Providers

extension Configuration {
    public struct Apple: Sendable {
        /// Which apps are ours.
        public enum Bundles: Sendable, Equatable {
            /// The routes answer 503 `not_configured`.
            case none
            /// In development, when none is named.
            case any
            case only(Set<String>)
        }

        /// The key of the App Store Server API (https://developer.apple.com/documentation/appstoreserverapi).
        public struct ServerKey: Sendable, Equatable {
            /// PEM of the `.p8` file.
            public var key: Secret
            public var id: String
            public var issuer: String
        }

        /// `PAYCAST_APPLE_BUNDLE_ID`.
        public var bundles: Bundles
        /// `PAYCAST_APPLE_APP_ID`: each bundle's, in the same order. `any` is only possible in development or without
        /// Production.
        public var appIDs: AppleConfiguration.AppIDs
        /// `PAYCAST_APPLE_ENVIRONMENTS`, Production,Sandbox.
        public var environments: Set<StoreEnvironment>
        /// `PAYCAST_APPLE_ROOTS`: a file or folder that replaces the built-in roots.
        public var rootsPath: String?
        /// `PAYCAST_APPLE_API_KEY` (PEM, or the path of a `.p8` file), `…_KEY_ID`, `…_ISSUER_ID`.
        public var serverKey: ServerKey?
        /// `PAYCAST_APPLE_API_URL`; nil is Apple's own address of each environment.
        public var apiURL: String?

        init(_ reader: inout ConfigurationReader) {
            let named = reader.list("PAYCAST_APPLE_BUNDLE_ID", expected: "a bundle id", isAppName)
            bundles = named.isEmpty ? (reader.isDevelopment ? .any : .none) : .only(Set(named))
            environments = reader.appleEnvironments()
            appIDs = reader.appleAppIDs(of: named)
            rootsPath = reader.appleRoots()
            serverKey = reader.appleServerKey()
            apiURL = reader.baseURL("PAYCAST_APPLE_API_URL")
            let needsAppID = environments.contains(.production) && !named.isEmpty && !reader.isDevelopment
            if needsAppID && reader.given("PAYCAST_APPLE_APP_ID") == nil {
                reader.reject(
                    "PAYCAST_APPLE_APP_ID",
                    "is required when Production is served: the numeric Apple ID of the app"
                )
            }
        }
    }
}

extension ConfigurationReader {
    fileprivate mutating func appleEnvironments() -> Set<StoreEnvironment> {
        guard given("PAYCAST_APPLE_ENVIRONMENTS") != nil else { return [.production, .sandbox] }
        let names = list("PAYCAST_APPLE_ENVIRONMENTS", expected: "Production or Sandbox") {
            StoreEnvironment(rawValue: $0) != nil || isUnsigned($0)
        }
        for name in names where isUnsigned(name) {
            reject("PAYCAST_APPLE_ENVIRONMENTS", "\(name) is never served: Apple does not sign it")
        }
        return Set(names.compactMap { StoreEnvironment(rawValue: $0) })
    }

    /// One for each bundle id, by its place in the list.
    fileprivate mutating func appleAppIDs(of bundles: [String]) -> AppleConfiguration.AppIDs {
        let name = "PAYCAST_APPLE_APP_ID"
        let ids = list(name, expected: "a numeric app id such as 1234567890") { (Int64($0) ?? 0) > 0 }
            .compactMap { Int64($0) }
        guard !ids.isEmpty else { return .any }
        guard !bundles.isEmpty else { return .only(Set(ids)) }
        if ids.count > bundles.count {
            reject(name, "has \(ids.count) app ids for \(bundles.count) bundle ids: one for each, in the same order")
        }
        for bundle in bundles.dropFirst(ids.count) {
            warn("\(bundle) is not served in Production: PAYCAST_APPLE_APP_ID has no app id in its place")
        }
        return .each(Dictionary(zip(bundles, ids)) { first, _ in first })
    }

    fileprivate mutating func appleRoots() -> String? {
        guard let given = given("PAYCAST_APPLE_ROOTS") else { return nil }
        if access(given.value, R_OK) != 0 { reject(given.name, "\(shown(given.value)) cannot be read") }
        warn("PAYCAST_APPLE_ROOTS replaces Apple's own roots")
        return given.value
    }

    /// All three settings, or none.
    fileprivate mutating func appleServerKey() -> Configuration.Apple.ServerKey? {
        let names = ["PAYCAST_APPLE_API_KEY", "PAYCAST_APPLE_API_KEY_ID", "PAYCAST_APPLE_API_ISSUER_ID"]
        let values = names.compactMap { given($0)?.value }
        guard values.count == names.count else {
            for name in names where !values.isEmpty && given(name) == nil {
                reject(name, "is missing: the three \(names[0])… settings belong together")
            }
            return nil
        }
        guard let key = values[0].hasPrefix("-----BEGIN") ? values[0] : contents(of: values[0]) else {
            reject(names[0], "is neither a PEM key nor a file that can be read")
            return nil
        }
        guard let parsed = try? PrivateKey(pem: key), parsed.curve == .p256 else {
            reject(names[0], "is not a P-256 key in PEM, as App Store Connect gives it")
            return nil
        }
        return .init(key: Configuration.Secret(key), id: values[1], issuer: values[2])
    }
}

private func isUnsigned(_ environment: String) -> Bool {
    environment == "Xcode" || environment == "LocalTesting"
}

/// A bundle id or a package name.
func isAppName(_ text: String) -> Bool {
    isPlain(text)
        && text.utf8.allSatisfy {
            (48...57).contains($0) || (65...90).contains($0) || (97...122).contains($0) || [45, 46, 95].contains($0)
        }
}

/// A small text file; nil when it cannot be read or is larger than 64 KiB.
func contents(of path: String) -> String? {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    var bytes = [UInt8](repeating: 0, count: (64 << 10) + 1)
    let count = read(descriptor, &bytes, bytes.count)
    guard count > 0, count < bytes.count else { return nil }
    return String(decoding: bytes.prefix(count), as: UTF8.self)
}
