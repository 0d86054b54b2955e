public import Domain

/// A store's own API, asked what it holds of a contract. Calls block: never on a loop.
public protocol StoreAPI: Sendable {
    /// The store's statement of the contract as of now, to be committed like a webhook's. Nil if the store does not know the contract.
    func statement(of contract: ContractKey, now: Instant) throws(StoreAPIError) -> Event?

    /// Does one errand. Returning means that it is done, or had been done before.
    func perform(_ errand: Errand, now: Instant) throws(StoreAPIError)
}

/// Told how each call to a store's API ended: nil after an answer. Any thread, must not block.
public typealias StoreWitness = @Sendable (StoreAPIError?) -> Void

/// Makes a call, and tells how it ended.
public func witnessed<Answer>(
    by witness: StoreWitness,
    _ call: () throws(StoreAPIError) -> Answer
) throws(StoreAPIError) -> Answer {
    do throws(StoreAPIError) {
        let answer = try call()
        witness(nil)
        return answer
    } catch {
        witness(error)
        throw error
    }
}

/// Why a store's API did not do it. Safe to print: no address beyond the origin, no token.
public enum StoreAPIError: Error, Equatable, CustomStringConvertible {
    /// No answer, or one that asks to come back: `after`, when the store says when.
    case unavailable(reason: String, after: Instant? = nil)
    /// The key is not accepted.
    case unauthorized(reason: String)
    /// It will answer the same for ever.
    case refused(status: Int, code: String?, reason: String)
    /// An answer that cannot be read, or that is not proven.
    case unreadable(reason: String)

    /// Whoever asks next gets no better answer.
    public var concernsTheWholeStore: Bool {
        switch self {
        case .unavailable, .unauthorized: true
        case .refused, .unreadable: false
        }
    }

    public var description: String {
        switch self {
        case .unavailable(let reason, _): "the store gives no answer: \(reason); it is asked again"
        case .unauthorized(let reason): "the store does not accept the key: \(reason)"
        case .refused(let status, let code, let reason):
            "the store answered \(status)\(code.map { " (\($0))" } ?? ""): \(reason)"
        case .unreadable(let reason): "the store's answer cannot be used: \(reason)"
        }
    }
}
