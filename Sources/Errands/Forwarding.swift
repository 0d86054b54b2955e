public import Domain
internal import HTTPClient
public import Providers
internal import Stores

/// Has every Sandbox notification told to other servers as well: Apple takes one address only, and a team has many
/// staging servers.
///
/// Each gets the body that was posted here, signatures and all, from the queue of errands: the answer to the store does
/// not wait for it. Servers may forward to each other in a circle: a duplicate is never forwarded, so that each hears of
/// a notification twice at the most.
public struct ForwardingVerifier: StoreVerifier {
    private let verifier: any StoreVerifier
    private let addresses: [String]

    public init(_ verifier: any StoreVerifier, to addresses: [String]) {
        self.verifier = verifier
        self.addresses = addresses
    }

    public var asksStore: Bool { verifier.asksStore }

    public func verify(_ delivery: Delivery, now: Instant) throws(VerificationError) -> Event {
        var event = try verifier.verify(delivery, now: now)
        guard event.environment == .sandbox else { return event }
        event.errands += addresses.map { address in
            Errand(
                kind: .forward,
                provider: event.provider,
                environment: event.environment,
                app: event.app,
                subject: address,
                // Else the next notification for that server would be the same errand.
                detail: event.id
            )
        }
        return event
    }

    /// Other servers have been told when it was new.
    public func reread(_ stored: StoredDelivery) throws(VerificationError) -> Event? {
        try verifier.reread(stored)
    }
}

/// Posts a body to another server. Blocks.
struct Forwarder: Sendable {
    var client = HTTPClient(timeout: .seconds(10))

    /// Only a body that the other server calls malformed is given up at once: it may be starting, or not built yet.
    func post(_ body: [UInt8], to address: String, now: Instant) throws(StoreAPIError) {
        let response: HTTPClient.Response
        do throws(HTTPClientError) {
            response = try client.send("POST", address, headers: [("Content-Type", "application/json")], body: body)
        } catch {
            throw .unavailable(reason: error.description)
        }
        switch response.status {
        case 200..<300: return
        case 413: throw .refused(status: response.status, code: nil, reason: "it does not take the body")
        default:
            let seconds = response.header("Retry-After").flatMap { Int64($0) }.map { min(max($0, 0), 3600) }
            let after = seconds.map { now + .seconds($0) }
            throw .unavailable(reason: "it answered \(response.status)", after: after)
        }
    }
}
