public import Domain

/// The settings that `paycast doctor` passes to a store that it examines.
public struct StoreExamination: Sendable {
    public var dependencies: StoreDependencies
    /// The server's public address, if one was given.
    public var url: String?
    public var now: Instant

    public var isDevelopment: Bool { dependencies.development != nil }

    public init(dependencies: StoreDependencies, url: String?, now: Instant) {
        self.dependencies = dependencies
        self.url = url
        self.now = now
    }

    /// Asks for a purchase that does not exist, to learn whether the key may read.
    public func ask(_ api: any StoreAPI, for contract: ContractKey, name: String, success: String) -> Finding {
        do throws(StoreAPIError) {
            _ = try api.statement(of: contract, now: now)
            return .ok(name, detail: success)
        } catch {
            switch error {
            case .unavailable(let reason, _): return .fail(name, detail: "no answer: \(reason)")
            case .unauthorized, .refused, .unreadable, .notYetKnown: return .fail(name, detail: "\(error)")
            }
        }
    }
}

/// The findings about a store.
public struct StoreFindings: Sendable {
    public var findings: [Finding]
    /// The name under which doctor shows the store's clock, and its time; nil if the store was not asked.
    public var clock: (name: String, now: Instant)?

    public init(_ findings: [Finding] = [], clock: (name: String, now: Instant)? = nil) {
        self.findings = findings
        self.clock = clock
    }
}
