import Domain
import Encoding

/// Apple's notification history. What a webhook brings goes through the same verifier, so a notification counts once,
/// whichever way it comes.
extension AppleServerAPI {
    static let historyWords = HistorySource.Words(
        thread: "recovery",
        read: "history read",
        unread: "history not read",
        lost: "history does not reach back"
    )

    /// The list of one app in one environment.
    func history(of app: String, in place: StoreEnvironment) -> HistoryList {
        let api = of(app)
        let days = place == .production ? 180 : 30
        return HistoryList(
            key: "history/apple/\(place.rawValue)/\(app)",
            app: app,
            environment: place,
            reach: .seconds(days * 86_400),
            // A run reads 400,000 notifications.
            pagesOfAPiece: 500,
            pagesOfARun: 20_000,
            // Apple's limits are 50 requests a second in Production and 5 in Sandbox.
            pause: .milliseconds(place == .production ? 100 : 400),
            page: { query, now throws(StoreAPIError) in
                let (bodies, next) = try api.notificationHistory(query, in: place, now: now)
                return (bodies.map { HistoryEntry($0) }, next)
            },
            remedy: { $0.remedy },
            hint: { error in
                guard case .refused(let error) = error, let suspects = error.suspects else { return nil }
                return """
                    \(place.rawValue), \(app): all that Apple's history holds is refused as \(error.code); \
                    check \(suspects), and start again: Apple keeps it for \(days) days
                    """
            }
        )
    }

    /// One page of the history: notifications as Apple posts them to `/webhooks/apple`, or would have; not verified yet.
    /// Apple keeps them for 180 days in Production and 30 in Sandbox.
    func notificationHistory(
        _ query: HistoryQuery,
        in environment: StoreEnvironment,
        now: Instant
    ) throws(StoreAPIError) -> (bodies: [[UInt8]], next: String?) {
        let token = query.token.map { "?paginationToken=\(PercentEncoding.encode($0))" } ?? ""
        // The same for every page, as Apple requires.
        let range = #""endDate":\#(query.end.milliseconds),"startDate":\#(query.start.milliseconds)"#
        let body = "{\(range)\(query.onlyFailures ? #","onlyFailures":true"# : "")}"
        let path = "/inApps/v1/notifications/history\(token)"
        let page = try ask("POST", path, body: Array(body.utf8), in: environment, now: now)
        let bodies = try documented { () throws(VerificationError) in
            try page.parts("notificationHistory").map { record throws(VerificationError) in
                AppleNotification.body(try record.statedString("signedPayload"))
            }
        }
        return (bodies, try next("paginationToken", of: page, after: query.token))
    }
}

extension HistoryEntry {
    fileprivate init(_ body: [UInt8]) {
        self.init(event: nil) { verifier, now throws(HistoryError) in
            do throws(VerificationError) {
                return try verifier.verify(Delivery(body: body), now: now)
            } catch {
                throw .refused(error)
            }
        }
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
