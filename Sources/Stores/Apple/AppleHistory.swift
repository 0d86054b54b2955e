public import Domain

/// Apple's notification history of one app in one environment. What a webhook brings goes through the same verifier, so
/// a notification counts once, whichever way it comes.
public struct AppleHistory: HistoryList {
    /// 400,000 notifications.
    public static let limits = HistoryLimits(ofAPiece: 500, ofARun: 20_000)

    public static let words = HistorySource.Words(
        thread: "recovery",
        read: "history read",
        unread: "history not read",
        lost: "history does not reach back"
    )

    public let app: String
    private let place: StoreEnvironment
    private let api: AppleServerAPI
    /// Apple's limits are 50 requests a second in Production and 5 in Sandbox.
    public var pause: Duration

    public init(of app: String, in environment: StoreEnvironment, api: AppleServerAPI) {
        self.app = app
        place = environment
        self.api = api.of(app)
        pause = .milliseconds(environment == .production ? 100 : 400)
    }

    public var environment: StoreEnvironment? { place }
    public var key: String { "history/apple/\(place.rawValue)/\(app)" }
    public var reach: Duration { .seconds(days * 86_400) }
    private var days: Int { place == .production ? 180 : 30 }

    public func page(_ query: HistoryQuery, now: Instant) throws(StoreAPIError) -> HistoryPage<[UInt8]> {
        try api.notificationHistory(query, in: place, now: now)
    }

    public func read(_ body: [UInt8], verifier: any StoreVerifier, now: Instant) throws(HistoryError) -> Event {
        do throws(VerificationError) {
            return try verifier.verify(Delivery(body: body), now: now)
        } catch {
            throw .refused(error)
        }
    }

    public func remedy(for error: StoreAPIError) -> HistoryRemedy? {
        if error.isTooFarBack { return .laterPiece }
        return error.isExpiredPage ? .firstPage : nil
    }

    public func hint(_ error: HistoryError) -> String? {
        guard case .refused(let error) = error, let suspects = error.suspects else { return nil }
        return """
            \(place.rawValue), \(app): all that Apple's history holds is refused as \(error.code); \
            check \(suspects), and start again: Apple keeps it for \(days) days
            """
    }
}

extension VerificationError {
    /// Advice for when Apple's own answer is refused with this error; nil when no setting cures it.
    fileprivate var suspects: String? {
        switch self {
        case .wrongApp: "PAYCAST_APPLE_APP_ID and PAYCAST_APPLE_BUNDLE_ID"
        case .wrongEnvironment: "PAYCAST_APPLE_ENVIRONMENTS and PAYCAST_APPLE_API_URL"
        case .notConfigured: "PAYCAST_APPLE_BUNDLE_ID"
        // The answer came over TLS, so the signer that is not trusted is Apple.
        case .untrusted: "PAYCAST_APPLE_ROOTS and this machine's clock"
        case .malformed, .storeUnreachable: nil
        }
    }
}
