import Domain
import Encoding
import HTTPClient

/// The connection to Apple: authorizes requests, and distinguishes answers from refusals. Blocks.
struct AppleTransport: Sendable {
    let tokens: AppleAPITokens
    /// The address of each environment that is served; nil while it is unknown.
    let address: @Sendable (StoreEnvironment) -> String?
    let client: HTTPClient
    let observer: StoreCallObserver

    func serves(_ environment: StoreEnvironment) -> Bool { address(environment) != nil }

    /// Returns the body of a successful answer.
    func send(
        _ call: AppleCall,
        for app: String,
        in environment: StoreEnvironment,
        now: Instant
    ) throws(StoreAPIError) -> [UInt8] {
        guard let address = address(environment) else {
            throw .unavailable(reason: "no address is known for \(environment.rawValue)")
        }
        return try witnessed(by: observer) { () throws(StoreAPIError) in
            let response = try exchange(call, at: address, bearer: try bearer(app, now: now))
            guard (200..<300).contains(response.status) else {
                throw AppleRefusal(
                    status: response.status,
                    retryAfter: response.header("Retry-After"),
                    body: response.body,
                    environment: environment
                ).error(now: now)
            }
            return response.body
        }
    }

    private func bearer(_ app: String, now: Instant) throws(StoreAPIError) -> String {
        do {
            return try tokens.bearer(for: app, now: now)
        } catch {
            throw .unauthorized(reason: "PAYCAST_APPLE_API_KEY cannot sign; create a new key in App Store Connect")
        }
    }

    private func exchange(
        _ call: AppleCall,
        at address: String,
        bearer: String
    ) throws(StoreAPIError) -> HTTPClient.Response {
        let content = call.body == nil ? [] : [("Content-Type", "application/json")]
        do throws(HTTPClientError) {
            return try client.send(
                call.method,
                to: address + call.target,
                headers: [("Authorization", bearer), ("Accept", "application/json")] + content,
                body: call.body
            )
        } catch {
            switch error {
            case .tooLarge, .invalidURL, .invalidRequest: throw .unreadable(reason: error.description)
            default: throw .unavailable(reason: error.description)
            }
        }
    }
}

/// One request to the App Store Server API, without the host and the credentials.
struct AppleCall: Equatable {
    var method = "GET"
    var path: String
    var query: [String] = []
    var body: [UInt8]?

    /// The path and query that follow an environment's address.
    var target: String { query.isEmpty ? path : path + "?" + query.joined(separator: "&") }

    static func statuses(of id: String) -> AppleCall {
        AppleCall(path: "/inApps/v1/subscriptions/\(PercentEncoding.encode(id))")
    }

    /// Newest first, so that a page limit cuts off the oldest.
    static func history(of id: String, revision: String?) -> AppleCall {
        let revision = revision.map { ["revision=\(PercentEncoding.encode($0))"] } ?? []
        let path = "/inApps/v2/history/\(PercentEncoding.encode(id))"
        return AppleCall(path: path, query: ["sort=DESCENDING"] + revision)
    }

    /// The body is the same for every page, as Apple requires.
    static func notifications(_ query: HistoryQuery) -> AppleCall {
        let range = #""endDate":\#(query.end.milliseconds),"startDate":\#(query.start.milliseconds)"#
        let body = "{\(range)\(query.onlyFailures ? #","onlyFailures":true"# : "")}"
        return AppleCall(
            method: "POST",
            path: "/inApps/v1/notifications/history",
            query: query.token.map { ["paginationToken=\(PercentEncoding.encode($0))"] } ?? [],
            body: Array(body.utf8)
        )
    }

    static let test = AppleCall(method: "POST", path: "/inApps/v1/notifications/test")

    static func testStatus(_ token: String) -> AppleCall {
        AppleCall(path: "/inApps/v1/notifications/test/\(PercentEncoding.encode(token))")
    }

    static func setAccountToken(_ token: OrderToken, of id: String) -> AppleCall {
        AppleCall(
            method: "PUT",
            path: "/inApps/v1/transactions/\(PercentEncoding.encode(id))/appAccountToken",
            body: Array(#"{"appAccountToken":"\#(token.description)"}"#.utf8)
        )
    }

    static func finish(_ id: String) -> AppleCall {
        AppleCall(method: "POST", path: "/inApps/v1/transactions/\(PercentEncoding.encode(id))/finish")
    }
}
