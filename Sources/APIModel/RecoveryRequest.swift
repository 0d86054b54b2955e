/// The body of `POST /recoveries`.
public struct RecoveryRequest: Codable, Sendable, Equatable {
    /// The store's name.
    public var provider: String
    /// ISO 8601, in the past; absent for the last success.
    public var since: String?

    public init(provider: String, since: String?) {
        self.provider = provider
        self.since = since
    }
}
