public import Domain

/// What `paycast doctor` knows when it looks at a store.
public struct StoreExamination: Sendable {
    public var surroundings: StoreSurroundings
    /// The server's public address, when one was told.
    public var url: String?
    public var now: Instant

    public var isDevelopment: Bool { surroundings.development != nil }

    public init(surroundings: StoreSurroundings, url: String?, now: Instant) {
        self.surroundings = surroundings
        self.url = url
        self.now = now
    }

    /// Asks for a purchase that does not exist: whether the key may read.
    public func ask(_ api: any StoreAPI, for contract: ContractKey, _ name: String, success: String) -> Finding {
        do throws(StoreAPIError) {
            _ = try api.statement(of: contract, now: now)
            return .ok(name, success)
        } catch {
            switch error {
            case .unavailable(let reason, _): return .fail(name, "no answer: \(reason)")
            case .unauthorized, .refused, .unreadable: return .fail(name, "\(error)")
            }
        }
    }
}

/// What was found out about a store.
public struct StoreFindings: Sendable, Equatable {
    public var findings: [Finding]
    /// What the store says the time is; nil when it was not asked.
    public var date: Instant?

    public init(_ findings: [Finding] = [], date: Instant? = nil) {
        self.findings = findings
        self.date = date
    }
}
