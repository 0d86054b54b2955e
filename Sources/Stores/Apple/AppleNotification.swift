internal import Domain
internal import Encoding

/// The posted body: `{"signedPayload": JWS}`. Version 1 has other members and no signature.
struct AppleBody {
    let signedPayload: String?
    let isVersionOne: Bool

    init(_ body: [UInt8]) throws(VerificationError) {
        let object = try StoreObject(body)
        guard !object.has("signedPayload") || object["signedPayload"]?.text != nil else {
            throw .malformed(.invalidJSON)
        }
        signedPayload = object["signedPayload"]?.text
        isVersionOne = object["unified_receipt"] != nil || object["notification_type"] != nil
    }

    static func bytes(_ signedPayload: String) -> [UInt8] {
        Array(#"{"signedPayload":\#(JSONLiteral.literal(signedPayload))}"#.utf8)
    }
}

/// `responseBodyV2DecodedPayload`: the outer document.
struct AppleNotification: SignedDocument {
    let notificationType: String
    let subtype: String?
    let notificationUUID: String
    let signedAt: Instant?
    let data: Payload?
    let summary: AppleClaims?
    let externalPurchaseToken: AppleClaims?
    let appData: AppData?

    init(_ document: StoreObject) throws(VerificationError) {
        notificationType = try document.statedString("notificationType")
        subtype = try document.string("subtype")
        notificationUUID = try document.statedString("notificationUUID")
        signedAt = try document.appleDate("signedDate")
        data = try document.part("data").map(Payload.init)
        summary = try document.part("summary").map { object throws(VerificationError) in try AppleClaims(object) }
        externalPurchaseToken = try document.part("externalPurchaseToken").map(AppleClaims.init(token:))
        appData = try document.part("appData").map(AppData.init)
    }

    struct Payload {
        let claims: AppleClaims
        let status: Int64?
        let signedTransactionInfo: String?
        let signedRenewalInfo: String?

        init(_ object: StoreObject) throws(VerificationError) {
            claims = try AppleClaims(object)
            status = try object.wholeNumber("status")
            signedTransactionInfo = try object.string("signedTransactionInfo")
            signedRenewalInfo = try object.string("signedRenewalInfo")
        }
    }

    struct AppData {
        let claims: AppleClaims
        let signedAppTransactionInfo: String?

        init(_ object: StoreObject) throws(VerificationError) {
            claims = try AppleClaims(object)
            signedAppTransactionInfo = try object.string("signedAppTransactionInfo")
        }
    }

    /// The app and environment that it is for. Nil unless exactly one of the four members is present.
    var claims: AppleClaims? {
        let claims = [data?.claims, summary, externalPurchaseToken, appData?.claims].compactMap { $0 }
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
    init(_ object: StoreObject) throws(VerificationError) {
        bundle = try object.string("bundleId")
        app = try object.wholeNumber("appAppleId")
        environment = try object.string("environment")
    }

    /// A token does not state its environment, but the id's prefix does.
    init(token: StoreObject) throws(VerificationError) {
        let isSandbox = try token.string("externalPurchaseId")?.hasPrefix("SANDBOX") ?? false
        let environment: StoreEnvironment = isSandbox ? .sandbox : .production
        self.init(
            bundle: try token.string("bundleId"),
            app: try token.wholeNumber("appAppleId"),
            environment: environment.rawValue
        )
    }
}
