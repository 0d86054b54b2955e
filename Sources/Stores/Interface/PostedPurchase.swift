public import APIModel
public import Domain
public import Encoding

/// A purchase as an app posts it: the members of `POST /transactions/{store}` or `POST /receipts/{store}` that are the
/// store's own. Who owns the purchase is read in the same way for all stores.
public protocol PostedPurchase: Sendable {
    associatedtype Opened: OpenStore

    /// The log line of a refusal.
    static var refusal: StaticString { get }

    /// Whether `read` waits for the store's API.
    func asks(_ store: Opened) -> Bool

    /// True if no app posts there, only the backend.
    static var isForBackendAlone: Bool { get }

    /// True if nothing in it proves the purchase: then only the backend may post it, with its API key.
    var isVouchedOnly: Bool { get }

    /// Reads `body` strictly; `bytes` is that body as it was posted.
    init(_ body: JSONNode, bytes: [UInt8]) throws(RefusedBody)

    /// Proves the purchase, and says what it means.
    func read(with store: Opened, now: Instant) throws(RefusedPurchase) -> PurchaseReading
}

extension PostedPurchase {
    public static var isForBackendAlone: Bool { false }
    public var isVouchedOnly: Bool { Self.isForBackendAlone }
}

extension RefusedBody {
    /// A member that may be stored and shown.
    static func name(_ member: String, of body: JSONNode) throws(RefusedBody) -> String? {
        guard let name = try string(member, of: body) else { return nil }
        guard isValidIdentifier(name) else {
            throw mistyped(member, expected: "1 to 255 bytes without control characters")
        }
        return name
    }
}

/// A posted purchase, verified.
public struct PurchaseReading: Sendable {
    public enum Source: String, Sendable {
        /// The store answered.
        case store
        /// Its own signature proves it.
        case receipt
        /// Only the holder of the API key vouches for it.
        case verifyReceipt = "verify_receipt"
    }

    public var source: Source
    /// To be committed like a webhook's, one after the other; the newest purchase comes last.
    public var events: [Event]
    /// True if the poster has more than an id: ids are not secret, and anyone can write one into a receipt.
    public var isProof = true
}

/// Why a posted purchase is refused. Safe to answer and to log.
public enum RefusedPurchase: Error, Equatable, Sendable {
    /// As a webhook would be. `detail` is for the log.
    case unproven(VerificationError, detail: String? = nil)
    /// The store's API, asked at `at`, told nothing; it may say when to come back.
    case unanswered(StoreAPIError, at: Instant)
    /// The request is fine, but what the app kept is not. If it `isRetryable`, the store may say something else later.
    case unusable(code: String, message: String, isRetryable: Bool)

    public var code: String {
        switch self {
        case .unproven(let error, _): error.code
        case .unanswered(let error, _): VerificationError.storeUnreachable(error.silence).code
        case .unusable(let code, _, _): code
        }
    }

    public var message: String {
        switch self {
        case .unproven(let error, _): error.message
        case .unanswered(let error, _): VerificationError.storeUnreachable(error.silence).message
        case .unusable(_, let message, _): message
        }
    }

    public var detail: String? {
        switch self {
        case .unproven(_, let detail): detail
        case .unanswered(let error, _): error.description
        case .unusable: nil
        }
    }
}

extension RefusedPurchase {
    /// Without a key, nobody tells of a purchase that only has a name. `variable` holds the key.
    static func withoutKey(_ variable: String) -> RefusedPurchase {
        .unusable(
            code: "store_api_needed",
            message: "Only the store can tell of a purchase by its id, and is not asked: set \(variable).",
            isRetryable: false
        )
    }
}

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
    /// With this store's settings, the request lacks something, or names what is not there.
    case incomplete(RefusedBody)
    /// The variable with the key that signs is not set.
    case noKey(variable: String)
}
