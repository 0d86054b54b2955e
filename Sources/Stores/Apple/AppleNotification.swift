internal import Domain

/// The posted body: `{"signedPayload": JWS}`. Version 1 has other members and no signature.
struct AppleBody: Decodable {
    var signedPayload: String?
    var isVersionOne: Bool

    enum CodingKeys: String, CodingKey {
        case signedPayload
        case unifiedReceipt = "unified_receipt"
        case notificationType = "notification_type"
    }

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        signedPayload = try container.decodeIfPresent(String.self, forKey: .signedPayload)
        isVersionOne = container.contains(.unifiedReceipt) || container.contains(.notificationType)
    }
}

/// `responseBodyV2DecodedPayload`: the outer document.
struct AppleNotification: SignedDocument {
    var notificationType: String
    var subtype: String?
    var notificationUUID: String
    var signedDate: AppleDate?
    var data: Payload?
    var summary: Summary?
    var externalPurchaseToken: ExternalPurchaseToken?
    var appData: AppData?

    var signedAt: Instant? { signedDate?.instant }

    struct Payload: Decodable {
        var environment: String?
        var appAppleId: Int64?
        var bundleId: String?
        var status: Int?
        var signedTransactionInfo: String?
        var signedRenewalInfo: String?
    }

    struct Summary: Decodable {
        var environment: String?
        var appAppleId: Int64?
        var bundleId: String?
    }

    struct ExternalPurchaseToken: Decodable {
        var externalPurchaseId: String?
        var appAppleId: Int64?
        var bundleId: String?
    }

    struct AppData: Decodable {
        var environment: String?
        var appAppleId: Int64?
        var bundleId: String?
        var signedAppTransactionInfo: String?
    }

    /// The app and environment that it is for. Nil unless exactly one of the four members is present.
    var claims: AppleClaims? {
        let claims = [
            data.map { AppleClaims(bundle: $0.bundleId, app: $0.appAppleId, environment: $0.environment) },
            summary.map { AppleClaims(bundle: $0.bundleId, app: $0.appAppleId, environment: $0.environment) },
            externalPurchaseToken.map { AppleClaims(token: $0) },
            appData.map { AppleClaims(bundle: $0.bundleId, app: $0.appAppleId, environment: $0.environment) },
        ].compactMap { $0 }
        return claims.count == 1 ? claims[0] : nil
    }
}

/// The app and environment that a document names.
struct AppleClaims {
    var bundle: String?
    var app: Int64?
    var environment: String?
}

extension AppleClaims {
    /// A token does not state its environment, but the id's prefix does.
    init(token: AppleNotification.ExternalPurchaseToken) {
        let isSandbox = token.externalPurchaseId?.hasPrefix("SANDBOX") ?? false
        let environment: StoreEnvironment = isSandbox ? .sandbox : .production
        self.init(bundle: token.bundleId, app: token.appAppleId, environment: environment.rawValue)
    }
}
