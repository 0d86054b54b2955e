public import APIModel
public import Domain
public import Encoding

/// An offer that a store sells only with the seller's signature: the members of `POST /offers/{store}` that are the
/// store's own.
public protocol RequestedOffer: Sendable {
    associatedtype Opened: OpenStore

    /// The variable that lists the offers for which `isOpen` is true.
    static var setting: String { get }

    /// Reads `body` strictly.
    init(_ body: JSONNode) throws(RefusedBody)

    /// Whether the operator lets apps ask for it, without the backend's key: for everybody who has a stream.
    func isOpen(at store: Opened) -> Bool

    /// The signed text that the app hands to the store, issued at `now`.
    func sign(with store: Opened, now: Instant) throws(RefusedOffer) -> String
}

/// Why an offer is not signed. Safe to answer.
public enum RefusedOffer: Error, Sendable {
    /// As a webhook would be.
    case unserved(VerificationError)
    /// The request lacks something with this store's settings.
    case incomplete(RefusedBody)
    /// The variable with the key that signs is not set.
    case noKey(variable: String)
}
