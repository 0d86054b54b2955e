public import Domain
import HTTPClient

/// A store's own API, which says what the store knows about a contract. Calls block: never use it on a loop.
public protocol StoreAPI: Sendable {
    /// The store's statement of the contract as of now, to be committed like a webhook's. Nil if the store does not
    /// know the contract.
    func statement(of contract: ContractKey, now: Instant) throws(StoreAPIError) -> Event?

    /// Does one job. It also succeeds when the job was done before. Returns what the store was asked for, to be committed like
    /// a webhook's.
    @discardableResult
    func perform(_ job: Job, now: Instant) throws(StoreAPIError) -> [Event]
}

/// Receives the result of each call to a store's API: nil after an answer. It runs on any thread and must not block.
public typealias StoreCallObserver = @Sendable (StoreAPIError?) -> Void

/// Makes a call and reports how it ended.
public func witnessed<Answer>(
    by observer: StoreCallObserver,
    call: () throws(StoreAPIError) -> Answer
) throws(StoreAPIError) -> Answer {
    do throws(StoreAPIError) {
        let answer = try call()
        observer(nil)
        return answer
    } catch {
        observer(error)
        throw error
    }
}

extension HTTPClient {
    /// Asks a store; no answer at all may be one later.
    func ask(
        _ method: String,
        at url: String,
        headers: [(String, String)] = [],
        body: [UInt8]? = nil
    ) throws(StoreAPIError) -> Response {
        do throws(HTTPClientError) {
            return try send(method, to: url, headers: headers, body: body)
        } catch {
            throw .unavailable(reason: error.description)
        }
    }
}

/// Why a call to a store's API failed. Safe to print: contains no URL beyond the origin, and no token.
public enum StoreAPIError: Error, Equatable, CustomStringConvertible {
    /// No answer, or a request to retry: `after`, when the store says when.
    case unavailable(reason: String, after: Instant? = nil)
    /// The store does not accept the key.
    case unauthorized(reason: String)
    /// The answer will always be the same.
    case refused(status: Int, code: String?, reason: String)
    /// An answer that cannot be read or verified.
    case unreadable(reason: String)
    /// The store will know what was asked for, but does not know it yet.
    case notYetKnown(reason: String)

    /// Other callers would get no better answer now.
    public var concernsTheWholeStore: Bool {
        switch self {
        case .unavailable, .unauthorized: true
        case .refused, .unreadable, .notYetKnown: false
        }
    }

    public var description: String {
        switch self {
        case .unavailable(let reason, _): "the store does not answer: \(reason); it will be asked again"
        case .unauthorized(let reason): "the store does not accept the key: \(reason)"
        case .refused(let status, let code, let reason):
            "the store answered \(status)\(code.map { " (\($0))" } ?? ""): \(reason)"
        case .unreadable(let reason): "the store's answer cannot be used: \(reason)"
        case .notYetKnown(let reason): "the store does not know it yet: \(reason); it will be asked again"
        }
    }
}

extension StoreAPIError {
    /// How many seconds after `now` it may be asked again: when the store says, or in half a minute.
    public func wait(at now: Instant) -> Int {
        guard case .unavailable(_, let after?) = self, after > now else { return 30 }
        return Int(clamping: (after.milliseconds - now.milliseconds + 999) / 1000)
    }

    /// What `Retry-After` says: seconds, or as Apple writes it, an absolute UNIX time in milliseconds
    /// (https://developer.apple.com/documentation/appstoreserverapi/identifying-rate-limits). Limits apply per hour at most, so
    /// no pause is longer.
    static func comeback(_ retryAfter: String?, now: Instant) -> Instant? {
        guard let number = retryAfter.flatMap({ Int64($0) }), number >= 0 else { return nil }
        let after = number > 10_000_000_000 ? Instant(milliseconds: number) : now + .seconds(number)
        return min(max(after, now), now + .seconds(3600))
    }

    /// What whoever waits for the answer is told.
    public var silence: VerificationError.Silence {
        switch self {
        case .unavailable: .noAnswer
        case .unauthorized: .refusedKey
        case .refused: .refusedQuestion
        case .unreadable: .unreadable
        case .notYetKnown: .notYetKnown
        }
    }
}
