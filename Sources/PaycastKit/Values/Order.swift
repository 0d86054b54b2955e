public import Foundation

/// What ties a purchase to a user: the token that the store echoes, and the stream that lets the app speak for the user.
public struct Order: Codable, Equatable, Sendable {
    /// The UUID of `POST /orders`, handed to the store as `appAccountToken`.
    public var token: UUID
    /// The order's `signed_stream`. Without it, and unless its user is logged in, the app can keep a purchase, but not post it:
    /// `buy` then returns `loggedOut` at once, and `problems` says so.
    public var stream: SignedStream?

    public init(token: UUID, stream: SignedStream? = nil) {
        self.token = token
        self.stream = stream
    }
}

/// A stream name signed by the server, such as `InVzZXI6NDI6cGF5d2FsbCI=--58f8…`. Whoever holds it may post purchases for
/// the stream's user and read the user's entitlements.
public struct SignedStream: RawRepresentable, Codable, Hashable, Sendable, ExpressibleByStringLiteral {
    public var rawValue: String

    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    public init(stringLiteral text: String) {
        rawValue = text
    }
}

/// What the name says of itself: `BASE64--SIGNATURE`, in the form of Rails' message verifier
/// (https://api.rubyonrails.org/classes/ActiveSupport/MessageVerifier.html). Only the server can check the signature.
extension SignedStream {
    /// How Rails writes a name that expires.
    private struct Envelope: Decodable {
        struct Content: Decodable {
            var data: String
            var exp: String?
        }
        var _rails: Content
    }

    /// The name without its signature and expiry, such as `user:42:paywall`. Two signings with the same owner belong to the
    /// same user. What is not in this form is its own owner.
    var owner: String { decoded(String.self) ?? decoded(Envelope.self)?._rails.data ?? rawValue }

    /// Whether the other one, of the same owner, counts for longer. A name without an end counts for ever.
    func isOlder(than other: SignedStream) -> Bool { owner == other.owner && expiry < other.expiry }

    private var expiry: Date {
        decoded(Envelope.self)?._rails.exp.flatMap { try? Instant.date(of: $0) } ?? .distantFuture
    }

    private func decoded<Payload: Decodable>(_ type: Payload.Type) -> Payload? {
        let base = (rawValue.components(separatedBy: "--").first ?? rawValue)
            .replacingOccurrences(of: "-", with: "+").replacingOccurrences(of: "_", with: "/")
        let padding = String(repeating: "=", count: (4 - base.count % 4) % 4)
        return Data(base64Encoded: base + padding).flatMap { try? JSONDecoder().decode(type, from: $0) }
    }
}

/// Makes the order of a purchase: usually a request to the app's own backend, which calls `POST /orders` with its key.
public protocol OrderSource: Sendable {
    /// Throws `PurchaseError.offline`, or a `URLError`, when nobody could be asked. After half a minute nobody waits for it.
    func order(for product: String) async throws -> Order
}
