internal import Domain
internal import HTTPClient

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
